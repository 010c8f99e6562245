// Writes what type checking finds into the status of policies, a moment after they come or change.

import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { ValidatingAdmissionPolicy } from "../../kinds/admissionregistration/validating-admission-policy.ts";
import { updateAsServer } from "../../registry/server-writes.ts";
import type { Lookup } from "../mirrors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { type ExpressionWarning, typeWarnings } from "./type-checking.ts";

/** Definitions that a policy matches may be installed together with it. */
const SETTLE_MS = 200;

/** As upstream's controller for it calls itself. */
const MANAGER = "validatingadmissionpolicy-status";

export class PolicyStatus {
  readonly #parts: PluginParts;
  readonly #policies: Lookup<ValidatingAdmissionPolicy> | undefined;
  readonly #loop: BackgroundLoop;

  constructor(parts: PluginParts) {
    this.#parts = parts;
    const { names, mirrors } = parts;
    this.#loop = parts.background.loop({
      name: "policies",
      failure: "the status of a policy could not be written, trying again",
      keyField: "policy",
      settleMs: SETTLE_MS,
      reconcile: async (name) => {
        await this.#check(name);
        return "done";
      },
    });
    this.#policies = mirrors.projected<ValidatingAdmissionPolicy>(
      names.group("admissionregistration"),
      "v1",
      "validatingadmissionpolicies",
      {
        project: (object) => object as unknown as ValidatingAdmissionPolicy,
        onChange: (_key, now, before) => {
          if (now !== undefined && now.metadata.generation !== before?.metadata.generation && !isObserved(now))
            this.#loop.enqueue(now.metadata.name ?? "");
        },
      },
    );
  }

  close(): void {
    this.#loop.close();
  }

  async #check(name: string): Promise<void> {
    const policy = this.#policies?.get("", name);
    if (policy === undefined || isObserved(policy)) return;
    const { metadata, spec } = policy;
    const { names, catalog, gateEnabled } = this.#parts;
    const found = typeWarnings(names, catalog, spec, gateEnabled("AuthorizeWithSelectors"));
    await this.#write(name, metadata.generation ?? 0, found);
  }

  async #write(name: string, generation: number, found: readonly ExpressionWarning[]): Promise<void> {
    const { names, catalog, writeDeps } = this.#parts;
    const resource = catalog.own(names.group("admissionregistration"), "v1", "validatingadmissionpolicies")!;
    const write = { resource, name, subresource: "status", manager: MANAGER };
    await updateAsServer(writeDeps(), write, (current) => {
      const policy = current as unknown as ValidatingAdmissionPolicy;
      // A newer one is checked by itself, and another server may have been here first.
      if (policy.metadata.generation !== generation || isObserved(policy)) return undefined;
      const typeChecking = found.length === 0 ? {} : { expressionWarnings: found };
      return { ...current, status: { ...policy.status, observedGeneration: generation, typeChecking } };
    });
  }
}

function isObserved({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}
