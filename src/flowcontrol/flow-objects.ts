// The FlowSchemas and PriorityLevelConfigurations in the store: brought into use as they change, and kept as they should be.

import type { Background } from "../base/background.ts";
import type { BackgroundLoop } from "../base/background-loop.ts";
import type { Log } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/priority-level-configuration.ts";
import type { ApiObject } from "../meta/object.ts";
import { ObjectMirror } from "../registry/object-mirror.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { WriteDeps } from "../registry/write.ts";
import { DanglingConditions } from "./dangling-conditions.ts";
import { defaultFlowObjects } from "./default-objects.ts";
import { ensureFlowObjects } from "./ensure-defaults.ts";
import { type FlowControl, levelObjectOf } from "./flow-control.ts";
import { compileFlowSchema } from "./flow-schema-rules.ts";

/** How often the default objects are looked at, as upstream. */
const ENSURE_MS = 60_000;

interface FlowObjectsDeps {
  readonly schemas: ServedResource;
  readonly levels: ServedResource;
  readonly log: Log;
  readonly background: Background;
  /** Undefined: the objects are kept, but nothing follows from them. */
  readonly control: FlowControl | undefined;
}

export class FlowObjects {
  readonly #control: FlowControl | undefined;
  readonly #background: Background;
  readonly #schemas: FollowedResource;
  readonly #levels: FollowedResource;
  #conditions: DanglingConditions | undefined;
  #ensuring: BackgroundLoop | undefined;
  #refreshing = false;

  constructor({ schemas, levels, log, background, control }: FlowObjectsDeps) {
    this.#control = control;
    this.#background = background;
    this.#schemas = new FollowedResource(schemas, log, (name, now, before) => {
      // A new status changes nothing here; it may be wrong, though.
      if (!sameSpec(now, before)) control?.setSchema(name, now && compileFlowSchema(now as unknown as FlowSchema));
      this.#changed();
    });
    this.#levels = new FollowedResource(levels, log, (name, now, before) => {
      if (sameSpec(now, before)) return;
      control?.setLevel(name, now && levelObjectOf(now as unknown as PriorityLevelConfiguration));
      this.#changed();
    });
  }

  async start(deps: WriteDeps): Promise<void> {
    await Promise.all([this.#schemas.mirror.ready(), this.#levels.mirror.ready()]);
    await this.#ensure(deps);
    this.#ensuring = this.#background.loop({
      name: "flow-defaults",
      oncePerStore: true,
      failure: "the default objects of flow control could not be kept; trying again",
      everyMs: ENSURE_MS,
      reconcile: async () => {
        await this.#ensure(deps);
        return "done";
      },
    });
    this.#ensuring.enqueue("", ENSURE_MS);
    const control = this.#control;
    if (control === undefined) return;
    this.#conditions = new DanglingConditions({
      write: deps,
      resource: this.#schemas.resource,
      schemas: () => this.#schemas.mirror.values() as Iterable<unknown> as Iterable<FlowSchema>,
      levelExists: (name) => control.hasLevelObject(name),
      background: this.#background,
    });
    // Nobody waits for what they say: requests are served meanwhile.
    this.#conditions.enqueue();
  }

  close(): void {
    this.#ensuring?.close();
    this.#conditions?.close();
    this.#schemas.mirror.close();
    this.#levels.mirror.close();
  }

  async #ensure(deps: WriteDeps): Promise<void> {
    const defaults = defaultFlowObjects(deps.names);
    await Promise.all([
      ensureFlowObjects(deps, this.#levels.resource, defaults.prioritylevelconfigurations, this.#levels.byName()),
      ensureFlowObjects(deps, this.#schemas.resource, defaults.flowschemas, this.#schemas.byName()),
    ]);
  }

  #changed(): void {
    this.#conditions?.enqueue();
    if (this.#refreshing) return;
    this.#refreshing = true;
    // Who waits may have a seat now, also when no request comes that would notice.
    void nextTurn().then(() => {
      this.#refreshing = false;
      this.#control?.refresh();
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
