// Where tests of the store keep their files: in memory where the system has a place for that, because thousands of
// synced commits on a disk take minutes and show nothing more. What must be shown on a disk is in test/robustness.

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

const SHARED_MEMORY = "/dev/shm";

export const memoryBackedTmpdir = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
