// Prints the API reference into docs/reference/ from the doc comments of what the package exports; `--check` only says
// whether what is there is what the code says.

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, type DeclarationReflection, ReflectionKind, type TypeDocOptions } from "typedoc";

const root = fileURLToPath(new URL("../..", import.meta.url));
const kept = join(root, "docs", "reference");
const checking = process.argv.includes("--check");

const out = checking ? mkdtempSync(join(tmpdir(), "leadhand-reference-")) : kept;
try {
  await print(out);
  if (checking) process.exitCode = compare(out, kept);
} finally {
  if (checking) rmSync(out, { recursive: true, force: true });
}

async function print(folder: string): Promise<void> {
  const options = {
    entryPoints: ["src/sdk/index.ts", "src/server/index.ts", "src/testing/index.ts"].filter((path) =>
      existsSync(join(root, path)),
    ),
    tsconfig: join(root, "tsconfig.build.json"),
    plugin: ["typedoc-plugin-markdown"],
    out: folder,
    readme: "none",
    name: "leadhand",
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    githubPages: false,
    hideGenerator: true,
    cleanOutputDir: true,
    // What is not exported by name is no part of the API.
    validation: { notExported: false },
    treatWarningsAsErrors: true,
    // Of the plugin.
    excludeExternals: true,
    parametersFormat: "table",
    propertiesFormat: "table",
    interfacePropertiesFormat: "table",
    enumMembersFormat: "table",
    typeDeclarationFormat: "table",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    outputFileStrategy: "modules",
    useCodeBlocks: true,
    expandObjects: true,
  } as Partial<TypeDocOptions>;
  const app = await Application.bootstrapWithPlugins(options);
  const project = await app.convert();
  if (project === undefined) throw new Error("The code does not compile");
  app.validate(project);
  for (const fault of undocumented(project.children ?? [])) app.logger.error(fault as never);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("The reference has faults; see above");
  await app.generateOutputs(project);
}

/** Everything has a comment, and what can be called or made has an example. */
function undocumented(modules: readonly DeclarationReflection[]): string[] {
  const values = ReflectionKind.Class | ReflectionKind.Function | ReflectionKind.Variable;
  return modules.flatMap(({ name: module, children = [] }) =>
    children.flatMap((each) => {
      const comments = [each.comment, ...(each.signatures ?? []).map(({ comment }) => comment)];
      const lacks = (what: string) => [`${module}: ${each.name} has no ${what}`];
      if (comments.every((comment) => comment === undefined)) return lacks("doc comment");
      const hasExample = comments.some((comment) => comment?.getTag("@example") !== undefined);
      return each.kindOf(values) && !hasExample ? lacks("example") : [];
    }),
  );
}

function compare(fresh: string, old: string): number {
  const read = (folder: string) =>
    new Map(globSync("**/*.md", { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const [now, before] = [read(fresh), read(old)];
  const stale = [...new Set([...now.keys(), ...before.keys()])].filter((path) => now.get(path) !== before.get(path));
  for (const path of stale) console.error(`docs/reference/${path} is not what the code says: npm run reference`);
  return stale.length === 0 ? 0 : 1;
}
