// The command line as the package has it: compiled. A clone's own `bin/` runs the sources, which takes more memory.

import { endWithLauncher } from "../../bin/run-node.js";
import { main } from "../../dist/cli/main.js";

endWithLauncher();
process.exitCode = await main(process.argv.slice(2));
