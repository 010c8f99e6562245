// A FlowSchema in use: its rules, the level it leads to, and the flows it tells apart.

import type { FlowMetrics, FlowSeries } from "./flow-metrics.ts";
import type { CompiledRule, CompiledSchema } from "./flow-schema-rules.ts";
import type { Flow, PriorityLevel } from "./priority-level.ts";

/** Flows that are remembered; dealing one anew costs a few microseconds. */
const MAX_FLOWS = 4_096;

export class LiveSchema {
  readonly name: string;
  readonly rules: readonly CompiledRule[];
  readonly distinguisher: CompiledSchema["distinguisher"];
  readonly #uid: string;
  readonly #level: PriorityLevel;
  readonly #series: FlowSeries;
  readonly #flows = new Map<string, Flow>();

  constructor(schema: CompiledSchema, level: PriorityLevel, metrics: FlowMetrics) {
    this.name = schema.name;
    this.rules = schema.rules;
    this.distinguisher = schema.distinguisher;
    this.#uid = schema.uid;
    this.#level = level;
    this.#series = metrics.seriesOf(level.name, schema.name);
  }

  flowOf(user: string, namespace: string): Flow {
    const by = this.distinguisher;
    const distinguisher = by === undefined ? "" : by === "ByUser" ? user : namespace;
    const known = this.#flows.get(distinguisher);
    if (known !== undefined) return known;
    const level = this.#level;
    const flow: Flow = {
      level,
      schema: this.name,
      distinguisher,
      hand: level.deal(this.name, distinguisher),
      series: this.#series,
      mark: { schemaUid: this.#uid, levelUid: level.uid },
    };
    if (this.#flows.size >= MAX_FLOWS) this.#flows.clear();
    this.#flows.set(distinguisher, flow);
    return flow;
  }
}
