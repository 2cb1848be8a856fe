// A server in a process of its own, so that it has a core to itself as servers do.

import { server } from "../../server/server.ts";
import type { Listening, ServerWords } from "./words.ts";

process.once("message", async ({ config }: ServerWords) => {
  const serving = server({ config });
  process.once("disconnect", () => void serving.stop().finally(() => process.exit()));
  const url = await serving.start();
  process.send?.({ kind: "listening", url } satisfies Listening);
});
