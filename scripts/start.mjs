// `npm start`: installs and builds what is missing, then becomes `plinth up`.

import { pathToFileURL } from "node:url";
import { buildIfNeeded, installIfNeeded, root } from "./project.mjs";

installIfNeeded();
await buildIfNeeded();
// In this very process: signals need no passing on, and Node starts only once.
const { main } = await import(pathToFileURL(`${root}/dist/plinth.js`).href);
await main(["up", ...process.argv.slice(2)]);
