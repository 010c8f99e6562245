// The constraint that devices of several requests have the same value of an attribute. Pure but for what it counts.

import type { DeviceConstraint } from "../../kinds/resource/resource-claim-spec.ts";
import type { DeviceAttribute } from "../../kinds/resource/resource-slice-schema.ts";
import type { PooledDevice } from "./pools.ts";
import type { Way } from "./requests.ts";

export class SameAttribute {
  readonly #attribute: string;
  /** Empty: all. */
  readonly #requests: ReadonlySet<string>;
  #value: string | undefined;
  #count = 0;

  constructor(attribute: string, requests: DeviceConstraint["requests"]) {
    this.#attribute = attribute;
    this.#requests = new Set(requests);
  }

  /** Counts the device, unless it has another value than those before it, or none. */
  add(device: PooledDevice, way: Way): boolean {
    if (!this.#concerns(way)) return true;
    const value = attributeValueOf(device, this.#attribute);
    if (value === undefined || (this.#count > 0 && value !== this.#value)) return false;
    this.#value = value;
    this.#count += 1;
    return true;
  }

  /** Takes back what add() has counted. */
  remove(way: Way): void {
    if (this.#concerns(way)) this.#count -= 1;
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
