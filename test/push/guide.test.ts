import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pushSignature } from "../../src/core/push.ts";

const guide = readFileSync(new URL("../../docs/guides/push-jobs.md", import.meta.url), "utf8");

function blockWith(language: string, words: string): string {
  const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(
    ([, text]) => text as string,
  );
  const found = blocks.find((text) => text.includes(words));
  if (found === undefined) throw new Error(`The guide has no ${language} with ${words}`);
  return found;
}

const secret = "a secret of the target's own";
const at = 1_767_225_600;
const body = '{"task":{"payload":{"ü":1}}}';
const good = { "leadhand-timestamp": String(at), "leadhand-signature": pushSignature(secret, at, body) };
const forged = { ...good, "leadhand-signature": pushSignature("another secret, not ours", at, body) };

/** What the guide's own code says to a good request, a forged, a changed, an old and an empty one. */
const requests = [
  { headers: good, body, now: at + 10 },
  { headers: forged, body, now: at + 10 },
  { headers: good, body: body.replace("1", "2"), now: at + 10 },
  { headers: good, body, now: at + 3_600 },
  { headers: {}, body, now: at },
];
const verdicts = [true, false, false, false, false];

test("the guide's check of a signature in Node tells ours from others", async () => {
  const source = blockWith("js", "function isFromLeadhand");
  const { isFromLeadhand } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const said = requests.map((each) => isFromLeadhand(each.headers, each.body, secret, each.now * 1_000));
  assert.deepEqual(said, verdicts);
});

test("the guide's check of a signature in Python tells ours from others", () => {
  const asking = `
import json, sys
for each in json.load(sys.stdin):
    print(is_from_leadhand(each["headers"], each["body"].encode(), ${JSON.stringify(secret)}, each["now"]))`;
  const program = blockWith("python", "def is_from_leadhand") + asking;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify(requests),
    encoding: "utf8",
  });
  assert.deepEqual(stdout.trim().split("\n"), ["True", "False", "False", "False", "False"], stderr);
});
