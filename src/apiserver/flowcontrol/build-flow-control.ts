// Flow control put together: the step of the pipeline, the live configuration behind it, the objects it is made of.

import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Response } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import type { FlowSchema } from "../../kinds/flowcontrol/flow-schema-schema.ts";
import type { PriorityLevelConfiguration } from "../../kinds/flowcontrol/priority-level-configuration-schema.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { Catalog } from "../registry/catalog.ts";
import { ObjectMirror } from "../registry/object-mirror.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { WriteDeps } from "../registry/write.ts";
import type { AuthenticatedRequest } from "../request.ts";
import { limitFlow } from "../steps/limit-flow.ts";
import { limitFlowPlain } from "../steps/limit-flow-plain.ts";
import { answerDump } from "./answer-dumps.ts";
import { DanglingConditions } from "./dangling-conditions.ts";
import { defaultFlowObjects } from "./default-objects.ts";
import { ensureFlowObjects } from "./ensure-defaults.ts";
import { FlowControl, levelObjectOf } from "./flow-control.ts";
import { FlowMetrics } from "./flow-metrics.ts";
import { compileFlowSchema } from "./flow-schema-rules.ts";

/** How often the default objects are looked at, as upstream. */
const ENSURE_MS = 60_000;
/** A request waits for a seat at the most so long, and never for more than a part of the time it has in all. */
const MAX_WAIT_MS = 60_000;
const WAIT_PART = 4;

export type FlowControlOptions = Pick<
  ApiServerOptions,
  "enablePriorityAndFairness" | "maxRequestsInflight" | "maxMutatingRequestsInflight" | "requestTimeoutMs"
>;

export interface FlowControlParts {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly metrics?: Metrics;
}

export interface BuiltFlowControl {
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
  if (!options.enablePriorityAndFairness || schemas?.store === undefined || levels?.store === undefined) {
    // Nothing can configure it where its objects are not served.
    const nothing = () => undefined;
    return { step: limitFlowPlain({ reads, writes }), answer: nothing, start: async () => nothing(), close: nothing };
  }
  const control = new FlowControl({
    totalSeats: reads + writes,
    maxWaitMs: Math.min(options.requestTimeoutMs / WAIT_PART, MAX_WAIT_MS),
    metrics: new FlowMetrics(parts.metrics),
  });
  const objects = new FlowObjects(control, schemas, levels, parts);
  return {
    step: limitFlow(control),
    answer(path) {
      const answer = answerDump(path, () => control.levels());
      return answer && Promise.resolve(answer);
    },
    start: (deps) => objects.start(deps),
    close: () => objects.close(),
  };
}

/** The objects in the store: brought into use as they change, and kept as they should be. */
class FlowObjects {
  readonly #control: FlowControl;
  readonly #parts: FlowControlParts;
  readonly #schemas: FollowedResource;
  readonly #levels: FollowedResource;
  #conditions: DanglingConditions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #refreshing = false;

  constructor(control: FlowControl, schemas: ServedResource, levels: ServedResource, parts: FlowControlParts) {
    this.#control = control;
    this.#parts = parts;
    const { log } = parts;
    this.#schemas = new FollowedResource(schemas, log, (name, now, before) => {
      // A new status changes nothing here; it may be wrong, though.
      if (!sameSpec(now, before)) control.setSchema(name, now && compileFlowSchema(now as unknown as FlowSchema));
      this.#changed();
    });
    this.#levels = new FollowedResource(levels, log, (name, now, before) => {
      if (sameSpec(now, before)) return;
      control.setLevel(name, now && levelObjectOf(now as unknown as PriorityLevelConfiguration));
      this.#changed();
    });
  }

  async start(deps: WriteDeps): Promise<void> {
    await Promise.all([this.#schemas.mirror.ready(), this.#levels.mirror.ready()]);
    await this.#ensure(deps);
    this.#conditions = new DanglingConditions({
      write: deps,
      resource: this.#schemas.resource,
      schemas: () => this.#schemas.mirror.values() as Iterable<unknown> as Iterable<FlowSchema>,
      levelExists: (name) => this.#control.hasLevelObject(name),
      log: this.#parts.log,
    });
    // Nobody waits for what they say: requests are served meanwhile.
    void this.#conditions.settle();
    this.#timer = setInterval(() => this.#ensureAgain(deps), ENSURE_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#conditions?.close();
    this.#schemas.mirror.close();
    this.#levels.mirror.close();
  }

  async #ensure(deps: WriteDeps): Promise<void> {
    const defaults = defaultFlowObjects(this.#parts.names);
    await Promise.all([
      ensureFlowObjects(deps, this.#levels.resource, defaults.prioritylevelconfigurations, this.#levels.byName()),
      ensureFlowObjects(deps, this.#schemas.resource, defaults.flowschemas, this.#schemas.byName()),
    ]);
  }

  #ensureAgain(deps: WriteDeps): void {
    this.#ensure(deps).catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, "the default objects of flow control could not be kept; trying again"),
    );
  }

  #changed(): void {
    void this.#conditions?.settle();
    if (this.#refreshing) return;
    this.#refreshing = true;
    // Who waits may have a seat now, also when no request comes that would notice.
    setImmediate(() => {
      this.#refreshing = false;
      this.#control.refresh();
    });
  }
}

class FollowedResource {
  readonly resource: ServedResource;
  readonly mirror: ObjectMirror<ApiObject>;

  constructor(
    resource: ServedResource,
    log: Log,
    onChange: (name: string, now: ApiObject | undefined, before: ApiObject | undefined) => void,
  ) {
    this.resource = resource;
    this.mirror = new ObjectMirror(resource.store!, {
      onChange: (_key, now, before) => onChange((now ?? before)?.metadata.name ?? "", now, before),
      log: (message, error) => log.warn({ err: error }, message),
    });
  }

  byName(): Map<string, ApiObject> {
    return new Map([...this.mirror.values()].map((object) => [object.metadata.name ?? "", object]));
  }
}

/** The generation counts changes of the spec. */
function sameSpec(now: ApiObject | undefined, before: ApiObject | undefined): boolean {
  if (now === undefined || before === undefined) return false;
  return now.metadata.uid === before.metadata.uid && now.metadata.generation === before.metadata.generation;
}
