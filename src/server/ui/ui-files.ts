// The dashboard as it was built: a folder of files, read once. Nothing that is asked for ever becomes a path on the disk.

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

export interface UiFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Without its quotes. */
  readonly tag: string;
  /** As the build made it, or made when somebody first asks for it, and kept. Null where it would gain nothing. */
  encoded(encoding: Encoding): Promise<Buffer> | null;
}

/** By their paths below the folder, with slashes. */
export type UiFiles = ReadonlyMap<string, UiFile>;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Compressed already. */
const dense = new Set([".ico", ".jpg", ".png", ".webp", ".woff2"]);
const worthBytes = 1_024;

/** What the build adds to the name of a file that it has encoded. */
const endings: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

const encoders: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  // The last two levels cost seconds for the last few hundred bytes.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/** Empty where there is no such folder: then the dashboard was not built. */
export async function readUiFiles(folder: string): Promise<UiFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    if ("code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = async (path: string) => [relative(folder, path).split(sep).join("/"), await readFile(path)] as const;
  const all = new Map(await Promise.all(paths.map(read)));
  const isEncoded = (path: string) =>
    Object.values(endings).some((ending) => path.endsWith(ending) && all.has(path.slice(0, -ending.length)));
  const own = [...all].filter(([path]) => !isEncoded(path));
  return new Map(own.map(([path, bytes]) => [path, uiFile(extname(path), bytes, premade(all, path))]));
}

function premade(all: ReadonlyMap<string, Buffer>, path: string): Map<Encoding, Promise<Buffer>> {
  const found = encodings.map((encoding) => [encoding, all.get(path + endings[encoding])] as const);
  return new Map(found.flatMap(([encoding, bytes]) => (bytes ? [[encoding, Promise.resolve(bytes)] as const] : [])));
}

function uiFile(extension: string, bytes: Buffer, made: Map<Encoding, Promise<Buffer>>): UiFile {
  const gains = !dense.has(extension) && bytes.length >= worthBytes;
  return {
    type: types[extension] ?? "application/octet-stream",
    bytes,
    tag: tagOf(bytes),
    encoded(encoding) {
      if (!gains) return null;
      const making = made.get(encoding) ?? encoders[encoding](bytes);
      made.set(encoding, making);
      return making;
    },
  };
}

export function tagOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
