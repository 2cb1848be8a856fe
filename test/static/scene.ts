// A whole server with a small dashboard of its own: the files of a build, as few as will do.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { readConfig } from "../../src/server/config.ts";
import { server } from "../../src/server/server.ts";
import { temporaryFolder } from "../leadhand-process.ts";

export const page = '<!doctype html><head><base href="/ui/"><script src="assets/app-1a2b.js"></script></head>\n';
export const script = `${"console.log('Leadhand');\n".repeat(200)}`;

/** Answers the address of a server on this folder of files, or on one that it makes. */
export async function uiServer(flags: Readonly<Record<string, string>> = {}, uiFolder?: string): Promise<string> {
  const data = await temporaryFolder();
  const { config } = readConfig({ environment: {}, flags: { port: "0", data, ...flags } });
  const serving = server({ config, writeLog: () => undefined, uiFolder: uiFolder ?? (await smallUi()) });
  after(() => serving.stop());
  return serving.start();
}

async function smallUi(): Promise<string> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "assets", "app-1a2b.js"), script);
  writeFileSync(join(folder, "assets", "sans-3c4d.woff2"), Buffer.alloc(4_096, 7));
  return folder;
}
