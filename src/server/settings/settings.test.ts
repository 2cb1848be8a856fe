import assert from "node:assert/strict";
import { test } from "node:test";
import { flagOf, flagOptions, isDerived, settingEntries, settingGroups, settings, valueText } from "./settings.ts";

test("no variable and no flag stands for two settings, and no setting is missing in the groups", () => {
  const variables = settingEntries.flatMap(([, setting]) => setting.variables);
  assert.deepEqual(variables, [...new Set(variables)]);
  assert.equal(Object.keys(flagOptions()).length, settingEntries.length);
  const grouped = settingGroups.flatMap(({ settings }) => Object.keys(settings));
  assert.deepEqual(grouped, Object.keys(settings));
});

test("our own variables have our prefix; others come after them", () => {
  for (const [, { variables }] of settingEntries) assert.match(variables[0], /^LEADHAND_[A-Z_]+$/);
});

test("a derived default comes after the setting it follows", () => {
  const seen = new Set<string>();
  for (const [name, setting] of settingEntries) {
    if (isDerived(setting.default)) assert.ok(seen.has(setting.default.from), `${name} comes too early`);
    seen.add(name);
  }
});

test("every default, written down, is read as itself", () => {
  for (const [name, setting] of settingEntries) {
    const { default: value, variables } = setting;
    if (isDerived(value)) continue;
    assert.deepEqual(setting.parse(valueText(setting, value), variables[0]), value, name);
  }
});

test("names end in their units", () => {
  for (const [name, { kind }] of settingEntries) {
    if (kind === "duration") assert.match(name, /Ms$/);
    if (kind === "bytes") assert.match(name, /Bytes/);
  }
});

test("a flag is named after its variable", () => {
  assert.equal(flagOf(settings.host), "host");
  assert.equal(flagOf(settings.databaseUrl), "database-url");
  assert.equal(flagOf(settings.allowInsecureBind), "allow-insecure-bind");
});
