// From the names of the API to the ids of the runtime.

import { runtimeIdOf, statusNamed } from "../../kinds/core/pod/containers.ts";
import type { FoundContainer, WantedContainer } from "../context.ts";
import type { PodTable } from "./pod-table.ts";
import type { RuntimeView } from "./runtime-view.ts";

interface Known {
  readonly table: Pick<PodTable, "named">;
  readonly view: Pick<RuntimeView, "pod">;
}

/**
 * The newest container of the name that has begun. With `previous` the one that ended last, as the status tells of it: of a
 * container that waits for its next start that is the newest too.
 */
export function findContainer({ table, view }: Known, wanted: WantedContainer): FoundContainer {
  const { namespace, pod: name, container, previous = false } = wanted;
  const entry = table.named(namespace, name);
  if (entry === undefined) return { found: "nothing" };
  const runs = (view.pod(entry.uid)?.containers ?? []).filter((run) => run.name === container);
  const pod = { ...entry.pod, status: entry.status };
  const last = previous ? runtimeIdOf(statusNamed(entry.status, container)?.lastState?.terminated) : undefined;
  const run = runs.find(({ id, state }) => (previous ? id === last : state !== "created"));
  if (run !== undefined) return { found: "container", pod, containerId: run.id };
  const { spec } = entry.pod;
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  return { found: "pod", pod, declared: all.some((each) => each.name === container) };
}

/** The sandbox that runs the pod now. */
export function findSandbox({ table, view }: Known, namespace: string, name: string): string | undefined {
  return view.pod(table.named(namespace, name)?.uid ?? "")?.sandboxes.find(({ ready }) => ready)?.id;
}
