import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Examples import the package as its users do.
    alias: {
      "plinth/client": new URL("src/client/index.ts", import.meta.url).pathname,
      "plinth/testing": new URL("src/testing/index.ts", import.meta.url).pathname,
    },
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    pool: "forks",
    // One more than cores: many tests wait for processes of their own.
    maxWorkers: 3,
    isolate: false,
    testTimeout: 60_000,
    setupFiles: ["test/patience.ts"],
    expect: { poll: { timeout: 15_000 } },
    // A machine may stand still for a while; what fails twice has failed. The end of the run names tests that needed it.
    retry: 1,
    hookTimeout: 120_000,
  },
});
