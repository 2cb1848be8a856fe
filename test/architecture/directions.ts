// Which part of src/ may import what. Change this table only together with ARCHITECTURE.md.

import { posix } from "node:path";
import type { Import } from "./source.ts";

type Reach = {
  /** Folders of src/ beside its own. */
  readonly folders: readonly Folder[];
  /** Folders of which it may know the types alone. */
  readonly typesOf?: readonly Folder[];
  /** Modules of Node; all of them when left out. */
  readonly node?: readonly string[];
  /** Whether packages from npm are allowed. */
  readonly packages: boolean;
};

const folders = [
  ...(["core", "ports", "protocol", "engine", "stores", "buses"] as const),
  ...(["transports", "server", "sdk", "cli", "testing"] as const),
] as const;

type Folder = (typeof folders)[number];

const reach: Readonly<Record<Folder, Reach>> = {
  core: { folders: [], node: ["node:crypto"], packages: false },
  ports: { folders: ["core"], node: [], packages: false },
  protocol: { folders: ["core"], packages: true },
  engine: { folders: ["core", "ports"], node: [], packages: false },
  stores: { folders: ["core", "ports"], packages: true },
  buses: { folders: ["core", "ports"], packages: true },
  transports: { folders: ["core", "ports", "protocol"], typesOf: ["engine"], packages: true },
  server: { folders: folders.filter((each) => !["sdk", "cli", "testing"].includes(each)), packages: true },
  sdk: { folders: ["core", "protocol"], packages: true },
  cli: { folders: ["sdk", "server", "protocol", "core"], packages: true },
  testing: { folders: folders.filter((each) => each !== "cli"), packages: true },
};

/** What a test beside its file may import in addition. */
const forTests = { folder: "testing", modules: ["node:test", "node:assert", "node:assert/strict", "fast-check"] };

export function directionProblems(path: string, imports: readonly Import[], packages: ReadonlySet<string>): string[] {
  const folder = folderOf(path);
  if (folder === undefined) return [`${path} is in no known part of src/ (${folders.join(", ")})`];
  return imports.flatMap((each) => {
    const problem = refusal(path, folder, each, packages);
    return problem === undefined ? [] : [`${path}:${each.line} imports ${each.from}; ${problem}`];
  });
}

function refusal(path: string, folder: Folder, each: Import, packages: ReadonlySet<string>): string | undefined {
  const { from } = each;
  if (path.endsWith(".test.ts") && forTests.modules.includes(from)) return undefined;
  if (from.startsWith(".")) return refusedFile(path, folder, each);
  if (from.startsWith("node:")) return refusedNode(folder, from);
  return refusedPackage(folder, from, packages);
}

function refusedFile(path: string, folder: Folder, { from, typeOnly }: Import): string | undefined {
  if (!/\.(?:ts|json)$/.test(from)) return "write the file's ending, .ts";
  const target = posix.join(posix.dirname(path), from);
  const other = folderOf(target);
  if (other === undefined) return "that is outside the parts of src/";
  const { folders: reachable, typesOf = [] } = reach[folder];
  if (other === folder || reachable.includes(other)) return undefined;
  if (path.endsWith(".test.ts") && other === forTests.folder) return undefined;
  if (typesOf.includes(other))
    return typeOnly ? undefined : `${folder} may know only the types of ${other}: import type`;
  return `${folder} may import ${reachable.join(", ") || "no other part"}`;
}

function refusedNode(folder: Folder, from: string): string | undefined {
  const { node } = reach[folder];
  if (node === undefined || node.includes(from)) return undefined;
  return `${folder} may import ${node.join(", ") || "nothing of Node"}; what it needs comes in through a port`;
}

function refusedPackage(folder: Folder, from: string, packages: ReadonlySet<string>): string | undefined {
  if (!reach[folder].packages) return `${folder} imports no package; what it needs comes in through a port`;
  const name = from
    .split("/")
    .slice(0, from.startsWith("@") ? 2 : 1)
    .join("/");
  return packages.has(name) ? undefined : `${name} is no dependency of the published package`;
}

function folderOf(path: string): Folder | undefined {
  const [src, name, ...rest] = path.split("/");
  return src === "src" && rest.length > 0 ? folders.find((each) => each === name) : undefined;
}
