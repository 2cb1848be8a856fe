// Submits, claims, starts and completes tasks at a steady pace until it is let go.

import { onTold, say, told, untilLetGo } from "../../live/stage-door.ts";
import { eventsPerTask, taskLives } from "../../live/task-lives.ts";
import { serverCalls } from "../../rest/server-calls.ts";
import type { Lived, LivesWords } from "../page-load.ts";

/** Between two of these the pace dips for a moment. */
const stretchSeconds = 10;
const warmUpTasks = 50;
const room = "lab";

const words = told<LivesWords>();
const { eventsPerSecond } = words;
let events = 0;
let isLetGo = false;
const live = await taskLives(serverCalls(words));
onTold(() => say<Lived>({ kind: "lived", events }));
untilLetGo(async () => {
  isLetGo = true;
});
await live({ room, tasks: warmUpTasks, eventsPerSecond });
say({ kind: "ready" });
while (!isLetGo) {
  const tasks = Math.ceil((eventsPerSecond * stretchSeconds) / eventsPerTask);
  await live({
    room,
    tasks,
    eventsPerSecond,
    onEvent: () => {
      events += 1;
    },
  });
}
