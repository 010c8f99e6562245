// A device as the expressions that select devices see it. Attributes and capacities are found by domain and name; those
// without a domain are in that of the driver.
//
//   driver "gpu.example.com", attributes { model: "a", "example.com/numa": 1 }
//   -> device.attributes["gpu.example.com"].model, device.attributes["example.com"].numa

import { quantityValue, semverValue } from "../cel/api-environment.ts";
import { CelError } from "../cel/errors.ts";
import { fromJson } from "../cel/json.ts";
import type { CelType } from "../cel/types.ts";
import { CelMap, CelObject, type CelValue } from "../cel/values.ts";
import { parseQuantity } from "../meta/quantity.ts";

interface AttributeValue {
  readonly int?: number | bigint | undefined;
  readonly bool?: boolean | undefined;
  readonly string?: string | undefined;
  readonly version?: string | undefined;
}

export interface SelectableDevice {
  readonly driver: string;
  readonly attributes: Readonly<Record<string, AttributeValue>> | undefined;
  readonly capacity: Readonly<Record<string, { readonly value: string }>> | undefined;
}

/** `namespace` is the brand of library types. */
export function deviceValue({ driver, attributes, capacity }: SelectableDevice, type: CelType, namespace: string) {
  return new DeviceValue(
    type,
    new Map<string, CelValue>([
      ["driver", driver],
      ["attributes", byDomain(attributes, driver, (value) => attributeValue(value, namespace))],
      ["capacity", byDomain(capacity, driver, ({ value }) => capacityValue(value, namespace))],
    ]),
  );
}

function attributeValue({ int, bool, string, version }: AttributeValue, namespace: string): CelValue {
  if (int !== undefined) return fromJson(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  return version === undefined ? new CelError("unsupported attribute value") : semverValue(namespace, version);
}

function capacityValue(text: string, namespace: string): CelValue {
  const quantity = parseQuantity(text);
  return quantity === undefined ? new CelError("unsupported capacity value") : quantityValue(namespace, quantity);
}

function byDomain<T>(
  members: Readonly<Record<string, T>> | undefined,
  driver: string,
  read: (member: T) => CelValue,
): CelMap {
  const domains = new Map<string, Map<string, CelValue>>();
  for (const [qualified, member] of Object.entries(members ?? {})) {
    const slash = qualified.indexOf("/");
    const domain = slash < 0 ? driver : qualified.slice(0, slash);
    const names = domains.get(domain) ?? new Map<string, CelValue>();
    domains.set(domain, names.set(qualified.slice(slash + 1), read(member)));
  }
  const entries = [...domains].map(([domain, names]) => [domain, new NamedValues(names)] as const);
  return new NamedValues(new Map(entries), NOTHING);
}

class NamedValues extends CelMap {
  readonly #values: ReadonlyMap<string, CelValue>;
  /** What names have that are not there. */
  readonly #absent: CelValue | undefined;

  constructor(values: ReadonlyMap<string, CelValue>, absent?: CelValue) {
    super();
    this.#values = values;
    this.#absent = absent;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === "string" ? (this.#values.get(key) ?? this.#absent) : undefined;
  }

  override has(key: CelValue): boolean {
    return typeof key === "string" && this.#values.has(key);
  }

  keys(): Iterable<CelValue> {
    return this.#values.keys();
  }
}

/** Of a domain that the device has nothing of: asking for one of its names is what fails. */
const NOTHING = new NamedValues(new Map());

class DeviceValue extends CelObject {
  readonly type: CelType;
  readonly #fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  get(field: string): CelValue | undefined {
    return this.#fields.get(field);
  }

  equals(other: CelObject): boolean {
    return this === other;
  }
}
