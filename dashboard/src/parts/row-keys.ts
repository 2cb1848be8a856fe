import { useShortcuts } from "../shell/shortcuts.ts";

/** `j` and `k` go along what this selector finds, in the order of the page; Enter is the browser's own. */
export function useRowKeys(selector: string): void {
  useShortcuts((keys) => {
    if (keys !== "j" && keys !== "k") return false;
    const rows = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = at === -1 ? firstSeen(rows) : rows[at + (keys === "j" ? 1 : -1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
    return true;
  });
}

/** Nobody wants to be taken to the top of what was scrolled away. */
function firstSeen(rows: readonly HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
}
