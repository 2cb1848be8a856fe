// `node worker.ts FOLDER` lets others read the files of a folder, through the server, until Ctrl-C or SIGTERM.

import { readdir, readFile, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { JobManager, Provider } from "leadhand";

type Params = Readonly<Record<string, string>>;

/** `?path=notes/a.txt` answers the bytes of that file. */
class Files extends Provider {
  static readonly category = "files";
  static readonly contentType = "application/octet-stream";

  override async read({ path = "" }: Params, folder: string): Promise<Buffer> {
    return readFile(await within(folder, path));
  }
}

/** `?path=notes` answers what is in that folder, as JSON. */
class Listing extends Provider {
  static readonly category = "folders";
  static readonly schema = { type: "object", properties: { path: { type: "string" } } };

  override async read({ path = "." }: Params, folder: string): Promise<unknown> {
    const entries = await readdir(await within(folder, path), { withFileTypes: true });
    return entries.map((entry) => entry.name + (entry.isDirectory() ? "/" : "")).sort();
  }
}

/** Neither `..` nor a link leads out of the folder. */
async function within(folder: string, path: string): Promise<string> {
  const [root, file] = [await realpath(folder), await realpath(join(folder, path))];
  if (file !== root && !file.startsWith(root + sep)) throw new Error(`${path} is not in the folder`);
  return file;
}

const folder = resolve(process.argv[2] ?? ".");
const url = process.env["LEADHAND_URL"] ?? "http://127.0.0.1:7070";
const token = process.env["LEADHAND_TOKEN"] ?? "";

// A provider is asked over Socket.IO; `{}` has the manager open a socket of its own.
const manager = new JobManager({ url, token }, {});
await manager.registerProvider(Files, { name: "shared", room: "lab", handler: folder });
await manager.registerProvider(Listing, { name: "shared", room: "lab", handler: folder });
console.log(`reading from ${folder}`);
await manager.wait();
