// `npm start [-- FLAGS]`: installs and builds what is missing, then becomes `plinth up`.

import { createRequire } from "node:module";
import { buildIfNeeded, installIfNeeded } from "./project.mjs";

installIfNeeded();
await buildIfNeeded();
// In this very process: signals need no passing on, and Node starts only once.
const { loadBundle } = createRequire(import.meta.url)("../bin/load.cjs");
await loadBundle().start(process.argv.slice(2), process.env);
