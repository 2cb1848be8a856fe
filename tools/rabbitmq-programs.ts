// Where RabbitMQ's programs are: installed on this machine, or, as a last resort, from apt.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { asRoot } from "./postgres-binaries.ts";

/** What to do where no RabbitMQ can be found or installed. */
export const howToGetRabbitmq = [
  "No RabbitMQ >= 3.10 was found. Do one of these:",
  "  - install it, for example `apt-get install rabbitmq-server`; it need not run;",
  "  - set LEADHAND_TEST_RABBITMQ_PROGRAMS to the folder with `rabbitmq-server` and `rabbitmqctl`;",
  "  - set LEADHAND_TEST_AMQP_URL to a broker that the tests may use as they like.",
].join("\n");

/** The folder with `rabbitmq-server` and `rabbitmqctl` themselves, not the wrappers that ask for an account. */
export function findRabbitmq(): string | undefined {
  const wanted = process.env["LEADHAND_TEST_RABBITMQ_PROGRAMS"];
  const folders = wanted ? [wanted] : [...debianFolders(), ...homebrewFolders];
  return folders.find((folder) => ["rabbitmq-server", "rabbitmqctl"].every((name) => existsSync(join(folder, name))));
}

/** The package may start a broker for the whole machine. Whoever runs that machine may want it, so it is left alone. */
export function installRabbitmq(): string | undefined {
  if (process.env["LEADHAND_TEST_RABBITMQ_PROGRAMS"] || !existsSync("/usr/bin/apt-get")) return undefined;
  console.error("Installing RabbitMQ with apt-get …");
  asRoot("apt-get", ["update"]);
  asRoot("apt-get", ["install", "-y", "--no-install-recommends", "rabbitmq-server"]);
  return findRabbitmq();
}

const debianHome = "/usr/lib/rabbitmq/lib";
const homebrewFolders = ["/opt/homebrew/opt/rabbitmq/sbin", "/usr/local/opt/rabbitmq/sbin"];

function debianFolders(): string[] {
  if (!existsSync(debianHome)) return [];
  const isNewEnough = (name: string) => {
    const [, major, minor] = /^rabbitmq_server-(\d+)\.(\d+)/.exec(name) ?? [];
    return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 10);
  };
  return readdirSync(debianHome)
    .filter(isNewEnough)
    .map((name) => join(debianHome, name, "sbin"));
}
