// Started beside a private PostgreSQL. Its standard input is a pipe from the owner: when that ends, so has the owner.

import { type PostgresHome, removePostgres } from "./postgres.ts";

const home = JSON.parse(process.argv[2] ?? "") as PostgresHome;

process.stdin.resume();
process.stdin.once("close", () => removePostgres(home));
