// One pass over an ending namespace: deletes what it can, and reports what is left. Pods go first, in their own time; the
// rest, network policies among it, only when no pod is left that could notice.

import { ApiError, isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import { apiVersionOf, type DiscoveredResource, discover } from "../../client/discovery.ts";
import type { ApiObject } from "../../meta/object.ts";
import { inParallel } from "../framework/in-parallel.ts";
import type { EmptyingReport } from "./namespace-conditions.ts";

/** Resources that are emptied side by side. */
const AT_ONCE = 8;
const PAGE_SIZE = 500;

export async function emptyNamespace(client: Client, namespace: string, signal: AbortSignal): Promise<EmptyingReport> {
  const found = {
    undiscovered: [] as string[],
    failures: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
  };
  let resources: readonly DiscoveredResource[];
  try {
    const discovery = await discover(client.transport, { signal });
    resources = deletable(discovery.resources);
    for (const version of discovery.unknown) {
      const label = apiVersionOf(version);
      found.undiscovered.push(`${label}: stale GroupVersion discovery: ${label}`);
    }
  } catch (error) {
    signal.throwIfAborted();
    found.undiscovered.push(textOf(error));
    return found;
  }
  const empty = async (resource: DiscoveredResource): Promise<void> => {
    try {
      await emptyResource(client, resource, namespace, found, signal);
    } catch (error) {
      signal.throwIfAborted();
      found.failures.push(`${labelOf(resource)}: ${textOf(error)}`);
    }
  };
  const pods = resources.filter(isPods);
  for (const resource of pods) await empty(resource);
  if (found.remaining.size > 0 || found.failures.length > 0) return found;
  const queue = resources.filter((resource) => !isPods(resource)).reverse();
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await empty(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}

const isPods = ({ group, resource }: DiscoveredResource): boolean => group === "" && resource === "pods";

/** `pods.`, `deployments.apps`: as upstream names them here. */
const labelOf = ({ group, resource }: DiscoveredResource): string => `${resource}.${group}`;

/** What lives in namespaces and can be deleted, each resource once: its first version is the preferred one. */
function deletable(resources: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return resources.filter((resource) => {
    const { namespaced, verbs } = resource;
    const label = labelOf(resource);
    if (!namespaced || !verbs.includes("list") || !verbs.includes("delete") || seen.has(label)) return false;
    seen.add(label);
    return true;
  });
}

async function emptyResource(
  client: Client,
  served: DiscoveredResource,
  namespace: string,
  found: { readonly remaining: Map<string, number>; readonly finalizers: Map<string, number> },
  signal: AbortSignal,
): Promise<void> {
  const { group, version, resource, kind } = served;
  const objects = client.named({ group, version, resource, kind, namespaced: true }, namespace);
  const first = await objects.list({ limit: 1, signal });
  if (first.items.length === 0) return;
  if (served.verbs.includes("deletecollection")) {
    await objects.deleteCollection({ propagationPolicy: "Background", signal });
  } else {
    for await (const { items } of objects.pages({ pageSize: PAGE_SIZE, onExpired: "continue", signal })) {
      await inParallel(1, items, async ({ metadata }) => {
        try {
          await objects.delete(metadata.name, { propagationPolicy: "Background", signal });
        } catch (error) {
          signal.throwIfAborted();
          if (!isApiError(error, "NotFound")) throw error;
        }
      });
    }
  }
  for await (const { items } of objects.pages({ pageSize: PAGE_SIZE, onExpired: "continue", signal })) {
    for (const object of items) count(object, labelOf(served), found);
  }
}

function count(
  { metadata }: Pick<ApiObject, "metadata">,
  label: string,
  found: { readonly remaining: Map<string, number>; readonly finalizers: Map<string, number> },
): void {
  found.remaining.set(label, (found.remaining.get(label) ?? 0) + 1);
  for (const finalizer of metadata.finalizers ?? []) {
    found.finalizers.set(finalizer, (found.finalizers.get(finalizer) ?? 0) + 1);
  }
}

/** Short: many of them end up in one message. */
function textOf(error: unknown): string {
  const text = error instanceof ApiError ? (error.status?.message ?? error.message) : String(error);
  return text.slice(0, 256);
}
