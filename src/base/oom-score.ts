// How soon the kernel ends this process when memory runs out.

import { writeFile } from "node:fs/promises";

/** From -1000 (never) to 1000 (first). Fails with what the system says: only root may lower it. */
export async function setOomScore(pid: number, score: number): Promise<void> {
  await writeFile(`/proc/${pid}/oom_score_adj`, String(score));
}
