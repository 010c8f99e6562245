// What can be done for a pod that no node would take: pods that leave for it, devices that are freed.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { Informer } from "../client/informer.ts";
import type { PodDisruptionBudget } from "../kinds/policy/pod-disruption-budget.ts";
import { freeClaim } from "./bind-claims.ts";
import { deleteExtendedClaim } from "./bind-extended-claim.ts";
import type { Refusals } from "./choose-node.ts";
import type { DeviceCache } from "./device-cache.ts";
import { classesOfResources } from "./devices/extended-resources.ts";
import type { Extenders } from "./extenders/extenders.ts";
import { claimToFree } from "./filters/dynamic-resources.ts";
import type { Surroundings } from "./filters/filter.ts";
import { bestOf, disruptionBudget, findCandidates, findVictims, type Preemption } from "./preemption.ts";
import type { Profile } from "./profiles/profile.ts";
import type { PodInfo } from "./state/pod-info.ts";

interface RoomFinderParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly surroundings: Surroundings;
  readonly devices: DeviceCache;
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly extenders: Extenders;
  profileOf(info: PodInfo): Pick<Profile, "preemption" | "allocatesDevices">;
  /** Told of what is written meanwhile. */
  readonly onWrite: (write: Promise<void>) => void;
}

type None = Extract<Preemption, { type: "none" }>;

export class RoomFinder {
  readonly #parts: RoomFinderParts;

  constructor(parts: RoomFinderParts) {
    this.#parts = parts;
  }

  find(info: PodInfo, refusals: Refusals): Preemption {
    const options = this.#optionsFor(info, refusals);
    return "type" in options ? options : findVictims(info, refusals, options);
  }

  /** Extenders say which of the nodes remain, and who leaves there. */
  async findWithExtenders(info: PodInfo, refusals: Refusals): Promise<Preemption> {
    const options = this.#optionsFor(info, refusals);
    if ("type" in options) return options;
    const found = findCandidates(info, refusals, options);
    if (found.type === "none") return found;
    const victims = bestOf(await this.#parts.extenders.preempt(info, found.candidates), options.nowMs);
    if (victims !== undefined) return { type: "victims", victims };
    return { type: "none", why: "preemption: no candidate node for preemption", keepsNomination: false };
  }

  #optionsFor(info: PodInfo, refusals: Refusals): Parameters<typeof findVictims>[2] | None {
    const { clock, random, surroundings, budgets } = this.#parts;
    const { preemption: enough, allocatesDevices } = this.#parts.profileOf(info);
    const ofDevices = allocatesDevices ? this.#freeDevices(info, refusals) : "";
    // Nobody leaves for pods of this profile.
    if (enough === undefined) return { type: "none", why: ofDevices, keepsNomination: false };
    return {
      surroundings,
      budgets: () => budgets.cache.list().map(disruptionBudget),
      nowMs: clock.nowMs(),
      enough,
      ofDevices,
      random,
    };
  }

  /** Says what came of it, in upstream's words. */
  #freeDevices(info: PodInfo, { all, byNode }: Refusals): string {
    const { client, devices, onWrite } = this.#parts;
    const isExtended = classesOfResources(info, devices).size > 0;
    if ((info.deviceClaims.length === 0 && !isExtended) || all !== undefined) return "no new claims to deallocate";
    const claim = claimToFree(info, byNode, devices);
    const stale = isExtended ? devices.extendedClaimOf(info.uid) : undefined;
    if (claim === undefined && stale !== undefined) {
      onWrite(deleteExtendedClaim(stale, { client, devices }));
      return "deletion of ResourceClaim completed";
    }
    if (claim === undefined) return "still not schedulable";
    onWrite(freeClaim(claim, { client, devices }));
    return "deallocation of ResourceClaim completed";
  }
}
