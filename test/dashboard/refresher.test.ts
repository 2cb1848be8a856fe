import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { focusManager, QueryClient, QueryObserver } from "@tanstack/react-query";
import { refresher } from "../../dashboard/src/api/refresher.ts";

const route = "GET /pulse";

/** A page that shows one answer, from a server that answers when it is told to. */
async function page(t: TestContext) {
  const queries = new QueryClient();
  queries.mount();
  const onlooker = { paused: false, away: false };
  const asked: { answer: () => void; signal: AbortSignal }[] = [];
  const refresh = refresher(queries, { isPaused: () => onlooker.paused, isAway: () => onlooker.away });
  const shown = new QueryObserver(queries, {
    queryKey: [route],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      new Promise<number>((resolve) => {
        const nth = asked.length + 1;
        asked.push({ answer: () => resolve(nth), signal });
      }),
  });
  t.after(shown.subscribe(() => undefined));
  t.after(() => {
    queries.unmount();
    queries.clear();
  });
  async function answer(): Promise<void> {
    asked.at(-1)?.answer();
    await settled();
  }
  await answer();
  return { asked, answer, onlooker, refresh, shown: () => shown.getCurrentResult().data };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

test("what happened is asked for once, however often one moment tells of it", async (t) => {
  const { asked, answer, refresh, shown } = await page(t);
  refresh(route);
  refresh(route);
  await settled();
  await answer();
  assert.equal(asked.length, 2);
  assert.equal(shown(), 2);
});

test("what happened while an answer was on its way is asked for once more after it, and the answer comes", async (t) => {
  const { asked, answer, refresh, shown } = await page(t);
  refresh(route);
  await settled();
  refresh(route);
  await settled();
  refresh(route);
  await settled();
  assert.equal(asked.length, 2);
  await answer();
  assert.equal(shown(), 2);
  assert.equal(asked[1]?.signal.aborted, false);
  await answer();
  assert.deepEqual([shown(), asked.length], [3, 3]);
});

test("nothing is asked for once more while somebody has paused", async (t) => {
  const { asked, answer, onlooker, refresh } = await page(t);
  refresh(route);
  await settled();
  refresh(route);
  await settled();
  onlooker.paused = true;
  await answer();
  assert.equal(asked.length, 2);
});

test("what happens while nobody sees the page is asked for when somebody does", async (t) => {
  const { asked, onlooker, refresh } = await page(t);
  const see = (seen: boolean) => {
    onlooker.away = !seen;
    focusManager.setFocused(seen);
  };
  t.after(() => focusManager.setFocused(undefined));
  see(false);
  refresh(route);
  await settled();
  assert.equal(asked.length, 1);
  see(true);
  await settled();
  assert.equal(asked.length, 2);
});
