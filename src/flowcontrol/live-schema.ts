// A FlowSchema in use: its rules, the level it leads to, and the flows it tells apart.

import { BoundedCache } from "../base/bounded-cache.ts";
import { roughBytes } from "../base/rough-bytes.ts";
import type { FlowMetrics, FlowSeries } from "./flow-metrics.ts";
import type { CompiledRule, CompiledSchema } from "./flow-schema-rules.ts";
import type { Flow, PriorityLevel } from "./priority-level.ts";

/** Flows that are remembered; dealing one anew costs a few microseconds. */
const MAX_FLOWS = 4_096;
const MAX_FLOWS_BYTES = 8 * 1024 * 1024;
/** One, without its texts and its hand. */
const FLOW_BYTES = 200;
/** Of a line in a hand: the lines themselves, and who waits in them, belong to the level. */
const LINE_BYTES = 8;

export class LiveSchema {
  readonly name: string;
  readonly rules: readonly CompiledRule[];
  readonly distinguisher: CompiledSchema["distinguisher"];
  readonly #uid: string;
  readonly #level: PriorityLevel;
  readonly #series: FlowSeries;
  /** By what tells them apart: users or namespaces. */
  readonly #flows = new BoundedCache<string, Flow>({
    maxEntries: MAX_FLOWS,
    maxBytes: MAX_FLOWS_BYTES,
    sizeBytes: (distinguisher, { hand }) => FLOW_BYTES + roughBytes(distinguisher) + LINE_BYTES * hand.length,
  });

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
    return this.#flows.getOrMake(distinguisher, () => this.#newFlow(distinguisher));
  }

  #newFlow(distinguisher: string): Flow {
    const level = this.#level;
    return {
      level,
      schema: this.name,
      distinguisher,
      hand: level.deal(this.name, distinguisher),
      series: this.#series,
      mark: { schemaUid: this.#uid, levelUid: level.uid },
    };
  }
}
