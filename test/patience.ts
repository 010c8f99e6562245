// How long tests wait for what others do in their own time: a machine may stand still for seconds, and a test that waits
// for a condition loses nothing by it. Without this Vitest waits one second.

import { vi } from "vitest";

const PATIENCE_MS = 15_000;
const { waitFor } = vi;

// Files share a process: once is enough.
if (waitFor.name !== "waitPatiently") {
  vi.waitFor = function waitPatiently(check, options = PATIENCE_MS) {
    return waitFor(check, options);
  };
}
