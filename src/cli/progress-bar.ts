import type { TaskAnswer } from "./answers.ts";
import { plain } from "./plain.ts";

const cells = 24;

/** "[██████░░░░] 60% 6/10 rotating"; without a total there is no bar. */
export function progressText({ current, total, message }: NonNullable<TaskAnswer["progress"]>): string {
  const words = message === null ? "" : ` ${plain(message)}`;
  if (total === null || total === 0) return `${current}${words}`;
  const share = Math.min(1, current / total);
  const filled = Math.floor(share * cells);
  return `[${"█".repeat(filled)}${"░".repeat(cells - filled)}] ${Math.min(100, Math.floor((100 * current) / total))}% ${current}/${total}${words}`;
}
