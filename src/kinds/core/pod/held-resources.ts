// What a pod counts for while its resources change: what it asks for is not its own yet, what it has is not free yet. Pure.

import { equalJson } from "../../../base/json.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import type { Pod } from "../pod.ts";
import type { ResourceList } from "../resource-list.ts";
import type { Container } from "./container.ts";
import type { ContainerStatus } from "./container-status.ts";

type Amounts = Readonly<ResourceList> | null | undefined;

/**
 * The pod with the most of what each container asks for, was given and has; what its node can never give does not count. The
 * very same pod where nothing differs, as nearly always.
 */
export function asHeld(pod: Pod): Pod {
  const { spec, status } = pod;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  if (!statuses.some(({ resources }) => resources !== undefined)) return pod;
  const wantedCounts = !isInfeasible(pod);
  const held = (container: Container): Container => heldContainer(container, statuses, wantedCounts);
  const containers = mapped(spec.containers ?? [], held);
  // Of init containers only those that stay can change.
  const initContainers = mapped(spec.initContainers ?? [], (each) =>
    each.restartPolicy === "Always" ? held(each) : each,
  );
  const isSame = containers === spec.containers && initContainers === (spec.initContainers ?? initContainers);
  return isSame ? pod : { ...pod, spec: { ...spec, containers, initContainers } };
}

/** Whether the node has said that it will never give what is asked for. */
const isInfeasible = ({ status }: Pod): boolean =>
  status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";

/** The list itself where each stays the same. */
function mapped(list: Container[], map: (container: Container) => Container): Container[] {
  const changed = list.map(map);
  return changed.some((each, at) => each !== list[at]) ? changed : list;
}

function heldContainer(container: Container, statuses: readonly ContainerStatus[], wantedCounts: boolean): Container {
  const { resources: wanted } = container;
  const { resources: has, allocatedResources: given } = statuses.find(({ name }) => name === container.name) ?? {};
  const isHeld =
    has === undefined ||
    (equalJson(wanted?.requests, has.requests) &&
      equalJson(wanted?.limits, has.limits) &&
      (given === undefined || equalJson(wanted?.requests, given)));
  if (isHeld) return container;
  const requests = most([wantedCounts ? wanted?.requests : undefined, has.requests, given]);
  const limits = most([wantedCounts ? wanted?.limits : undefined, has.limits]);
  return { ...container, resources: { ...wanted, requests, limits } };
}

/** Of every resource the largest amount. */
function most(lists: readonly Amounts[]): ResourceList {
  const found = new Map<string, string>();
  for (const list of lists)
    for (const [name, text] of Object.entries(list ?? {})) {
      const before = found.get(name);
      if (before === undefined || isMore(text, before)) found.set(name, text);
    }
  return Object.fromEntries(found);
}

function isMore(text: string, than: string): boolean {
  const [a, b] = [parseQuantity(text), parseQuantity(than)];
  return a !== undefined && (b === undefined || compareQuantities(a, b) > 0);
}
