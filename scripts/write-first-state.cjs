"use strict";
// Prepares what new stores begin with, in both dialects. Run by the build.

const { writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { firstState } = require("../bin/load.cjs").loadBundle();

async function writeFirstStates() {
  for (const dialect of ["platform", "kubernetes"]) {
    const { server, controllers, nodes } = await firstState(dialect);
    const files = { "first-state": server, "controllers-state": controllers, "nodes-state": nodes };
    for (const [name, file] of Object.entries(files))
      writeFileSync(join(__dirname, `../dist/${name}-${dialect}`), file);
  }
}

writeFirstStates().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
