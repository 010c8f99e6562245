// GET /containerLogs/{namespace}/{pod}/{container}: what a container has written, and writes.

import type { Clock } from "../../base/clock.ts";
import type { BodyWriter, Response } from "../../http/message.ts";
import { statusNamed } from "../../kinds/core/pod/containers.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodRunner } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { followLog } from "../logs/follow-log.ts";
import { openLog } from "../logs/open-log.ts";
import { RefusedRequest } from "./answers.ts";
import { type LogOptions, readLogOptions } from "./log-options.ts";
import type { Endpoint } from "./routes.ts";

interface ContainerLogsOptions {
  readonly cri: CriClient;
  readonly runner: Pick<PodRunner, "findContainer">;
  readonly clock: Clock;
}

export function containerLogsEndpoint({ cri, runner, clock }: ContainerLogsOptions): Endpoint {
  return async (request, { namespace = "", pod = "", container = "" }) => {
    const options = readLogOptions(request.query, clock.nowMs());
    const found = runner.findContainer({ namespace, pod, container, previous: options.previous });
    if (found.found === "nothing") throw new RefusedRequest(404, `pod ${JSON.stringify(pod)} does not exist`);
    if (found.found === "pod") {
      const which = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
      if (!found.declared)
        throw new RefusedRequest(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(pod)}`);
      if (options.previous) throw new RefusedRequest(400, `previous terminated ${which} not found`);
      const reason = waitingReason(found.pod, container);
      throw new RefusedRequest(400, `${which} is waiting to start${reason === "" ? "" : `: ${reason}`}`);
    }
    const { containerId } = found;
    const { status } = await cri.containerStatus({ containerId });
    const path = status?.logPath ?? "";
    if (path === "") throw new RefusedRequest(500, "the container runtime does not tell where the log is");
    const file = await openLog(path).catch((error: Error) => {
      throw new RefusedRequest(400, `the log of the container cannot be read: ${error.message}`);
    });
    await file.close();
    const isRunning = async () => {
      const answer = await cri.containerStatus({ containerId }).catch(() => undefined);
      return answer?.status?.state === "CONTAINER_RUNNING";
    };
    // Meant to last: the caller must only go on reading.
    if (options.follow) request.deadlineMs = Number.POSITIVE_INFINITY;
    const lines = (signal: AbortSignal) =>
      followLog({ path, tailLines: options.tailLines, follow: options.follow, isRunning, clock, signal });
    return {
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: { stream: (writer) => writeLines(lines(writer.signal), writer, options) },
    } satisfies Response;
  };
}

/** Empty when nobody knows. */
function waitingReason({ status }: Pod, container: string): string {
  const reason = statusNamed(status, container)?.state?.waiting?.reason ?? "";
  return PULL_FAILURES.get(reason) ?? reason;
}

const PULL_FAILURES: ReadonlyMap<string, string> = new Map([
  ["ErrImagePull", "image can't be pulled"],
  ["ImagePullBackOff", "trying and failing to pull image"],
]);

async function writeLines(
  lines: ReturnType<typeof followLog>,
  writer: BodyWriter,
  { limitBytes = Number.POSITIVE_INFINITY, sinceMs, stream, timestamps }: LogOptions,
): Promise<void> {
  let leftBytes = limitBytes;
  for await (const { time, timeMs, stream: from, text } of lines) {
    if ((sinceMs !== undefined && timeMs < sinceMs) || (stream !== undefined && from !== stream)) continue;
    const whole = timestamps ? Buffer.concat([Buffer.from(`${time} `), text]) : text;
    // The text may lie in a buffer that is read into again.
    const piece = Buffer.from(whole.subarray(0, leftBytes));
    leftBytes -= piece.length;
    if (!writer.write(piece)) await writer.drained();
    if (leftBytes <= 0) return;
  }
}
