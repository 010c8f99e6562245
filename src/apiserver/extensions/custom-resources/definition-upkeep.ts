// What happens to a definition after it was stored: its status is written, and when it goes its objects go before it.

import type { Background } from "../../../base/background.ts";
import type { BackgroundLoop } from "../../../base/background-loop.ts";
import type { Log } from "../../../base/log.ts";
import { inTurns } from "../../../base/steps.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { AdmissionChain } from "../../../registry/admission.ts";
import { decodeOrCorrupt } from "../../../registry/read-object.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import { deleteAsServer, updateAsServer } from "../../../registry/server-writes.ts";
import { timestamp, turnOf, type WriteDeps } from "../../../registry/write.ts";
import type { ActiveDefinition } from "./active-definition.ts";
import {
  asDefinition,
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionSummary,
  isJudged,
  summaryOf,
  violationsOf,
} from "./definition.ts";
import { wantedStatus, withDefinitionCondition } from "./definition-status.ts";
import { isServed } from "./naming.ts";

interface UpkeepDeps {
  readonly context: WriteDeps;
  readonly definitions: ServedResource;
  readonly log: Log;
  readonly background: Background;
  readonly find: (name: string) => ActiveDefinition | undefined;
}

/** As upstream's server calls itself. */
const MANAGER = "kube-apiserver";
/** While objects with finalizers remain, or a write fails, the definition is looked at again after this time. */
const RETRY_MS = { first: 250, max: 10_000 };
/** Whoever creates a definition waits so long for the process that writes its status. */
const WRITTEN_MS = 5_000;
/** So many objects are looked for at once. */
const PAGE = 500;
/** And so many deleted at once, so that they share commits. */
const AT_ONCE = 32;

