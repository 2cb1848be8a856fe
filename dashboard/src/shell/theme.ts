// Light, dark, or as the system has it. Kept in this browser.

const key = "leadhand.theme";
const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const dark = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(key);
  return themes.find((theme) => theme === kept) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme();
}

export function nextTheme(): void {
  chooseTheme(themeNow() === "dark" ? "light" : "dark");
}

/** What is on the screen. */
export function themeNow(): "light" | "dark" {
  const chosen = chosenTheme();
  if (chosen !== "system") return chosen;
  return dark.matches ? "dark" : "light";
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = themeNow();
  for (const watcher of watchers) watcher();
}

export function watchTheme(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

dark.addEventListener("change", applyTheme);
