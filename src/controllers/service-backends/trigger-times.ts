// When the change happened that leads to the next write of endpoints: whoever measures how long they take reads it there.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";

/** By the key of the Service: what has been seen of it and its pods. */
export class TriggerTimes {
  readonly #seen = new Map<string, { readonly service: string; readonly pods: ReadonlyMap<string, string> }>();

  /** The earliest change since the last call; undefined when nothing with a time has changed. */
  next(key: string, service: Stored<Service>, pods: readonly Stored<Pod>[]): string | undefined {
    const before = this.#seen.get(key);
    const created = service.metadata.creationTimestamp;
    const times = new Map<string, string>();
    let earliest = before !== undefined && created > before.service ? created : undefined;
    for (const { metadata, status } of pods) {
      const time = (status?.conditions ?? []).find(({ type }) => type === "Ready")?.lastTransitionTime;
      if (time === undefined || time === null) continue;
      times.set(metadata.name, time);
      // Times of objects are of one form: the order of their texts is theirs.
      const isNew = time > (before?.pods.get(metadata.name) ?? "");
      if (isNew && (earliest === undefined || time < earliest)) earliest = time;
    }
    this.#seen.set(key, { service: created, pods: times });
    return before === undefined ? created : earliest;
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
