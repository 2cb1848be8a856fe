// Runs a file on the pinned Node: `node tools/node.mjs <file> …`. Any Node from 18 on can run this launcher.

import { fileURLToPath } from "node:url";
import { isNewEnough, nodeNeeded, pinnedNode } from "../bin/node-version.js";
import { runNode } from "../bin/run-node.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = pinnedNode(root) ?? (isNewEnough(process.versions.node) ? process.execPath : undefined);

if (node === undefined) {
  console.error(`Leadhand needs ${nodeNeeded}; this is ${process.versions.node} (${process.execPath}).`);
  console.error(
    "`npm ci` brings the right one where the npm registry has it for your platform; otherwise install Node 24.",
  );
  process.exitCode = 1;
} else {
  runNode(node, process.argv.slice(2));
}
