"use strict";
// Prepares what new stores begin with, in both dialects. Run by the build.

const { writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { firstState } = require("../bin/load.cjs").loadBundle();

async function writeFirstStates() {
  for (const dialect of ["platform", "kubernetes"]) {
    const { server, controllers } = await firstState(dialect);
    writeFileSync(join(__dirname, `../dist/first-state-${dialect}.json`), server);
    writeFileSync(join(__dirname, `../dist/controllers-state-${dialect}.json`), controllers);
  }
}

writeFirstStates().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
