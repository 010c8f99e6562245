// What containers may be told about their own pod: fields by path, and requests and limits in a unit. For variables and
// for the files of downward API volumes.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { ResourceFieldSelector } from "../../kinds/core/pod/env.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityInUnits,
  quantityOfInt,
} from "../../meta/quantity.ts";

/** Known only once the sandbox stands. */
export interface PodAddresses {
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
}

/** A reference that names nothing that exists; its message is told to the owner of the pod. */
export class FactError extends Error {}

/** The value of a field of the pod as text. Fails with FactError where there is no such field. */
export function podField(pod: Pod, path: string, { hostIPs, podIPs }: PodAddresses): string {
  const { metadata, spec } = pod;
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return mapText(metadata.labels);
    case "metadata.annotations":
      return mapText(metadata.annotations);
    case "spec.nodeName":
      return spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
      return hostIPs[0] ?? "";
    case "status.hostIPs":
      return hostIPs.join(",");
    case "status.podIP":
      return podIPs[0] ?? "";
    case "status.podIPs":
      return podIPs.join(",");
  }
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(path);
  if (subscript === null) throw new FactError(`unsupported fieldPath: ${path.slice(0, MAX_SHOWN)}`);
  const values = subscript[1] === "labels" ? metadata.labels : metadata.annotations;
  const key = subscript[2]!;
  return values !== undefined && Object.hasOwn(values, key) ? values[key]! : "";
}

/**
 * A request or limit in units of the divisor, rounded up. A limit that is not set is what the node has for pods.
 * Fails with FactError where there is no such container or resource.
 */
export function resourceField(
  pod: Pod,
  own: Pick<Container, "name" | "resources"> | undefined,
  { containerName, resource, divisor }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, string>>,
): string {
  const container = containerName ? containerNamed(pod, containerName) : own;
  if (container === undefined) throw new FactError(`container ${containerName ?? ""} not found`);
  const [part, name] = split(resource);
  const unit = positive(divisor) ?? ONE;
  const { limits, requests } = container.resources ?? {};
  const amount =
    part === "limits"
      ? (positive(amountOf(limits, name)) ?? parseQuantity(amountOf(allocatable, name) ?? "0"))
      : parseQuantity(amountOf(requests, name) ?? amountOf(limits, name) ?? "0");
  return String(quantityInUnits(amount ?? ZERO, unit));
}

const MAX_SHOWN = 256;
const ONE = quantityOfInt(1);
const ZERO = quantityOfInt(0);

/** One line per entry, in the order of the keys. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.keys(map ?? {})
    .sort()
    .map((key) => `${key}=${JSON.stringify(map![key])}`)
    .join("\n");
}

function containerNamed({ spec }: Pod, name: string): Container | undefined {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].find((container) => container.name === name);
}

function split(resource: string): [part: "limits" | "requests", name: string] {
  const dot = resource.indexOf(".");
  const part = resource.slice(0, dot);
  const name = resource.slice(dot + 1);
  const isKnown = ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
  if ((part !== "limits" && part !== "requests") || !isKnown)
    throw new FactError(`unsupported container resource : ${resource.slice(0, MAX_SHOWN)}`);
  return [part, name];
}

function amountOf(list: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
}

function positive(text: string | number | null | undefined): Quantity | undefined {
  const quantity = text === undefined || text === null ? undefined : parseQuantity(String(text));
  return quantity !== undefined && compareQuantities(quantity, ZERO) > 0 ? quantity : undefined;
}
