// The settings, read once, checked and frozen. A flag wins over a variable, a variable over the default; among several
// variables of one setting the LEADHAND_ form wins. Nothing else in the product reads the environment.

import { configChecks, configWarnings } from "./config-checks.ts";
import { thresholdRefusals } from "./profiles.ts";
import type { Setting } from "./settings/kinds.ts";
import { type Config, flagOf, isDerived, type SettingName, settingEntries, settings } from "./settings/settings.ts";

/** Where settings are looked for; a flag beats a variable. */
export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By flag, without dashes, as `parseArgs` answers them. Other flags are not looked at. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Where a value came from. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "derived"; readonly from: SettingName }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "flag"; readonly flag: string };

/** Settings with where each came from, and what is odd about them. */
export interface ReadConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  readonly warnings: readonly string[];
}

/**
 * Everything that is wrong with the settings, at once. The command line answers it with exit code 2.
 *
 * @example
 * ```ts
 * import { ConfigError, readConfig } from "leadhand/server";
 *
 * try {
 *   readConfig({ environment: process.env, flags: { port: "many" } });
 * } catch (error) {
 *   if (error instanceof ConfigError) for (const fault of error.faults) console.error(fault);
 * }
 * ```
 */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** The settings of this process. */
export function processConfig(flags: ConfigSources["flags"] = {}): ReadConfig {
  return readConfig({ environment: process.env, flags });
}

/** A variable that is no setting of the server: a client's LEADHAND_TOKEN, a test's database. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** The environment of a process that this one starts: its own, and these. */
export function childEnvironment(more: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  return { ...process.env, ...more };
}

/**
 * Reads the settings of a server, each by its flag or its variable. Throws ConfigError.
 *
 * @example
 * ```ts
 * import { readConfig } from "leadhand/server";
 *
 * const { config, warnings } = readConfig({ environment: process.env, flags: { port: "0", data: "./data" } });
 * for (const warning of warnings) console.warn(warning);
 * console.log(config.port);
 * ```
 */
export function readConfig(sources: ConfigSources): ReadConfig {
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const bad = new Set<SettingName>();
  const faults: string[] = [];
  for (const [name, setting] of settingEntries) {
    const given = givenValue(setting, sources);
    const value = given === null ? undefined : setting.parse(given.text, given.variable);
    if (given !== null && value === undefined) {
      bad.add(name);
      faults.push(badValueText(setting, given));
    }
    values[name] = value === undefined ? defaultValue(setting, values) : value;
    origins[name] = given?.origin ?? defaultOrigin(setting);
  }
  const config = Object.freeze(values) as Config;
  faults.push(...disagreements(config, bad));
  if (faults.length > 0) throw new ConfigError(faults);
  const warnings = [...configWarnings(config), ...unknownVariables(sources.environment)];
  return { config, origins: Object.freeze(origins) as ReadConfig["origins"], warnings };
}

interface Given {
  readonly text: string;
  /** Decides how a duration is meant, for the flag too. */
  readonly variable: string;
  readonly origin: Origin;
}

function givenValue(setting: Setting<unknown>, { flags, environment }: ConfigSources): Given | null {
  const flag = flagOf(setting);
  const flagged = flags[flag];
  if (flagged !== undefined) {
    return { text: String(flagged), variable: setting.variables[0], origin: { kind: "flag", flag: `--${flag}` } };
  }
  // An empty variable is one that is not set, as in compose files.
  const variable = setting.variables.find((name) => (environment[name] ?? "").trim() !== "");
  if (variable === undefined) return null;
  return { text: (environment[variable] as string).trim(), variable, origin: { kind: "environment", variable } };
}

function defaultValue(setting: Setting<unknown>, values: Readonly<Record<string, unknown>>): unknown {
  const value = setting.default;
  return isDerived(value) ? Math.round((values[value.from] as number) * value.times) : value;
}

function defaultOrigin(setting: Setting<unknown>): Origin {
  const value = setting.default;
  return isDerived(value) ? { kind: "derived", from: value.from as SettingName } : { kind: "default" };
}

function badValueText(setting: Setting<unknown>, { text, variable, origin }: Given): string {
  const name = origin.kind === "flag" ? origin.flag : variable;
  // A password with a slip in it is still a password.
  const value = setting.secret ? "the given value (not shown)" : JSON.stringify(text);
  return `${name}: ${value} is not ${setting.allowed(variable)}`;
}

function disagreements(config: Config, bad: ReadonlySet<SettingName>): string[] {
  const readable = (names: readonly SettingName[]): boolean =>
    !names.some((name) => bad.has(name) || derivesFrom(name, bad));
  return [
    ...thresholdRefusals(config)
      .filter(({ settings }) => readable(settings))
      .map(({ fault }) => fault),
    ...configChecks.filter((check) => readable(check.settings)).flatMap((check) => check.fault(config) ?? []),
  ];
}

function derivesFrom(name: SettingName, bad: ReadonlySet<SettingName>): boolean {
  const value: unknown = settings[name].default;
  return isDerived(value) && (bad.has(value.from as SettingName) || derivesFrom(value.from as SettingName, bad));
}

/** For clients and tests, not for the server; no slip of the finger. */
const otherVariables = /^LEADHAND_(URL|TOKEN|TEST_.*)$/;

function unknownVariables(environment: ConfigSources["environment"]): string[] {
  const known = new Set(settingEntries.flatMap(([, setting]) => setting.variables));
  return Object.keys(environment)
    .filter((name) => name.startsWith("LEADHAND_") && !known.has(name) && !otherVariables.test(name))
    .map((name) => `${name} is not a setting; \`leadhand config\` lists them all`);
}
