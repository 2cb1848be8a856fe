// A file of jobs says `import { job } from "leadhand"`. Where it lies beside no installed package, as with `npx` or in a
// clone, it means the one that runs it.

import { registerHooks } from "node:module";

const ownIndex = new URL(import.meta.url.endsWith(".ts") ? "./index.ts" : "./index.js", import.meta.url).href;

/** From now on `leadhand` can be imported from everywhere in this thread; an installed one comes first. */
export function offerOwnPackage(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== "leadhand") return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return { url: ownIndex, shortCircuit: true };
      }
    },
  });
}
