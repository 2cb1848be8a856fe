// What a handler says while it runs, gathered for a moment, so that one that says very much does not keep the server
// busy: of its progress the latest counts, its log lines go together.

import type { LogWords, ProgressWords } from "../../core/internal-job.ts";
import type { TaskPort } from "../task-voice.ts";

export interface GatheredWords {
  readonly port: TaskPort;
  /** Says at once what has gathered. */
  flush(): void;
}

const everyMs = 50;
const linesMax = 100;

export function gatheredWords(say: {
  progressed(progress: ProgressWords): void;
  logged(lines: readonly LogWords[]): void;
}): GatheredWords {
  let progress: ProgressWords | null = null;
  let lines: LogWords[] = [];
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (lines.length > 0) say.logged(lines);
    if (progress !== null) say.progressed(progress);
    lines = [];
    progress = null;
  }

  return {
    flush,
    port: {
      progress(current, total, message) {
        progress = { current, total, message };
        timer ??= setTimeout(flush, everyMs);
      },
      log(level, message, at) {
        lines.push({ level, message, at });
        if (lines.length >= linesMax) flush();
        else timer ??= setTimeout(flush, everyMs);
      },
    },
  };
}
