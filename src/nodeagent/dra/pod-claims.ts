// The devices of resource claims on this node: prepared by their drivers before a container starts, and given back when no
// pod of the node uses the claim any more. What is prepared stands in a file, so that an agent that starts again gives it
// back too.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Client } from "../../client/client.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";
import { claimStateText, type PreparedClaim, type PreparedDevice, parseClaimState } from "./claim-checkpoint.ts";
import { draProcedures } from "./dra-messages.ts";
import { DraMetrics } from "./dra-metrics.ts";

interface PodClaimsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly file: string;
  readonly metrics: Metrics;
}

interface Driver {
  readonly channel: GrpcChannel;
  readonly procedures: ReturnType<typeof draProcedures>;
}

/** Drivers may have to make a device first. */
const TIMEOUT_MS = 45_000;

export class PodClaims {
  readonly #options: PodClaimsOptions;
  readonly #drivers = new Map<string, Driver>();
  /** By the uid of the claim. */
  readonly #prepared = new Map<string, PreparedClaim>();
  /** Those whose drivers have all answered this agent. */
  readonly #ready = new Set<string>();
  /** One after the other: two pods may share a claim. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #metrics: DraMetrics;

  constructor(options: PodClaimsOptions) {
    this.#options = options;
    this.#metrics = new DraMetrics(options.metrics, options.clock, () =>
      [...this.#prepared.values()].map(({ drivers }) => [...drivers.keys()]),
    );
  }

  /** Reads what an earlier agent has prepared; a file that was cut short says nothing. */
  async start(): Promise<void> {
    const known = parseClaimState((await readStateFile(this.#options.file)) ?? "");
    for (const claim of known) this.#prepared.set(claim.uid, claim);
  }

  close(): void {
    for (const { channel } of this.#drivers.values()) channel.close();
  }

  /** Fails with the reason why the driver is not taken. */
  async register(found: {
    readonly name: string;
    readonly supportedVersions: readonly string[];
    readonly socketPath: string;
  }): Promise<void> {
    const { name, supportedVersions, socketPath } = found;
    const { client, clock, log } = this.#options;
    const version = VERSIONS.find((each) => supportedVersions.includes(`${each}.DRAPlugin`));
    if (version === undefined)
      throw new Error(`none of the versions [${supportedVersions.join(" ")}] is supported: ${VERSIONS.join(", ")} are`);
    this.#drivers.get(name)?.channel.close();
    const procedures = draProcedures(`${client.names.draServicePrefix}${version}.DRAPlugin`);
    this.#drivers.set(name, { channel: new GrpcChannel({ socketPath, timeoutMs: TIMEOUT_MS, clock }), procedures });
    log.info({ driver: name, socketPath, version }, "a driver of resource claims has registered");
  }

  unregister(name: string): void {
    this.#drivers.get(name)?.channel.close();
    this.#drivers.delete(name);
  }

  /** What the runtime is told of the devices that a container has through claims. Fails where they cannot be had. */
  async devicesFor(pod: Pod, { name: container, resources }: Container | EphemeralContainer): Promise<string[]> {
    const wanted = [
      ...(resources?.claims ?? []).map(({ name, request }) => ({ claimName: () => claimNameOf(pod, name), request })),
      ...extendedClaimsOf(pod, container),
    ];
    if (wanted.length === 0) return [];
    const ids: string[] = [];
    for (const { claimName, request } of wanted) {
      const claim = await this.#metrics.operation("PrepareResources", () =>
        this.#inTurn(() => this.#prepare(pod, claimName())),
      );
      for (const { requestNames, cdiDeviceIds } of [...(claim?.drivers.values() ?? [])].flat())
        if (!request || requestNames.some((each) => each === request || each.startsWith(`${request}/`)))
          for (const id of cdiDeviceIds) if (!ids.includes(id)) ids.push(id);
    }
    return ids;
  }

  /** The claims of a container that have been prepared, each once. */
  preparedFor(pod: Pod, { name: container, resources }: Container): PreparedClaim[] {
    const named = (resources.claims ?? []).map(({ name }) => claimNameIfMade(pod, name));
    const wanted = new Set([...named, ...extendedClaimsOf(pod, container).map(({ claimName }) => claimName())]);
    return [...this.#prepared.values()].filter(
      ({ name, namespace }) => wanted.has(name) && namespace === pod.metadata.namespace,
    );
  }

  /** The pod has ended: gives back what nobody else uses. Fails where a driver does. */
  async release(podUid: string): Promise<void> {
    const own = [...this.#prepared.values()].filter(({ pods }) => pods.includes(podUid));
    if (own.length === 0) return;
    await this.#metrics.operation("UnprepareResources", async () => {
      for (const { uid } of own) await this.#inTurn(() => this.#leave(uid, podUid));
    });
  }

  /** Undefined where the pod does not need the claim after all. */
  async #prepare(pod: Pod, claimName: string | undefined): Promise<PreparedClaim | undefined> {
    if (claimName === undefined) return undefined;
    const { namespace = "", uid: podUid = "", name: podName } = pod.metadata;
    const claim = await this.#options.client.devices.v1.resourceClaims(namespace).get(claimName);
    const { uid } = claim.metadata;
    if (!(claim.status?.reservedFor ?? []).some((user) => user.uid === podUid))
      throw new Error(`pod ${podName}(${podUid}) is not allowed to use resource claim ${claimName}(${uid})`);
    const known = this.#prepared.get(uid);
    const pods = [...new Set([...(known?.pods ?? []), podUid])];
    // Noted before a driver is asked, so that it is given back whatever happens in between. What an earlier agent had
    // prepared is asked for again: drivers answer the same.
    const drivers = known?.drivers ?? new Map(driversOf(claim).map((driver) => [driver, []]));
    const noted = { namespace, name: claimName, uid, drivers, pods };
    if (known?.pods.includes(podUid) !== true) await this.#set(noted);
    if (this.#ready.has(uid)) return noted;
    const ready = { ...noted, drivers: await this.#ask(claim, [...drivers.keys()]) };
    await this.#set(ready);
    this.#ready.add(uid);
    return ready;
  }

  async #ask(
    { metadata }: ResourceClaim,
    drivers: readonly string[],
  ): Promise<ReadonlyMap<string, readonly PreparedDevice[]>> {
    const { namespace = "", name = "", uid = "" } = metadata;
    const prepared = new Map<string, readonly PreparedDevice[]>();
    for (const each of drivers) {
      const { channel, procedures } = this.#driver(each);
      const { claims } = await this.#metrics.call(each, "NodePrepareResources", () =>
        channel.call(procedures.prepare, { claims: [{ namespace, name, uid }] }),
      );
      const answer = claims.find(({ key }) => key === uid)?.value;
      if (answer === undefined) throw new Error(`driver ${each} did not answer for resource claim ${name}`);
      if (answer.error !== "")
        throw new Error(`NodePrepareResources failed for ResourceClaim ${name}: ${answer.error}`);
      prepared.set(each, answer.devices);
    }
    return prepared;
  }

  async #leave(uid: string, podUid: string): Promise<void> {
    const claim = this.#prepared.get(uid);
    if (claim === undefined) return;
    const pods = claim.pods.filter((each) => each !== podUid);
    if (pods.length > 0) return await this.#set({ ...claim, pods });
    const { namespace, name } = claim;
    for (const each of claim.drivers.keys()) {
      const { channel, procedures } = this.#driver(each);
      const { claims } = await this.#metrics.call(each, "NodeUnprepareResources", () =>
        channel.call(procedures.unprepare, { claims: [{ namespace, name, uid }] }),
      );
      const error = claims.find(({ key }) => key === uid)?.value?.error ?? "";
      if (error !== "") throw new Error(`NodeUnprepareResources failed for ResourceClaim ${name}: ${error}`);
    }
    this.#prepared.delete(uid);
    this.#ready.delete(uid);
    await this.#write();
  }

  #driver(name: string): Driver {
    const driver = this.#drivers.get(name);
    if (driver === undefined) throw new Error(`DRA driver ${name} is not registered`);
    return driver;
  }

  async #set(claim: PreparedClaim): Promise<void> {
    this.#prepared.set(claim.uid, claim);
    await this.#write();
  }

  async #write(): Promise<void> {
    const { file, client } = this.#options;
    await writeStateFile(file, claimStateText([...this.#prepared.values()], client.names.draCheckpointVersion));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = this.#turn.then(work, work);
    this.#turn = own.catch(() => undefined);
    return await own;
  }
}

const VERSIONS = ["v1", "v1beta1"];

/** A claim that is made for the pod has a name that its status tells; none where it turned out not to be needed. */
function claimNameOf(pod: Pod, name: string): string | undefined {
  const isNamed = pod.spec.resourceClaims?.some((each) => each.name === name && each.resourceClaimName);
  const isMade = pod.status.resourceClaimStatuses?.some((each) => each.name === name);
  if (!isNamed && !isMade) throw new Error(`the resource claim ${name} of the pod has not been created yet`);
  return claimNameIfMade(pod, name);
}

function claimNameIfMade({ spec, status }: Pod, name: string): string | undefined {
  const entry = (spec.resourceClaims ?? []).find((each) => each.name === name);
  const made = (status.resourceClaimStatuses ?? []).find((each) => each.name === name);
  return entry?.resourceClaimName || made?.resourceClaimName;
}

/** Extended resources of a container that are devices: the scheduler has made a claim for all of the pod, and says what is whose. */
function extendedClaimsOf({ status: { extendedResourceClaimStatus: extended } }: Pod, container: string) {
  return (extended?.requestMappings ?? [])
    .filter(({ containerName }) => containerName === container)
    .map(({ requestName }) => ({ claimName: () => extended?.resourceClaimName, request: requestName }));
}

function driversOf({ metadata, status }: ResourceClaim): string[] {
  if (status?.allocation === undefined) throw new Error(`resource claim ${metadata.name} is not allocated`);
  return [...new Set((status.allocation.devices.results ?? []).map(({ driver }) => driver))];
}
