// Where tasks of push jobs may be sent, and where their targets call back.

import { boolean, duration, integer, list, url } from "./kinds.ts";

export const pushSettings = {
  publicUrl: url({
    env: "LEADHAND_PUBLIC_URL",
    default: null,
    protocols: ["https:", "http:"],
    help: "where the world finds this server, for callbacks of push jobs; without it the address it listens on",
  }),
  pushAllowPrivate: boolean({
    env: "LEADHAND_PUSH_ALLOW_PRIVATE",
    default: false,
    help: "push jobs may lead to loopback and private addresses, and to http URLs",
  }),
  pushAllowHttp: boolean({
    env: "LEADHAND_PUSH_ALLOW_HTTP",
    default: false,
    help: "push jobs may have http URLs",
  }),
  pushAllowHosts: list({
    env: "LEADHAND_PUSH_ALLOW_HOSTS",
    default: null,
    help: "names or addresses that push jobs may lead to whatever they resolve to",
  }),
  pushLeaseMs: duration({
    env: "LEADHAND_PUSH_LEASE",
    default: 15_000,
    min: 1_000,
    help: "how soon after a server died the requests it had under way are sent again by another",
  }),
  pushConcurrency: integer({
    env: "LEADHAND_PUSH_CONCURRENCY",
    default: 100,
    min: 1,
    max: 10_000,
    help: "how many requests of push jobs a server has under way at once",
  }),
};
