// The command line as the package has it: compiled. A clone's own `bin/` runs the sources, which takes more memory.

import { endWithLauncher } from "../../bin/run-node.js";

endWithLauncher();
const { main } = await import(new URL("../../dist/cli/main.js", import.meta.url).href);
process.exitCode = await main(process.argv.slice(2));
