// Flow control as it stands: the objects that configure it, taken from the store as they change, and the levels, seats and
// schemas that follow from them. Objects that must be there are imagined while they are not.

import type { Clock } from "../base/clock.ts";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import { CATCH_ALL, CATCH_ALL_LEVEL, EXEMPT, MANDATORY_SCHEMAS } from "../kinds/flowcontrol/mandatory.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/priority-level-configuration.ts";
import type { PriorityLevelConfigurationSpec } from "../kinds/flowcontrol/priority-level-spec.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Target } from "../registry/request.ts";
import { Classifier } from "./classifier.ts";
import type { FlowMetrics } from "./flow-metrics.ts";
import { type CompiledSchema, compareSchemas, compileFlowSchema } from "./flow-schema-rules.ts";
import { LiveSchema } from "./live-schema.ts";
import { type Flow, PriorityLevel } from "./priority-level.ts";
import { seatLimits } from "./seat-limits.ts";
import { SeatPool } from "./seat-pool.ts";

interface FlowControlDeps {
  /** All seats of the server. */
  readonly totalSeats: number;
  /** How long a request may wait for one. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly metrics: FlowMetrics;
}

/** A PriorityLevelConfiguration, as far as it matters here. */
interface LevelObject {
  readonly name: string;
  readonly uid: string;
  readonly spec: PriorityLevelConfigurationSpec;
}

export class FlowControl {
  readonly pool = new SeatPool();
  readonly #deps: FlowControlDeps;
  readonly #schemaObjects = new Map<string, CompiledSchema>();
  readonly #levelObjects = new Map<string, LevelObject>();
  readonly #levels = new Map<string, PriorityLevel>();
  #classifier: Classifier | undefined;

  constructor(deps: FlowControlDeps) {
    this.#deps = deps;
    deps.metrics.observe(() => ({ levels: this.levels(), pool: this.pool }));
  }

  /** By name, with those that exist only here. */
  levels(): PriorityLevel[] {
    this.#current();
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasLevelObject(name: string): boolean {
    return this.#levelObjects.has(name);
  }

  setSchema(name: string, schema: CompiledSchema | undefined): void {
    if (schema === undefined) this.#schemaObjects.delete(name);
    else this.#schemaObjects.set(name, schema);
    this.#changed();
  }

  setLevel(name: string, level: LevelObject | undefined): void {
    if (level === undefined) this.#levelObjects.delete(name);
    else this.#levelObjects.set(name, level);
    this.#changed();
  }

  classify(user: UserInfo, target: Target): Flow {
    return (this.#classifier ?? this.#current()).classify(user, target);
  }

  /** Takes the newest configuration into use; the first request after a change does it too. */
  refresh(): void {
    this.#current();
  }

  #changed(): void {
    this.#classifier = undefined;
  }

  #current(): Classifier {
    this.#classifier ??= this.#arrange();
    return this.#classifier;
  }

  #arrange(): Classifier {
    const objects = [
      ...this.#levelObjects.values(),
      ...IMAGINED_LEVELS.filter(({ name }) => !this.hasLevelObject(name)),
    ];
    const wanted = new Set(objects.map(({ name }) => name));
    for (const [name, level] of this.#levels) {
      // A level that nobody wants any more keeps its seats until it has served those who are in it.
      level.leaving = !wanted.has(name);
      if (level.leaving && level.idle) this.#levels.delete(name);
    }
    for (const { name, uid, spec } of objects) this.#levelNamed(name, spec).configure(uid, spec);
    const levels = [...this.#levels.values()];
    const limits = seatLimits(
      this.#deps.totalSeats,
      levels.map(({ spec }) => spec),
    );
    levels.forEach((level, index) => {
      level.limits = limits[index]!;
    });
    this.pool.arrange(levels);
    return this.#classifierOf();
  }

  #levelNamed(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevel {
    let level = this.#levels.get(name);
    if (level === undefined) {
      level = new PriorityLevel(name, spec.type === "Exempt", {
        pool: this.pool,
        maxWaitMs: this.#deps.maxWaitMs,
        clock: this.#deps.clock,
        onGone: () => this.#changed(),
      });
      this.#levels.set(name, level);
    }
    return level;
  }

  #classifierOf(): Classifier {
    const usable = [...this.#schemaObjects.values()].filter(({ level }) => this.hasLevelObject(level));
    const imagined = IMAGINED_SCHEMAS.filter(({ name }) => usable.every((schema) => schema.name !== name));
    const live = [...usable, ...imagined]
      .sort(compareSchemas)
      .map((schema) => new LiveSchema(schema, this.#levels.get(schema.level)!, this.#deps.metrics));
    return new Classifier(live, live.find(({ name }) => name === CATCH_ALL)!);
  }
}

/** What is kept of an object; undefined where its parts do not fit together. */
export function levelObjectOf({ metadata, spec }: PriorityLevelConfiguration): LevelObject | undefined {
  const name = metadata.name ?? "";
  const isExempt = spec.type === "Exempt";
  if (isExempt !== (name === EXEMPT) || (isExempt ? !spec.exempt : !spec.limited)) return undefined;
  return { name, uid: metadata.uid ?? "", spec };
}

const IMAGINED_LEVELS: readonly LevelObject[] = [
  { name: EXEMPT, uid: "", spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  { name: CATCH_ALL, uid: "", spec: CATCH_ALL_LEVEL },
];

const IMAGINED_SCHEMAS: readonly CompiledSchema[] = [...MANDATORY_SCHEMAS].map(([name, spec]) =>
  compileFlowSchema({ metadata: { name }, spec, status: {} } as FlowSchema),
);
