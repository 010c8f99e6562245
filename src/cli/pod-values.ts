// What variables of containers may be told of their own pod: fields by path, and requests and limits in a unit. Pure, but
// for the node that is asked where a container has no limit.

import { getKey, type JsonObject } from "../base/json.ts";
import { parseQuantity, quantityInUnits, quantityOfInt, quantitySign } from "../meta/quantity.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";
import type { PodParts } from "./pod-template.ts";

/** Fields that pods made from a template share; of the others each has its own. */
const SHARED = /^(?:metadata\.(?:namespace|labels|annotations)|spec\.serviceAccountName)\b/;
const FIELDS: ReadonlySet<string> = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.labels",
  "metadata.annotations",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.podIP",
  "status.hostIPs",
  "status.podIPs",
]);

/** Fails with CliError where there is no such field, or nobody knows it before there is a pod. */
export function fieldOf({ metadata, spec, status, fromTemplate }: PodParts, path: string): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(path);
  if (subscript === null && !FIELDS.has(path)) throw new CliError(`unsupported fieldPath: ${path}`);
  if (fromTemplate && !SHARED.test(path)) throw new CliError(`every pod has its own ${path}`);
  if (subscript !== null) return textAt(memberOf(metadata, subscript[1]!), subscript[2]!);
  const [part, name = ""] = path.split(".");
  if (part === "status" && name.endsWith("s")) {
    const addresses = itemsAt(status, name).map((item) => textAt(item, "ip"));
    return addresses.join(",");
  }
  if (path === "metadata.labels" || path === "metadata.annotations") return mapText(memberOf(metadata, name));
  const value = textAt({ metadata, spec, status }[part as "metadata" | "spec" | "status"], name);
  return value === "" && path === "spec.serviceAccountName" ? "default" : value;
}

/** One line per entry, in the order of the keys, as node agents write them. */
function mapText(map: JsonObject): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

/**
 * A request or limit in units of the divisor, rounded up. A limit that is not set is what the node has for pods. Fails
 * with CliError.
 */
export async function resourceOf(
  { spec }: PodParts,
  own: JsonObject,
  reference: JsonObject,
  allocatable: () => Promise<JsonObject | undefined>,
): Promise<string> {
  const named = textAt(reference, "containerName");
  const containers = [...itemsAt(spec, "containers"), ...itemsAt(spec, "initContainers")];
  const container = named === "" ? own : containers.find((each) => textAt(each, "name") === named);
  if (container === undefined) throw new CliError(`unable to find container named ${JSON.stringify(named)}`);
  const resource = textAt(reference, "resource");
  const [, part, name] = /^(limits|requests)\.(.+)$/s.exec(resource) ?? [];
  if (part === undefined || name === undefined) throw new CliError(`unsupported container resource: ${resource}`);
  const amount = async (): Promise<string> => {
    const { limits, requests } = { limits: {}, requests: {}, ...memberOf(container, "resources") };
    const limit = amountOf(limits, name);
    if (part === "requests") return amountOf(requests, name) ?? limit ?? "0";
    if (limit !== undefined) return limit;
    const ofNode = await allocatable();
    if (ofNode === undefined) throw new CliError(`no ${resource} is set: it is what the node of a pod has`);
    return amountOf(ofNode, name) ?? "0";
  };
  const divisor = parseQuantity(amountOf(reference, "divisor") ?? "1");
  const unit = divisor === undefined || quantitySign(divisor) <= 0 ? quantityOfInt(1) : divisor;
  const quantity = parseQuantity(await amount());
  if (quantity === undefined) throw new CliError(`${resource} is no amount`);
  return String(quantityInUnits(quantity, unit));
}

function amountOf(amounts: unknown, name: string): string | undefined {
  const value = getKey(amounts as JsonObject, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
