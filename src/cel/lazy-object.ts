// Objects whose fields are worked out when they are first read, such as the variables of an admission policy.

import type { StructDeclaration } from "./declarations.ts";
import { type CelType, structType } from "./types.ts";
import { CelObject, type CelValue } from "./values.ts";

/** The declaration of an object with these fields; the values are made with `new LazyObject(declaration.type, ...)`. */
export function lazyStruct(name: string, fields: ReadonlyMap<string, CelType>): StructDeclaration {
  return { type: structType(name), field: (field) => fields.get(field), fieldNames: () => fields.keys() };
}

export class LazyObject extends CelObject {
  readonly type: CelType;
  readonly #resolve: (field: string) => CelValue | undefined;
  readonly #known = new Map<string, CelValue | undefined>();

  /** `resolve` is asked at most once a field; undefined says that it is not set. Errors are values like others. */
  constructor(type: CelType, resolve: (field: string) => CelValue | undefined) {
    super();
    this.type = type;
    this.#resolve = resolve;
  }

  get(field: string): CelValue | undefined {
    if (!this.#known.has(field)) this.#known.set(field, this.#resolve(field));
    return this.#known.get(field);
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}
