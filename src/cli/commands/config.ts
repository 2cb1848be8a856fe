import type { ReadConfig } from "../../server/config.ts";
import { flagOf, type SettingName, settingEntries, settingGroups, settings } from "../../server/settings/settings.ts";
import { originText, shownValue } from "../../server/shown-settings.ts";
import { configuredCommand } from "../configured-command.ts";

const usage = [
  "Usage: leadhand config [--json] [settings]",
  "",
  "Prints every setting, its value and where it came from. Passwords and other secrets are hidden.",
  "Settings are given as environment variables, or as flags named after them: LEADHAND_PORT is --port.",
].join("\n");

export const command = configuredCommand({
  name: "config",
  summary: "print every setting, its value and where it came from",
  usage,
  flags: { json: { type: "boolean" } },
  async run({ read, flags }) {
    console.log(flags["json"] === true ? JSON.stringify(jsonListing(read), null, 2) : textListing(read));
    return 0;
  },
});

function jsonListing({ config, origins }: ReadConfig): unknown {
  return settingEntries.map(([name, setting]) => ({
    name,
    variable: setting.variables[0],
    flag: `--${flagOf(setting)}`,
    value: setting.secret ? shownValue(name, config) : config[name],
    origin: originText(origins[name]),
  }));
}

/** Longer values push their origin to the right. */
const valueWidth = 40;

function textListing({ config, origins }: ReadConfig): string {
  const nameWidth = Math.max(...settingEntries.map(([, { variables }]) => variables[0].length));
  const line = (name: SettingName): string => {
    const variable = settings[name].variables[0].padEnd(nameWidth);
    const value = (shownValue(name, config) ?? "none").padEnd(valueWidth);
    return `  ${variable}  ${value}  ${originText(origins[name])}`;
  };
  const groups = settingGroups.map((group) => {
    const names = Object.keys(group.settings) as SettingName[];
    return [group.title, ...names.map(line)].join("\n");
  });
  return groups.join("\n\n");
}
