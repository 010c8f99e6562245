// Which webhooks of a request are called a second time: those that wish it and were called before something changed.
//
// Example: a (wishes it) is called, then b changes the object -> a is due. Nothing changes after b -> only a is called again.

import { cloneJsonInSteps, equalJsonInSteps } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import type { ApiObject } from "../../meta/object.ts";

export class Reinvocation {
  /** Called already and wishing to be called again after a change. */
  readonly #called = new Set<string>();
  readonly #due = new Set<string>();
  #lastSeen: ApiObject | undefined;

  /** A webhook was called that wishes to be called again after later changes. */
  remember(id: string): void {
    this.#called.add(id);
  }

  /** The object changed: those called before must see it. */
  demandEarlier(): void {
    for (const id of this.#called) this.#due.add(id);
    this.#called.clear();
  }

  /** The end of a round over all webhooks. */
  *finish(object: ApiObject | undefined): Steps<void> {
    // Most often nobody wishes to see what becomes of it.
    this.#lastSeen = object === undefined || this.#called.size === 0 ? undefined : yield* cloneJsonInSteps(object);
  }

  /** A second round begins: what other plug-ins have changed since counts too. */
  *startAgain(object: ApiObject | undefined): Steps<void> {
    if (this.#called.size > 0 && !(yield* equalJsonInSteps(object, this.#lastSeen))) this.demandEarlier();
  }

  isDue(id: string): boolean {
    return this.#due.delete(id);
  }
}
