// From the names of the API to the ids of the runtime.

import type { FoundContainer, WantedContainer } from "../context.ts";
import type { PodTable } from "./pod-table.ts";
import type { RuntimeView } from "./runtime-view.ts";

interface Known {
  readonly table: Pick<PodTable, "named">;
  readonly view: Pick<RuntimeView, "pod">;
}

/** The newest container of the name, or with `previous` the one before it. */
export function findContainer({ table, view }: Known, wanted: WantedContainer): FoundContainer {
  const { namespace, pod: name, container, previous = false } = wanted;
  const entry = table.named(namespace, name);
  if (entry === undefined) return { found: "nothing" };
  const runs = (view.pod(entry.uid)?.containers ?? []).filter((run) => run.name === container);
  const run = runs[previous ? 1 : 0];
  const pod = { ...entry.pod, status: entry.status };
  if (run !== undefined) return { found: "container", pod, containerId: run.id };
  const { spec } = entry.pod;
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  return { found: "pod", pod, declared: all.some((each) => each.name === container) };
}

/** The sandbox that runs the pod now. */
export function findSandbox({ table, view }: Known, namespace: string, name: string): string | undefined {
  return view.pod(table.named(namespace, name)?.uid ?? "")?.sandboxes.find(({ ready }) => ready)?.id;
}
