// Flow control put together: the step of the pipeline, the live configuration behind it, the objects it is made of.

import type { Background } from "../base/background.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Response } from "../http/message.ts";
import type { Step } from "../http/pipeline.ts";
import type { Names } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { AuthenticatedRequest } from "../registry/request.ts";
import type { WriteDeps } from "../registry/write.ts";
import { answerDump } from "./answer-dumps.ts";
import { FlowControl } from "./flow-control.ts";
import { FlowMetrics } from "./flow-metrics.ts";
import { FlowObjects } from "./flow-objects.ts";
import { limitFlow } from "./limit-flow.ts";
import { limitFlowPlain } from "./limit-flow-plain.ts";

/** A request waits for a seat at the most so long, and never for more than a part of the time it has in all. */
const MAX_WAIT_MS = 60_000;
const WAIT_PART = 4;

type FlowControlOptions = Pick<
  ApiServerOptions,
  "enablePriorityAndFairness" | "maxRequestsInflight" | "maxMutatingRequestsInflight" | "requestTimeoutMs"
>;

interface FlowControlParts {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly background: Background;
  readonly metrics?: Metrics;
}

interface BuiltFlowControl {
  readonly step: Step<AuthenticatedRequest, AuthenticatedRequest>;
  /** The answer to the paths below /debug that belong here. */
  answer(path: string): Promise<Response> | undefined;
  /** Resolves when the default objects are there and in use. */
  start(deps: WriteDeps): Promise<void>;
  close(): void;
}

export function buildFlowControl(options: FlowControlOptions, parts: FlowControlParts): BuiltFlowControl {
  const reads = options.maxRequestsInflight;
  const writes = options.maxMutatingRequestsInflight;
  const group = parts.names.group("flowcontrol.apiserver");
  const schemas = parts.catalog.find(group, "v1", "flowschemas");
  const levels = parts.catalog.find(group, "v1", "prioritylevelconfigurations");
  if (schemas?.store === undefined || levels?.store === undefined) {
    // Nothing can configure it where its objects are not served.
    return { step: limitFlowPlain({ reads, writes }), answer: () => undefined, start: async () => {}, close: () => {} };
  }
  const control = options.enablePriorityAndFairness
    ? new FlowControl({
        totalSeats: reads + writes,
        maxWaitMs: Math.min(options.requestTimeoutMs / WAIT_PART, MAX_WAIT_MS),
        clock: parts.background.clock,
        metrics: new FlowMetrics(parts.metrics),
      })
    : undefined;
  const objects = new FlowObjects({ schemas, levels, log: parts.log, background: parts.background, control });
  return {
    step: control === undefined ? limitFlowPlain({ reads, writes }) : limitFlow(control),
    answer(path) {
      const answer = control && answerDump(path, () => control.levels());
      return answer && Promise.resolve(answer);
    },
    start: (deps) => objects.start(deps),
    close: () => objects.close(),
  };
}
