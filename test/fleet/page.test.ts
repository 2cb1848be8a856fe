// What docs/protocol/fleet.md shows is what the server answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetRouteList } from "../../src/protocol/fleet/routes.ts";
import { readDocument } from "../shell-blocks.ts";
import { aJob, aWorker, fleetScene, poll } from "./scene.ts";

const page = readDocument("docs/protocol/fleet.md");

/** What is below the title of each route. */
const sections = new Map(
  page
    .split(/^(?=##)/m)
    .filter((part) => part.startsWith("### "))
    .map((part) => [part.slice(4, part.indexOf("\n")).replaceAll("`", ""), part]),
);

for (const { id, method, path, example, answers } of fleetRouteList) {
  test(`the page shows what ${id} takes and answers, as the OpenAPI document has it`, () => {
    const text = sections.get(`${method} ${path}`) ?? "";
    const shown = [...text.matchAll(/^(Asked|Answered) with\n\n```json\n([\s\S]*?)\n```$/gm)];
    const expected = [
      ...(example === undefined ? [] : [["Asked", example]]),
      ...Object.values(answers).flatMap((answer) =>
        answer.example === undefined ? [] : [["Answered", answer.example]],
      ),
    ];
    assert.deepEqual(
      shown.map(([, how, json = ""]) => [how, JSON.parse(json)]),
      JSON.parse(JSON.stringify(expected)),
    );
  });
}

const anyId = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const anyTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

test("the page's one job goes from end to end with just these requests, and just these answers", async () => {
  await using scene = await fleetScene();
  const [, session = ""] = /^```console\n([\s\S]*?)^```$/m.exec(page) ?? [];
  /** The page's ids, and those that they are here. */
  const ids = new Map<string, string>();
  const steps = session.split(/^\$ /m).slice(1);
  assert.equal(steps.length, 7);
  for (const step of steps) {
    const [, data, path = "", expected = ""] =
      /^curl -H "Authorization: Bearer \$TOKEN" (?:-d '([^']*)'|-X POST) \$URL(\S+)\n(.*)\n$/.exec(step) ?? [];
    assert.notEqual(path, "", step);
    const here = (text: string) => text.replace(anyId, (id) => ids.get(id) ?? id);
    const body = data === undefined ? {} : { body: here(data) };
    const headers = {
      authorization: `Bearer ${scene.owner.token}`,
      // What curl says of every body.
      ...(data !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
    };
    const answer = await (await fetch(scene.url + here(path), { method: "POST", headers, ...body })).text();
    for (const [nth, [id]] of [...expected.matchAll(anyId)].entries()) {
      if (!ids.has(id)) ids.set(id, [...answer.matchAll(anyId)][nth]?.[0] ?? "");
    }
    assert.equal(answer.replace(anyTime, "now"), here(expected).replace(anyTime, "now"));
  }
});

test("a ping names what is to be stopped, once; a poll that must stay empty says why", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await scene.owner.post(`/v1/tasks/${id}/cancel`);
  const ping = async () => (await scene.owner.post(`/workers/${uuid}/ping`)).body;
  assert.deepEqual((await ping()).cancel, [id]);
  assert.equal("cancel" in (await ping()), false);
  assert.deepEqual(await poll(scene.owner, uuid), { jobs: [] });
  await scene.owner.post(`/workers/${uuid}/unregister`);
  assert.deepEqual(Object.keys(await poll(scene.owner, uuid)), ["jobs", "reason"]);
});
