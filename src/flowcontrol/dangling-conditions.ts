// Keeps the condition Dangling of every FlowSchema, by server-side apply, so that it has an owner.

import type { Background } from "../base/background.ts";
import type { BackgroundLoop, Outcome } from "../base/background-loop.ts";
import type { JsonObject } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import type { ApiObject } from "../meta/object.ts";
import { isStatusError } from "../meta/status-error.ts";
import { applyIntent } from "../patch/apply.ts";
import { applyConflictError } from "../patch/apply-conflict.ts";
import { shapeValue } from "../registry/decode-body.ts";
import { ownershipContext } from "../registry/field-managers.ts";
import { setTypeAndDefaults } from "../registry/incoming-object.ts";
import { inOtherVersions } from "../registry/other-versions.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { requestOf } from "../registry/server-writes.ts";
import { updateObject } from "../registry/update-object.ts";
import { timestamp, type WriteDeps } from "../registry/write.ts";
import { missingCondition } from "./dangling.ts";

const MANAGER = "api-priority-and-fairness-config-consumer-v1";
/** Somebody else may insist on another status: the server says its own so often in a minute, and then waits. */
const MAX_WRITES_A_MINUTE = 6;
const MINUTE_MS = 60_000;

interface DanglingDeps {
  readonly write: WriteDeps;
  readonly resource: ServedResource;
  readonly schemas: () => Iterable<FlowSchema>;
  readonly levelExists: (name: string) => boolean;
  readonly background: Background;
}

export class DanglingConditions {
  readonly #deps: DanglingDeps;
  readonly #writesMs = new Map<string, number[]>();
  readonly #loop: BackgroundLoop;

  constructor(deps: DanglingDeps) {
    this.#deps = deps;
    this.#loop = deps.background.loop({
      name: "flowschemas",
      oncePerStore: true,
      failure: "the status of a FlowSchema could not be written; trying again",
      reconcile: () => this.#pass(),
    });
  }

  /** Has every schema looked at again, soon. */
  enqueue(): void {
    this.#loop.enqueue();
  }

  close(): void {
    this.#loop.close();
  }

  async #pass(): Promise<Outcome> {
    const { schemas, levelExists, write } = this.#deps;
    const nowMs = write.clock.nowMs();
    const pending: Promise<void>[] = [];
    const seen = new Set<string>();
    let outcome: Outcome = "done";
    for (const schema of schemas()) {
      const name = schema.metadata.name ?? "";
      seen.add(name);
      const condition = missingCondition(schema, levelExists(schema.spec.priorityLevelConfiguration.name));
      if (condition === undefined) continue;
      if (this.#mayWrite(name, nowMs))
        pending.push(this.#apply(name, { ...condition, lastTransitionTime: timestamp(write.clock) }));
      else outcome = { againInMs: MINUTE_MS };
    }
    for (const name of this.#writesMs.keys()) if (!seen.has(name)) this.#writesMs.delete(name);
    await Promise.all(pending);
    return outcome;
  }

  #mayWrite(name: string, nowMs: number): boolean {
    const recent = (this.#writesMs.get(name) ?? []).filter((atMs) => nowMs - atMs < MINUTE_MS);
    const may = recent.length < MAX_WRITES_A_MINUTE;
    if (may) recent.push(nowMs);
    this.#writesMs.set(name, recent);
    return may;
  }

  async #apply(name: string, condition: Readonly<Record<string, unknown>>): Promise<void> {
    const { write, resource } = this.#deps;
    const request = requestOf({ resource, name, subresource: "status", manager: MANAGER });
    const identity = { apiVersion: resource.apiVersion, kind: resource.kind.kind };
    const intent = { ...identity, metadata: { name }, status: { conditions: [condition] } } as unknown as ApiObject;
    try {
      await updateObject(write, request, {
        managesFields: true,
        versionOptional: true,
        next: async (live) => {
          const input = { ...ownershipContext(write, request), live, intent, manager: MANAGER, force: true };
          const result = await inOtherVersions(resource, (convert) => applyIntent({ ...input, convert }));
          if (result.conflicts !== undefined) throw applyConflictError(result.conflicts);
          const { object } = atOnce(shapeValue(resource, result.object as unknown as JsonObject, false));
          await setTypeAndDefaults(write, request, object);
          return object;
        },
      });
    } catch (error) {
      // Gone meanwhile: nothing is left to be said.
      if (!isStatusError(error, "NotFound")) throw error;
    }
  }
}
