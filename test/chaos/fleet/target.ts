// Where push jobs are sent: answers each request when its work is done.

import { createServer } from "node:http";
import { type Orders, perform, say } from "./words.ts";

/** `url` is its own here. */
export async function pushTarget({ url }: Orders): Promise<never> {
  const server = createServer(async (request, reply) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { task } = JSON.parse(text);
    say({ began: task.id, attempt: task.attempt });
    const status = await perform(task.payload, task.attempt).then(
      () => 200,
      () => 500,
    );
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ of: task.id }));
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), "127.0.0.1", resolve));
  say({ ready: "target" });
  return new Promise(() => undefined);
}
