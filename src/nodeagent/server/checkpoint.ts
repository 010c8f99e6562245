// POST /checkpoint/{namespace}/{pod}/{container}: the runtime writes all of a container's memory into an archive.
// Requirements: document 3, "Node-agent checkpoint endpoint".

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { PodRunner } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { jsonAnswer, RefusedRequest } from "./answers.ts";
import type { Endpoint } from "./routes.ts";

interface CheckpointOptions {
  readonly cri: CriClient;
  readonly runner: Pick<PodRunner, "findContainer">;
  readonly clock: Clock;
  /** Where archives go. */
  readonly folder: string;
  /** What a call to the runtime may take. */
  readonly requestTimeoutMs: number;
}

/** Archives hold secrets: the folder is closed to other users, the runtime makes the files private. */
export const CHECKPOINT_FOLDER_MODE = 0o700;

export function checkpointEndpoint({ cri, runner, clock, folder, requestTimeoutMs }: CheckpointOptions): Endpoint {
  return async ({ query }, { namespace = "", pod = "", container = "" }) => {
    const timeoutSeconds = readTimeout(query.get("timeout"));
    const found = runner.findContainer({ namespace, pod, container });
    if (found.found === "nothing")
      throw new RefusedRequest(404, `pod ${JSON.stringify(`${namespace}/${pod}`)} does not exist`);
    if (found.found === "pod")
      throw new RefusedRequest(
        404,
        `container ${JSON.stringify(container)} of pod ${JSON.stringify(pod)} does not exist`,
      );
    const file = archiveName({ namespace, pod, container, nowMs: clock.nowMs() });
    const location = join(folder, file);
    await mkdir(folder, { recursive: true, mode: CHECKPOINT_FOLDER_MODE });
    try {
      await cri.checkpointContainer(
        { containerId: found.containerId, location, timeout: timeoutSeconds },
        // The runtime gives up first, and says why.
        { timeoutMs: Math.max(requestTimeoutMs, timeoutSeconds * 1_000 + GIVE_UP_AFTER_MS) },
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new RefusedRequest(500, `checkpointing of ${namespace}/${pod}/${container} failed (${why})`);
    }
    return jsonAnswer({ items: [location] });
  };
}

const GIVE_UP_AFTER_MS = 5_000;
const MAX_TIMEOUT_SECONDS = 86_400;

/** Whole seconds; 0 and nothing mean the runtime's own default. */
function readTimeout(text: string | null): number {
  if (text === null || text === "") return 0;
  const seconds = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MAX_TIMEOUT_SECONDS)) throw new RefusedRequest(404, "cannot parse value of timeout parameter");
  return seconds;
}

export function archiveName(of: {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly nowMs: number;
}): string {
  const timestamp = new Date(of.nowMs).toISOString();
  return `checkpoint-${of.pod}_${of.namespace}-${of.container}-${timestamp}.tar`;
}
