// Makes the claims that pods ask for, and looks after claims whose pods are done.

import { cloneJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { claimOf, type PodClaim } from "../../kinds/resource/claim-of-pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceClaimTemplate } from "../../kinds/resource/resource-claim-template.ts";
import type { ControllerContext } from "../framework/controller.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { claimUpkeep, podsNamedBy } from "./claim-upkeep.ts";
import { claimFromTemplate, isMadeFor, isPodDone } from "./pod-claims.ts";

interface ResourceClaimSyncParts {
  readonly context: ControllerContext;
  readonly pods: Informer<Pod>;
  /** With the index "controller". */
  readonly claims: Informer<ResourceClaim>;
  readonly templates: Informer<ResourceClaimTemplate>;
}

/** As upstream's: who owns what pods say about their claims. */
const FIELD_MANAGER = "ResourceClaimController";
/** So many consumers fit into a claim. */
const MAX_RESERVED_FOR = 256;

export class ResourceClaimSync {
  readonly #parts: ResourceClaimSyncParts;
  /** By the uid of the pod: claims that were made for it, by the names that the pod gives them. The cache may lag behind. */
  readonly #made = new Map<string, Map<string, string>>();

  constructor(parts: ResourceClaimSyncParts) {
    this.#parts = parts;
  }

  forgetPod(uid: string): void {
    this.#made.delete(uid);
  }

  /** Makes what the pod lacks, says so in its status, and reserves what it uses where no scheduler did. */
  async syncPod(pod: Stored<Pod>): Promise<void> {
    const { client, events } = this.#parts.context;
    const { namespace, name } = pod.metadata;
    if (pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return;
    const made: { name: string; resourceClaimName: string }[] = [];
    for (const podClaim of pod.spec.resourceClaims ?? []) {
      try {
        const claimName = await this.#ensure(pod, podClaim);
        if (claimName !== undefined) made.push({ name: podClaim.name, resourceClaimName: claimName });
      } catch (error) {
        const words = `PodResourceClaim ${podClaim.name}: ${errorWords(error)}`;
        events.warning(pod, "FailedResourceClaimCreation", words);
        throw error;
      }
    }
    if (made.length > 0)
      await client.core.v1.pods(namespace).status.apply(
        {
          metadata: { name, uid: pod.metadata.uid },
          status: { resourceClaimStatuses: [...knownStatuses(pod, made), ...made] },
        },
        { fieldManager: FIELD_MANAGER, force: true },
      );
    if (pod.spec.nodeName) await this.#reserve(pod);
  }

  /** Drops reservations of pods that are done, frees what nobody uses, and deletes claims that nobody will use again. */
  async syncClaim(claim: Stored<ResourceClaim>): Promise<void> {
    const { client, names } = this.#parts.context;
    const { namespace = "", name, uid } = claim.metadata;
    const claims = client.devices.v1.resourceClaims(namespace);
    const pods = new Map<string, Stored<Pod>>();
    for (const [podName, uids] of podsNamedBy(claim)) {
      const known = this.#parts.pods.cache.get({ namespace, name: podName });
      const isMeant = known !== undefined && uids.size === 1 && uids.has(known.metadata.uid);
      // The server is asked for pods that the cache does not show, or of which it shows one before or after: it may be behind.
      const pod = isMeant ? known : await client.core.v1.pods(namespace).find(podName);
      if (pod !== undefined) pods.set(podName, pod);
    }
    const { status, releases, deletes } = claimUpkeep(claim, (podName) => pods.get(podName), names);
    let current = claim;
    if (status !== undefined) current = await claims.status.update({ ...cloneJson(claim), status });
    if (releases && current.status.allocation === undefined) {
      const free = cloneJson(current);
      free.metadata.finalizers = (free.metadata.finalizers ?? []).filter(
        (each) => each !== names.claimProtectionFinalizer,
      );
      await claims.update(free);
    }
    if (!deletes) return;
    await claims.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    });
  }

  /** The name of a claim that the pod's status does not say yet; undefined when there is nothing to say. */
  async #ensure(pod: Stored<Pod>, podClaim: PodClaim): Promise<string | undefined> {
    const { names, client } = this.#parts.context;
    const { namespace = "", uid } = pod.metadata;
    const { name, isNeedless } = claimOf(pod, podClaim);
    const templateName = podClaim.resourceClaimTemplateName;
    if (templateName === undefined || isNeedless) return undefined;
    const known = name === undefined ? undefined : this.#parts.claims.cache.get({ namespace, name });
    if (known !== undefined && isMadeFor(known, pod)) return undefined;
    const remembered = this.#made.get(uid)?.get(podClaim.name);
    if (remembered !== undefined && remembered === name) return undefined;
    // Made before a crash, or by the last turn.
    const found =
      remembered ??
      this.#parts.claims.cache
        .byIndex("controller", uid)
        .find(({ metadata }) => metadata.annotations?.[names.podClaimNameAnnotation] === podClaim.name)?.metadata.name;
    if (found !== undefined) return found;

    const template = this.#parts.templates.cache.get({ namespace, name: templateName });
    if (template === undefined) {
      const kind = `resourceclaimtemplate.${names.group("resource")}`;
      throw new Error(`resource claim template "${templateName}": ${kind} "${templateName}" not found`);
    }
    const draft = claimFromTemplate(pod, podClaim, template, names);
    const { metadata } = await client.devices.v1.resourceClaims(namespace).create(draft);
    const made = this.#made.get(uid) ?? new Map<string, string>();
    this.#made.set(uid, made.set(podClaim.name, metadata.name));
    return metadata.name;
  }

  /** A pod that was put on a node by hand has nobody else who does this. */
  async #reserve(pod: Stored<Pod>): Promise<void> {
    const { client } = this.#parts.context;
    const { namespace = "", name: podName, uid } = pod.metadata;
    for (const podClaim of pod.spec.resourceClaims ?? []) {
      const { name, isOwn } = claimOf(pod, podClaim);
      const claim = name === undefined ? undefined : this.#parts.claims.cache.get({ namespace, name });
      if (claim?.status.allocation === undefined || (isOwn && !isMadeFor(claim, pod))) continue;
      const reserved = claim.status.reservedFor ?? [];
      if (reserved.length >= MAX_RESERVED_FOR || reserved.some((each) => each.uid === uid)) continue;
      const changed = cloneJson(claim);
      changed.status.reservedFor = [...reserved, { resource: "pods", name: podName, uid }];
      await client.devices.v1.resourceClaims(namespace).status.update(changed);
    }
  }
}

type ClaimStatus = NonNullable<Pod["status"]["resourceClaimStatuses"]>[number];

/** What was said before has to be said again: what is applied is all that there is. */
function knownStatuses({ status }: Stored<Pod>, made: readonly ClaimStatus[]): ClaimStatus[] {
  return (status.resourceClaimStatuses ?? []).filter(({ name }) => made.every((each) => each.name !== name));
}
