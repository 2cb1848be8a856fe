// Every setting of the server, once. Variables, flags, `leadhand config` and docs/guides/configure.md come from here.

import { amqpSettings } from "./amqp-settings.ts";
import { doorSettings, limitSettings, signInSettings } from "./door-settings.ts";
import { durationText } from "./duration.ts";
import type { Derived, Setting } from "./kinds.ts";
import { pushSettings } from "./push-settings.ts";
import { engineSettings, serverSettings } from "./server-settings.ts";
import { workerSettings } from "./worker-settings.ts";

export const settingGroups = [
  { title: "The server", settings: serverSettings },
  { title: "The engine", settings: engineSettings },
  { title: "Limits", settings: limitSettings },
  { title: "Workers", settings: workerSettings },
  { title: "Doors", settings: doorSettings },
  { title: "Push jobs", settings: pushSettings },
  { title: "Signing in", settings: signInSettings },
  { title: "RabbitMQ", settings: amqpSettings },
] as const;

export const settings = {
  ...serverSettings,
  ...engineSettings,
  ...limitSettings,
  ...workerSettings,
  ...doorSettings,
  ...pushSettings,
  ...signInSettings,
  ...amqpSettings,
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** The values of all settings: durations in milliseconds, null for what is not set. */
export type Config = {
  readonly [K in SettingName]: (typeof settings)[K] extends Setting<infer T> ? T : never;
};

/** In an order in which every derived default comes after what it derives from. */
export const settingEntries = Object.entries(settings) as unknown as readonly [SettingName, Setting<unknown>][];

/** `--database-url` for LEADHAND_DATABASE_URL, without the dashes. */
export function flagOf(setting: Pick<Setting<unknown>, "variables">): string {
  return setting.variables[0]
    .replace(/^LEADHAND_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}

/** The flags of all settings, as `parseArgs` of node:util takes them. */
export function flagOptions(): Record<string, { type: "boolean" | "string" }> {
  return Object.fromEntries(
    settingEntries.map(([, setting]) => [flagOf(setting), { type: setting.kind === "boolean" ? "boolean" : "string" }]),
  );
}

export function isDerived(value: unknown): value is Derived {
  return typeof value === "object" && value !== null && "from" in value && "times" in value;
}

/** A value as its variable would take it. Secrets are the caller's to mask. */
export function valueText(setting: Setting<unknown>, value: unknown): string {
  if (value === null) return "none";
  if (setting.kind === "duration") return durationText(value as number, setting.variables[0]);
  if (setting.kind === "list") return (value as readonly string[]).join(",");
  return setting.kind === "json" ? JSON.stringify(value) : String(value);
}
