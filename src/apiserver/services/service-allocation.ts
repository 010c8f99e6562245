// Allocation of cluster addresses and node ports around every write of a Service.
// Requirements: document 3, "Service".

import { cloneJson } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { atOnce } from "../../base/steps.ts";
import { HEADLESS, needsClusterIp } from "../../kinds/core/service/needs.ts";
import type { Service } from "../../kinds/core/service/schema.ts";
import type { HookContext } from "../../kinds/define-kind.ts";
import { readIp } from "../../kinds/networking/ip-fields.ts";
import { type FieldError, invalid, untilEnough } from "../../meta/field-error.ts";
import { formatIp } from "../../meta/ip.ts";
import { pathSegmentProblems } from "../../meta/name-formats.ts";
import type { ApiObject } from "../../meta/object.ts";
import { internalError, invalidObject } from "../../meta/status-error.ts";
import type { Revision } from "../../registry/items.ts";
import type { BegunWrite, WriteCollaborator, WriteEnd } from "../../registry/served-resource.ts";
import { AllocationFailed, explained } from "./allocation-failed.ts";
import { keepAllocatedValues } from "./kept-values.ts";
import { allocateHealthCheckPort, allocateNodePorts, requireNodePorts } from "./node-port-allocation.ts";
import { Reservation, type ReservationDeps } from "./reservation.ts";
import type { Maker } from "./reservation-makers.ts";
import { type ClusterFamilies, settleClusterIps, settleFamilies } from "./service-families.ts";
import { ownerOf, type ServiceUsage, usageOf } from "./service-usage.ts";
import type { Random } from "./slot-set.ts";

/** How often and how long a request waits for others before it is refused: half a second at the most. */
const MAX_ATTEMPTS = 10;
const RETRY_MS = 10;

interface AllocationDeps extends ReservationDeps {
  readonly random: Random;
  readonly families: ClusterFamilies;
  readonly log: Log;
  hookContext(): HookContext;
  /** What is stored of a service, linearizable. */
  stored(namespace: string, name: string): Promise<ServiceUsage | undefined>;
  /** What else goes with a service: as long as nobody has written it since that revision. */
  deleteEndpoints(namespace: string, name: string, at: Revision): Promise<void>;
  /** Resolves when the pools show what is taken. */
  ready(): Promise<void>;
  /** In whose name is reserved; absent where no other server or process shares the store. */
  maker?: (() => Promise<Maker>) | undefined;
}

interface Reserved {
  readonly reservation: Reservation;
  abort(how: Exclude<WriteEnd, Revision>): Promise<void>;
}

const NOTHING: BegunWrite = { end: async () => undefined };

export class ServiceAllocation implements WriteCollaborator {
  #deps: AllocationDeps | undefined;

  /** The parts come later than the catalog that this belongs to. */
  connect(deps: AllocationDeps): void {
    this.#deps = deps;
  }

