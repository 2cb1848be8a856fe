import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findRabbitmq } from "../../tools/rabbitmq-programs.ts";

const file = fileURLToPath(new URL("../../examples/pipeline/run.ts", import.meta.url));
const noRabbitmq = findRabbitmq() === undefined && "there is no RabbitMQ";

test("the pipeline runs with one command: every batch is counted once, and the coordinator ends", {
  skip: noRabbitmq,
  timeout: 120_000,
}, async () => {
  // A RabbitMQ of its own: the queues are the document's, and other tests may have them too.
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
  const pipeline = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, [code]] = await Promise.all([text(pipeline.stdout), text(pipeline.stderr), once(pipeline, "exit")]);
  assert.equal(code, 0, out + err);
  assert.match(out, /with 4 workers\n/);
  assert.match(err, /leadhand submit: completed after /);
  assert.match(out, /\n1000 of 1000 embeddings are stored\n$/);
});
