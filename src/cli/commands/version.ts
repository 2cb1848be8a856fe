import { readVersion } from "../../server/version.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  name: "version",
  summary: "print the version of Leadhand",
  async run() {
    console.log(await readVersion());
    return 0;
  },
};
