// The demo where there is no terminal: a line whenever a task has moved.

import type { TaskAnswer } from "../answers.ts";
import { noPaint } from "../paint.ts";
import { cell, shortJob, shownId, taskNote } from "./task-row.ts";
import type { View } from "./watching.ts";

export interface PlainLines {
  of(view: View, now: number, startedAt: number): string[];
}

export function plainLines(): PlainLines {
  let told = new Map<string, string>();
  return {
    of({ tasks }, now, startedAt) {
      const before = told;
      told = new Map(tasks.map((task) => [task.id, moveOf(task)]));
      const moved = tasks.filter((task) => before.get(task.id) !== moveOf(task));
      return moved.map((task) => {
        const seconds = ((now - startedAt) / 1_000).toFixed(1).padStart(5);
        const words = [`${seconds} s`, shownId(task.id, 9), cell(shortJob(task), 12, null, noPaint)];
        return [...words, cell(task.status, 9, null, noPaint), noteOf(task, now)].join("  ").trimEnd();
      });
    },
  };
}

function noteOf(task: TaskAnswer, now: number): string {
  const share = quarters(task);
  return task.status === "running" && share > 0 ? `${share * 25}%  ${taskNote(task, now)}` : taskNote(task, now);
}

function moveOf(task: TaskAnswer): string {
  return `${task.status} ${task.attempt} ${quarters(task)}`;
}

/** Progress is told four times at most. */
function quarters({ progress }: TaskAnswer): number {
  return progress?.total ? Math.floor((4 * progress.current) / progress.total) : 0;
}
