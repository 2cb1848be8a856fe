import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Setting } from "./kinds.ts";
import { isDerived, type SettingName, settingGroups, settings, valueText } from "./settings.ts";

const guide = readFileSync(new URL("../../../docs/guides/configure.md", import.meta.url), "utf8").split("\n");

test("the guide has each setting as it is, and no other, group by group", () => {
  const expected = settingGroups.flatMap((group) => [
    `## ${group.title}`,
    ...Object.values(group.settings as Record<string, Setting<unknown>>).map(row),
  ]);
  const titles = new Set(settingGroups.map(({ title }) => `## ${title}`));
  assert.deepEqual(
    guide.filter((line) => titles.has(line) || line.startsWith("| `")),
    expected,
  );
});

function row(setting: Setting<unknown>): string {
  const [first, ...others] = setting.variables;
  const also = others.length === 0 ? "" : ` (also ${others.map((name) => `\`${name}\``).join(", ")})`;
  return `| \`${first}\`${also} | ${defaultText(setting)} | ${setting.help}${setting.secret ? "; secret" : ""} |`;
}

function defaultText(setting: Setting<unknown>): string {
  const value = setting.default;
  if (!isDerived(value)) return value === null ? "none" : `\`${valueText(setting, value)}\``;
  const factor = value.times < 1 ? `1/${Math.round(1 / value.times)}` : `${value.times}`;
  return `${factor} × \`${settings[value.from as SettingName].variables[0]}\``;
}
