// All Services as rules of both families: plans in, transactions out. Pure but for what it remembers.

import type { Family, Target } from "../rules/backends.ts";
import { keepOrder } from "../rules/keep-order.ts";
import type { PortPlan, ServicePlan } from "../rules/service-plan.ts";
import { renderPort, type Slots } from "./render-port.ts";
import { RuleBook } from "./rule-book.ts";
import { emptiedTable, probeText, type TableSettings, tableText, withoutTable } from "./table-text.ts";

export class ServiceRules {
  #settings: readonly TableSettings[];
  readonly #books: ReadonlyMap<Family, RuleBook>;
  /** By Service, then by family and id of the port. */
  readonly #slots = new Map<string, ReadonlyMap<string, Slots>>();

  /** One settings for each family that is served. */
  constructor(settings: readonly TableSettings[]) {
    this.#settings = settings;
    this.#books = new Map(settings.map(({ family }) => [family, new RuleBook(family)]));
  }

  /** Every Service has to be put again afterwards, and the tables made anew. */
  setSettings(settings: readonly TableSettings[]): void {
    this.#settings = settings;
  }

  /** A Service that is gone has a plan without ports. */
  put(key: string, { ports, since }: ServicePlan): void {
    const before = this.#slots.get(key);
    const after = new Map<string, Slots>();
    for (const settings of this.#settings) {
      const renderings = ports
        .filter(({ family }) => family === settings.family)
        .map((port) => {
          const id = `${port.family} ${port.id}`;
          const slots = slotsOf(port, before?.get(id));
          after.set(id, slots);
          return renderPort(port, slots, settings);
        });
      this.#books.get(settings.family)?.put(key, since, renderings);
    }
    if (after.size === 0) this.#slots.delete(key);
    else this.#slots.set(key, after);
  }

  /** Makes the tables anew, whatever was there. */
  recreation(): string {
    return this.#all(({ family }) => withoutTable(family));
  }

  /** Says everything again in tables that are there; who has a session keeps its backend. */
  refreshment(): string {
    return this.#all(emptiedTable);
  }

  /** Changes nothing, and fails when a table is gone. */
  probe(): string {
    return this.#settings.map(({ family }) => probeText(family)).join("");
  }

  /** What has changed since the last transaction; empty when nothing has. */
  changes(): string {
    return this.#settings.map(({ family }) => this.#books.get(family)!.changes()).join("");
  }

  #all(first: (settings: TableSettings) => string): string {
    return this.#settings
      .map((settings) => first(settings) + tableText(settings) + this.#books.get(settings.family)!.all())
      .join("");
  }
}

function slotsOf({ cluster, local }: PortPlan, before: Slots | undefined): Slots {
  return {
    cluster: keepOrder(before?.cluster ?? [], cluster.map(slotText)),
    local: keepOrder(before?.local ?? [], local.map(slotText)),
  };
}

const slotText = ({ ip, port }: Target): string => `${ip} . ${port}`;
