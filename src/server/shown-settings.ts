// Settings for people to look at: every value as text, with secrets hidden, and where it came from.

import type { Origin, ReadConfig } from "./config.ts";
import { maskSecret, maskText } from "./mask.ts";
import { type SettingName, settingEntries, settings, valueText } from "./settings/settings.ts";

export interface ShownSetting {
  /** The variable that sets it. */
  readonly name: string;
  /** Null for a secret that is not set. */
  readonly value: string | null;
  /** Null where it is not known. */
  readonly source: string | null;
}

export function shownSettings(config: ReadConfig["config"], origins?: ReadConfig["origins"]): readonly ShownSetting[] {
  return settingEntries.map(([name, { variables }]) => ({
    name: variables[0],
    value: shownValue(name, config),
    source: origins === undefined ? null : originText(origins[name]),
  }));
}

/** Null for a secret that is not set. */
export function shownValue(name: SettingName, config: ReadConfig["config"]): string | null {
  const text = valueText(settings[name], config[name]);
  if (!settings[name].secret) return maskText(text);
  return config[name] === null ? null : maskSecret(text);
}

export function originText(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return "default";
    case "derived":
      return `follows ${settings[origin.from].variables[0]}`;
    case "environment":
      return origin.variable;
    case "flag":
      return origin.flag;
  }
}
