// The constraints that devices of several requests have the same value of an attribute, or none the same. Pure but for what
// they count.

import type { DeviceConstraint } from "../../kinds/resource/resource-claim-spec.ts";
import type { DeviceAttribute } from "../../kinds/resource/resource-slice-schema.ts";
import type { PooledDevice } from "./pools.ts";
import type { Way } from "./requests.ts";

export class AttributeConstraint {
  readonly #attribute: string;
  readonly #kind: "same" | "distinct";
  /** Empty: all. */
  readonly #requests: ReadonlySet<string>;
  readonly #values: string[] = [];

  constructor(kind: "same" | "distinct", attribute: string, requests: DeviceConstraint["requests"]) {
    this.#kind = kind;
    this.#attribute = attribute;
    this.#requests = new Set(requests);
  }

  /** Counts the device, unless its value does not go with those before it, or it has none. */
  add(device: PooledDevice, way: Way): boolean {
    if (!this.#concerns(way)) return true;
    const value = attributeValueOf(device, this.#attribute);
    if (value === undefined) return false;
    const isKnown = this.#values.includes(value);
    if (this.#kind === "same" ? this.#values.length > 0 && !isKnown : isKnown) return false;
    this.#values.push(value);
    return true;
  }

  /** Takes back what the last add() has counted. */
  remove(way: Way): void {
    if (this.#concerns(way)) this.#values.pop();
  }

  #concerns({ requestName, name }: Way): boolean {
    return this.#requests.size === 0 || this.#requests.has(requestName) || this.#requests.has(name);
  }
}

/** As a text that is the same for equal values of one type only. */
function attributeValueOf({ device, slice }: PooledDevice, attribute: string): string | undefined {
  const attributes: Readonly<Record<string, DeviceAttribute>> = device.attributes ?? {};
  const own = `${slice.spec.driver}/`;
  // What names no domain is in that of the driver.
  const short = attribute.startsWith(own) ? attribute.slice(own.length) : attribute;
  const found = [attribute, short].find((name) => Object.hasOwn(attributes, name));
  if (found === undefined) return undefined;
  const { int, bool, string, version } = attributes[found]!;
  if (string !== undefined) return `string ${string}`;
  if (int !== undefined) return `int ${int}`;
  if (bool !== undefined) return `bool ${bool}`;
  return version === undefined ? undefined : `version ${version}`;
}
