// What is compiled of a policy or a webhook: by the first request that needs it, in turns with all others; later ones find it.

import { inTurns, type Steps } from "../../base/steps.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { turnOf } from "../../registry/write.ts";

export class MadeOnce<T> {
  readonly #make: () => Steps<T>;
  #made: { readonly value: T } | Promise<T> | undefined;

  constructor(make: () => Steps<T>) {
    this.#make = make;
  }

  get({ caller }: Pick<AdmissionRequest, "caller">): T | Promise<T> {
    if (this.#made === undefined) {
      this.#made = inTurns(this.#make(), () => turnOf(caller)).then(
        (value) => {
          this.#made = { value };
          return value;
        },
        (error: unknown) => {
          this.#made = undefined;
          throw error;
        },
      );
    }
    return this.#made instanceof Promise ? this.#made : this.#made.value;
  }
}
