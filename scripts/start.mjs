// `npm start [-- FLAGS]`: installs and builds what is missing, then becomes `plinth up`.

import { createRequire } from "node:module";
import { join } from "node:path";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

installIfNeeded();
await buildIfNeeded();
// In this very process: signals need no passing on, and Node starts only once. Workers are started as this program is, which is
// the launcher from here on.
process.argv[1] = join(root, "bin/plinth");
const { loadBundle } = createRequire(import.meta.url)("../bin/load.cjs");
await loadBundle().start(process.argv.slice(2), process.env);
