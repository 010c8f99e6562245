// Where an object has its pods' specification: a pod at the top, workloads in their template, a CronJob deeper. Pure.

import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";

/** The nearest to the top that has containers counts. */
const PLACES: readonly (readonly string[])[] = [
  ["spec"],
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
  // A PodTemplate.
  ["template", "spec"],
];

/** The object with its pods' specification changed. Fails with CliError where it has none. */
export function changePodSpec(object: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject {
  return changeAt(object, podPlace(object), change);
}

/** Fails with CliError. */
function podPlace(object: JsonObject): readonly string[] {
  const place = PLACES.find((path) => itemsAt(at(object, path), "containers").length > 0);
  if (place !== undefined) return place;
  const metadata = getKey(object, "metadata");
  throw new CliError(`${textAt(object, "kind")} ${JSON.stringify(textAt(metadata, "name"))} has no containers`);
}

/** What is known of the pods of an object. */
export interface PodParts {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /** Empty where there is no pod yet. */
  readonly status: JsonObject;
  /** The pods are yet to be made, each with a name of its own. */
  readonly fromTemplate: boolean;
}

/** Fails with CliError where the object has no pods. */
export function podIn(object: JsonObject): PodParts {
  const place = podPlace(object);
  const holder = at(object, place.slice(0, -1));
  const spec = memberOf(holder, "spec");
  if (holder === object)
    return { metadata: memberOf(object, "metadata"), spec, status: memberOf(object, "status"), fromTemplate: false };
  const { namespace } = memberOf(object, "metadata");
  const metadata = { ...memberOf(holder, "metadata"), ...(namespace === undefined ? {} : { namespace }) };
  return { metadata, spec, status: {}, fromTemplate: true };
}

/** Those of both lists whose names fit. Fails with CliError where there is none. */
export function containersIn(object: JsonObject, pattern: string): JsonObject[] {
  const found: JsonObject[] = [];
  changePodSpec(object, (spec) =>
    changeContainers(spec, pattern, (container) => {
      found.push(container);
      return container;
    }),
  );
  return found;
}

/** Containers of both lists. */
const CONTAINER_LISTS = ["containers", "initContainers"];

/** The specification with every container changed whose name fits; `*` in a pattern stands for anything. */
export function changeContainers(
  spec: JsonObject,
  pattern: string,
  change: (container: JsonObject) => JsonObject,
): JsonObject {
  let found = false;
  const lists = CONTAINER_LISTS.filter((list) => itemsAt(spec, list).length > 0).map((list) => {
    const containers = itemsAt(spec, list).map((container) => {
      if (!fits(textAt(container, "name"), pattern)) return container;
      found = true;
      return change(container);
    });
    return [list, containers] as const;
  });
  if (!found) throw new CliError(`unable to find container named ${JSON.stringify(pattern)}`);
  return { ...spec, ...Object.fromEntries(lists) };
}

function fits(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let position = first.length;
  for (const piece of rest) {
    const next = name.indexOf(piece, position);
    if (next < 0) return false;
    position = next + piece.length;
  }
  return name.length - last.length >= position && name.endsWith(last);
}

function at(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) value = isObject(value) ? getKey(value, key) : undefined;
  return value;
}

function changeAt(
  object: JsonObject,
  [key, ...rest]: readonly string[],
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  if (key === undefined) return change(object);
  const member = getKey(object, key);
  return { ...object, [key]: changeAt(isObject(member) ? member : {}, rest, change) };
}
