import { type Asking, askingCommand } from "../asking-command.ts";
import { counted } from "../counted.ts";
import { dataChecks } from "../doctor/data-checks.ts";
import { type Check, type Finding, ok } from "../doctor/finding.ts";
import { serverChecks } from "../doctor/server-checks.ts";
import { socketCheck } from "../doctor/socket-check.ts";
import { tokenCheck } from "../doctor/token-check.ts";
import type { Style } from "../paint.ts";
import { plain } from "../plain.ts";
import { paintOut } from "../print.ts";

const usage = [
  "Usage: leadhand doctor [options]",
  "",
  "Looks for what may be wrong, and says what to do about it: Node, the server and",
  "whether it can work, the token and what it may do, clocks, WebSockets; and where",
  "this machine has a server's data, the database, space and speed of the disk; and",
  "RabbitMQ, where the settings name one.",
  "",
  "With --json it prints {checks: [{name, state, text, advice}]}; a state is ok,",
  "warn or fail, and a single fail is exit code 1.",
  "",
];

const style = { ok: "green", warn: "yellow", fail: "red" } as const satisfies Record<Finding["state"], Style>;

export const command = askingCommand({
  name: "doctor",
  summary: "look for what may be wrong, and say what to do",
  usage,
  async run(asking) {
    const findings: Finding[] = [];
    for await (const finding of examined(asking)) {
      findings.push(finding);
      if (!asking.json) print(finding);
    }
    const failed = findings.filter(({ state }) => state === "fail").length;
    if (asking.json) console.log(JSON.stringify({ checks: findings }));
    else if (failed > 0) console.log(`${counted(failed, "check")} failed`);
    return failed === 0 ? 0 : 1;
  },
});

async function* examined(asking: Asking): AsyncGenerator<Finding> {
  yield ok("node", `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`);
  let isThere = true;
  for (const finding of await serverChecks(asking)) {
    yield finding;
    if (finding.name === "server") isThere = finding.state === "ok";
  }
  const asked: readonly Check[] = isThere ? [tokenCheck, socketCheck, dataChecks] : [dataChecks];
  for (const check of asked) yield* await check(asking);
}

const nameWidth = "database".length;

function print({ name, state, text, advice }: Finding): void {
  const paint = paintOut();
  console.log(`${paint(style[state], state.padEnd(4))}  ${name.padEnd(nameWidth)}  ${plain(text)}`);
  if (advice !== null) console.log(`${" ".repeat(nameWidth + 8)}${paint("dim", "→")} ${advice}`);
}
