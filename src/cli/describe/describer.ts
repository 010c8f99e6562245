// What describes an object of a kind: what it writes on, and what it may look up beside the object.

import type { JsonObject } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import type { Sheet } from "./sheet.ts";

export interface Lookup {
  readonly names: Names;
  readonly nowMs: number;
  /** Objects of a resource; undefined when the server does not show them. */
  list(resource: string, namespace: string | undefined, selectors?: Selectors): Promise<JsonObject[] | undefined>;
  /** Undefined when it is not there, or the server does not show it. */
  get(resource: string, namespace: string | undefined, name: string): Promise<JsonObject | undefined>;
}

interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface Describer {
  /** Events say more about it: when not given they are shown. */
  readonly withEvents?: boolean;
  /** Everything but the events. */
  write(sheet: Sheet, object: JsonObject, lookup: Lookup): void | Promise<void>;
}
