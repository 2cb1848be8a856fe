#!/usr/bin/env node
// Starts the command line on a Node that can run it.

import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithNpx } from "./end-with-npx.js";
import { isNewEnough, nodeNeeded, pinnedNode } from "./node-version.js";
import { endWithLauncher, runNode } from "./run-node.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const pinned = pinnedNode(root);
endWithNpx();

if (pinned !== undefined && realpathSync(pinned) !== realpathSync(process.execPath)) {
  runNode(pinned, [...process.execArgv, ...process.argv.slice(1)]);
} else if (isNewEnough(process.versions.node)) {
  await start();
} else {
  console.error(`leadhand needs ${nodeNeeded}; this is ${process.versions.node} (${process.execPath}).`);
  process.exitCode = 1;
}

async function start() {
  endWithLauncher();
  // A clone runs its sources, so that an old build is never taken for the code at hand. A package has no sources.
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const built = new URL("../dist/cli/main.js", import.meta.url);
  const { main } = await import((existsSync(source) ? source : built).href);
  process.exitCode = await main(process.argv.slice(2));
}
