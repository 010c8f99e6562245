// What Services are told about their slices, once for each change: why pods are left out, whether hints are given.

import type { EventRecorder } from "../../client/event-recorder.ts";
import type { Stored } from "../../client/informer.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { PlannedSlices } from "./plan-slices.ts";

type Reported = Pick<PlannedSlices, "hints"> & { readonly problem: string | undefined };

export class SliceReports {
  readonly #events: EventRecorder;
  readonly #told = new Map<string, Reported>();

  constructor(events: EventRecorder) {
    this.#events = events;
  }

  /** The keys of Services whose hints follow the shares of zones. */
  *topologyAware(): Iterable<string> {
    for (const [key, { hints }] of this.#told) if (hints.size > 0) yield key;
  }

  tell(key: string, service: Stored<Service>, { problems, hints }: PlannedSlices): void {
    const before = this.#told.get(key);
    const [problem] = problems;
    if (problem !== undefined && problem !== before?.problem) this.failed(key, service, problem);
    for (const [family, why] of hints) {
      if (before?.hints.has(family) === true && before.hints.get(family) === why) continue;
      const text = `${why ?? "Topology Aware Hints has been enabled"}, addressType: ${family}`;
      if (why === undefined) this.#events.normal(service, "TopologyAwareHintsEnabled", text);
      else this.#events.warning(service, "TopologyAwareHintsDisabled", text);
    }
    for (const [family, why] of before?.hints ?? []) {
      if (hints.has(family) || why !== undefined) continue;
      const text = `Topology Aware Hints has been disabled, addressType: ${family}`;
      this.#events.warning(service, "TopologyAwareHintsDisabled", text);
    }
    if (problem === undefined && hints.size === 0) this.#told.delete(key);
    else this.#told.set(key, { problem, hints });
  }

  failed(key: string, service: Stored<Service>, why: string): void {
    const text = `Error updating Endpoint Slices for Service ${key}: ${why}`;
    this.#events.warning(service, "FailedToUpdateEndpointSlices", text);
  }

  forget(key: string): void {
    this.#told.delete(key);
  }
}