export class DefinitionUpkeep {
  readonly #deps: UpkeepDeps;
  readonly #loop: BackgroundLoop;
  /** Who waits until another process has written the status of a definition, by its uid. */
  readonly #waiting = new Map<string, () => void>();

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
    this.#loop = deps.background.loop({
      name: "definitions",
      oncePerStore: true,
      failure: "a definition could not be brought up to date, trying again",
      keyField: "definition",
      retryMs: RETRY_MS,
      reconcile: async (name) => ((await this.#reconcile(name)) ? "done" : "retry"),
    });
  }

  /** Has a definition looked at, soon. */
  enqueue(name: string): void {
    this.#loop.enqueue(name);
    const summary = this.#deps.find(name)?.summary;
    if (summary !== undefined && isWritten(summary)) this.#waiting.get(summary.uid)?.();
  }

  /** Looks at a definition now, without the others that wait. Never fails: what could not be done is tried again. */
  settle(name: string, uid: string): Promise<void> {
    return this.#deps.background.follows ? this.#writtenByOther(name, uid) : this.#loop.settle(name);
  }

  close(): void {
    this.#loop.close();
    for (const end of [...this.#waiting.values()]) end();
  }

  #writtenByOther(name: string, uid: string): Promise<void> {
    const summary = this.#deps.find(name)?.summary;
    if (summary?.uid === uid && isWritten(summary)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.#waiting.delete(uid);
        resolve();
      };
      const timer = this.#deps.background.clock.setTimer(WRITTEN_MS, end);
      this.#waiting.set(uid, end);
    });
  }

  /** True when nothing is left to do. */
  async #reconcile(name: string): Promise<boolean> {
    const active = this.#deps.find(name);
    if (active === undefined) return true;
    if (active.summary.terminating) return this.#end(active);
    await this.#writeStatus(active.summary, (summary, violations) => {
      const naming = this.#deps.find(name)?.naming;
      if (naming === undefined) return undefined;
      return wantedStatus(summary, { naming, violations }, this.#names, this.#now());
    });
    return true;
  }

  async #end(active: ActiveDefinition): Promise<boolean> {
    const { summary } = active;
    const { definitions } = this.#deps;
    const entry = await definitions.store!.get(definitions.store!.keyOf("", summary.name));
    const { finalizers = [] } = entry === undefined ? {} : (await decodeOrCorrupt(definitions, entry)).metadata;
    if (!finalizers.includes(this.#names.definitionFinalizer)) return true;
    if (!isServed(summary, active.naming)) {
      // What lies below its path, if anything, belongs to somebody else.
      await this.#setCondition(summary, "False", "NeverEstablished", "resource was never established");
      await this.#removeFinalizer(summary.name);
      return true;
    }
    await this.#setCondition(summary, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
    const left = await this.#deleteInstances(active);
    if (left > 0) return false;
    await this.#setCondition(summary, "False", "InstanceDeletionCompleted", "removed all instances");
    await this.#removeFinalizer(summary.name);
    return true;
  }

  /** Answers how many are left: those that somebody's finalizer holds. */
  async #deleteInstances({ versions }: ActiveDefinition): Promise<number> {
    const resource = versions.stored;
    if (resource?.store === undefined) return 0;
    const { store } = resource;
    let left = 0;
    let after: string | undefined;
    for (;;) {
      const page = await store.engine.list(store.prefix, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (let i = 0; i < page.entries.length; i += AT_ONCE) {
        const keys = page.entries.slice(i, i + AT_ONCE).map(({ key }) => key.slice(store.prefix.length));
        const gone = await Promise.all(keys.map((path) => this.#deleteInstance(resource, path)));
        left += gone.filter((each) => !each).length;
      }
      after = page.entries.at(-1)?.key;
      if (!page.more || this.#loop.closed) return left;
    }
  }

  async #deleteInstance(resource: ServedResource, path: string): Promise<boolean> {
    const slash = path.indexOf("/");
    const [namespace, name] = slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)];
    try {
      return await deleteAsServer(this.#unattended, { resource, namespace, name }, { propagationPolicy: "Background" });
    } catch (error) {
      this.#deps.log.debug({ err: error, name: path }, "an object of a definition that ends could not be deleted");
      return false;
    }
  }

  async #setCondition(summary: DefinitionSummary, status: string, reason: string, message: string): Promise<void> {
    await this.#writeStatus(summary, (now) => {
      const conditions = withDefinitionCondition(
        now.conditions,
        { type: "Terminating", status, reason, message },
        this.#now(),
      );
      return conditions === now.conditions ? undefined : { conditions };
    });
  }

  /** `change` says what the status should be; undefined leaves it. `violations`: why the schemas are not structural. */
  async #writeStatus(
    summary: DefinitionSummary,
    change: (summary: DefinitionSummary, violations: string) => StatusChange | undefined,
  ): Promise<void> {
    if (isJudged(summary) && change(summary, "") === undefined) return;
    const { context, definitions } = this.#deps;
    const write = { resource: definitions, name: summary.name, subresource: "status", manager: MANAGER };
    await updateAsServer(context, write, async (current) => {
      const found = summaryOf(current, this.#names.apiApprovedAnnotation);
      const violations = isJudged(found) ? "" : await inTurns(violationsOf(current), turnOf);
      const wanted = change(found, violations);
      return wanted === undefined ? undefined : withStatus(current, wanted);
    });
  }

  async #removeFinalizer(name: string): Promise<void> {
    const { context, definitions } = this.#deps;
    const { definitionFinalizer } = this.#names;
    const change = (current: ApiObject) => {
      const { finalizers = [] } = current.metadata;
      current.metadata.finalizers = finalizers.filter((finalizer) => finalizer !== definitionFinalizer);
      return current;
    };
    await updateAsServer(context, { resource: definitions, name }, change, { internal: true });
  }

  /** Objects go with their definition whatever admission would say: nobody is left to ask. */
  get #unattended(): WriteDeps {
    return { ...this.#deps.context, admission: NO_ADMISSION };
  }

  get #names(): Names {
    return this.#deps.context.names;
  }

  #now(): string {
    return timestamp(this.#deps.context.clock);
  }
}

const NO_ADMISSION = new AdmissionChain([]);

/** Nobody but the server writes it. */
const isWritten = ({ conditions }: DefinitionSummary): boolean => conditions.length > 0;

interface StatusChange {
  readonly acceptedNames?: DefinitionNames;
  readonly conditions: readonly DefinitionCondition[];
}

function withStatus(object: ApiObject, { acceptedNames, conditions }: StatusChange): ApiObject {
  const definition = asDefinition(object);
  const status = { ...definition.status, conditions: [...conditions] };
  if (acceptedNames !== undefined) status.acceptedNames = writtenNames(acceptedNames);
  return { ...object, status };
}

/** Empty lists are left out, as everywhere. */
function writtenNames({ shortNames, categories, singular, listKind, ...names }: DefinitionNames) {
  return {
    plural: names.plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    kind: names.kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}
