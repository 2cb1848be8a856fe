import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { ConfigError } from "./config.ts";
import { type Config, type SettingName, settings } from "./settings/settings.ts";

export interface TlsIdentity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The certificate and the key that the settings name; null without them. */
export async function readTls(config: Pick<Config, "tlsCert" | "tlsKey">): Promise<TlsIdentity | null> {
  if (config.tlsCert === null || config.tlsKey === null) return null;
  const identity = {
    cert: await readSetting("tlsCert", config.tlsCert),
    key: await readSetting("tlsKey", config.tlsKey),
  };
  try {
    createSecureContext(identity);
  } catch (cause) {
    throw new ConfigError([`${variable("tlsCert")} and ${variable("tlsKey")} are no pair in PEM: ${wordsOf(cause)}`]);
  }
  return identity;
}

async function readSetting(name: SettingName, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new ConfigError([`${variable(name)}: "${path}" cannot be read: ${wordsOf(cause)}`]);
  }
}

function variable(name: SettingName): string {
  return settings[name].variables[0];
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