  async begin(
    object: ApiObject,
    oldObject: ApiObject | undefined,
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<BegunWrite> {
    const deps = this.#connected();
    await deps.ready();
    const service = object as unknown as Service;
    const old = oldObject as unknown as Service | undefined;
    if (old !== undefined) keepAllocatedValues(service, old);
    settleClusterIps(service, old);
    const settling = untilEnough(() => settleFamilies(service, old, deps.families, deps.hookContext()));
    refuse(service, atOnce(settling));

    const { log } = deps;
    const owner = ownerOf(service);
    // Nothing is claimed under a name that validation is about to refuse.
    if (owner.name === "" || pathSegmentProblems(owner.name).length > 0) return NOTHING;
    const { reservation, abort } = await this.#reserve(deps, service, old, dryRun);
    if (dryRun) {
      reservation.releaseHolds();
      return NOTHING;
    }
    const before = old === undefined ? undefined : usageOf(old);
    return {
      guard: () => reservation.guard(),
      async end(how) {
        if (typeof how !== "number") return abort(how);
        await reservation
          .commit(before, usageOf(service), how)
          .catch((error: unknown) => log.warn({ err: error, owner }, "could not release what a Service had before"));
      },
    };
  }

  /** Tries again when everything is taken, but some of it only by requests that may still fail. */
  async #reserve(deps: AllocationDeps, service: Service, old: Service | undefined, dryRun: boolean): Promise<Reserved> {
    const owner = ownerOf(service);
    const asked = cloneJson(service.spec);
    for (let attempt = 1; ; attempt += 1) {
      const reservation = new Reservation(deps, owner, dryRun, await deps.maker?.());
      const abort: Reserved["abort"] = (how) =>
        reservation
          .abort(() => deps.stored(owner.namespace, owner.name), how)
          // The repair finds what stays behind.
          .catch((error: unknown) => deps.log.warn({ err: error, owner }, "could not take back what was reserved"));
      try {
        await requireNodePorts(reservation, service);
        await allocateAddresses(reservation, service, old);
        refuse(service, await allocateNodePorts(reservation, service, old));
        await allocateHealthCheckPort(reservation, service, old);
        return { reservation, abort };
      } catch (error) {
        await abort("failed");
        if (!(error instanceof AllocationFailed)) throw error;
        if (!error.contended || attempt === MAX_ATTEMPTS) throw error.status;
        service.spec = cloneJson(asked);
        // Random, so that requests of several servers do not meet again.
        await deps.clock.sleep(deps.random() * RETRY_MS * attempt);
      }
    }
  }

  async released(object: ApiObject, at: Revision): Promise<void> {
    const { addressClaims, portClaims, deleteEndpoints, log } = this.#connected();
    const { owner, addresses, ports } = usageOf(object as unknown as Service);
    try {
      // A Service of the same name may have them by now.
      for (const ip of addresses) await addressClaims.release(ip, owner, { before: at });
      for (const port of ports) await portClaims.release(port, owner, { before: at });
      await deleteEndpoints(owner.namespace, owner.name, at);
    } catch (error) {
      // The service is gone and its deletion must not fail; the repair finds what stays behind.
      log.warn({ err: error, owner }, "could not release what a deleted Service had");
    }
  }

  #connected(): AllocationDeps {
    if (this.#deps === undefined) throw internalError("allocator not ready");
    return this.#deps;
  }
}

/** Gives every family of the service its address. */
async function allocateAddresses(reservation: Reservation, service: Service, old: Service | undefined): Promise<void> {
  const { spec } = service;
  if (!needsClusterIp(spec) || spec.clusterIP === HEADLESS) return;
  const had = old !== undefined && needsClusterIp(old.spec) ? (old.spec.clusterIPs ?? []) : [];
  // Addresses cannot change once they are there, which validation says; only a second family may come.
  if (had.length > 0 && (had[0] === HEADLESS || had.length >= (spec.ipFamilies ?? []).length)) return;
  const clusterIPs = [...(spec.clusterIPs ?? [])];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (had[index] !== undefined) continue;
    const wanted = clusterIPs[index] ?? "";
    if (wanted === "") {
      const ip = await explained(reservation.takeAnyAddress(family === "IPv6" ? 6 : 4), "a serviceIP");
      clusterIPs[index] = formatIp(ip);
      continue;
    }
    const ip = readIp(wanted);
    const refusal = ip === undefined ? "must be a valid IP address" : await reservation.takeAddress(ip);
    if (refusal !== undefined) {
      refuse(service, [invalid("spec.clusterIPs", clusterIPs, `failed to allocate IP ${wanted}: ${refusal}`)]);
    }
  }
  spec.clusterIPs = clusterIPs;
  if (clusterIPs[0] !== undefined) spec.clusterIP = clusterIPs[0];
}

function refuse(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject("", "Service", service.metadata.name ?? "", errors);
}
