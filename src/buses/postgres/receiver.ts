// The connection that listens.

import type { Client } from "pg";
import { type Bundle, bundleReader } from "./bundle.ts";
import { type SteadyConnection, type SteadyConnectionOptions, steadyConnection } from "./steady-connection.ts";

export interface ReceiverOptions extends Omit<SteadyConnectionOptions, "name" | "prepare"> {
  readonly listenUrl?: string | undefined;
  readonly node: string;
  readonly channel: string;
  receive(node: string, bundle: Bundle): void;
}

/** LISTEN takes no parameter, so the channel is quoted as a name. */
const listenSql = (client: Client, channel: string): string => `listen ${client.escapeIdentifier(channel)}`;

export function receiver(options: ReceiverOptions): SteadyConnection {
  return steadyConnection({
    ...options,
    url: options.listenUrl ?? options.url,
    name: `leadhand listen ${options.node}`,
    async prepare(client) {
      const reader = bundleReader();
      client.on("notification", ({ payload = "" }) => {
        const received = reader.read(payload);
        if (received !== null) options.receive(received.node, received.bundle);
      });
      await client.query(listenSql(client, options.channel));
    },
  });
}
