// An APIService for every group and version that this server serves itself, kept in step with what it serves: those of built-in
// groups when the server starts, those of custom resources always. Registrations without our label are somebody else's.

import type { Background } from "../../../base/background.ts";
import type { BackgroundLoop } from "../../../base/background-loop.ts";
import type { Log } from "../../../base/log.ts";
import { nextTurn } from "../../../base/next-turn.ts";
import { inTurns, type Steps } from "../../../base/steps.ts";
import type { APIService } from "../../../kinds/apiregistration/api-service.ts";
import type { GroupKey } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { isStatusError } from "../../../meta/status-error.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { createAsServer, deleteAsServer, type ServerWrite, updateAsServer } from "../../../registry/server-writes.ts";
import type { WriteDeps } from "../../../registry/write.ts";
import { type Priorities, prioritiesOf } from "./priorities.ts";
import type { RegisteredApi } from "./remote-api.ts";
import type { RemoteApis } from "./remote-apis.ts";

/** Definitions that come together are registered together. */
const SETTLE_MS = 20;
/** The label's value on registrations that are kept always, and from the start on. */
const MANAGER = "kube-apiserver";
const ALWAYS = "true";
const ON_START = "onstart";

interface LocalApi {
  readonly group: string;
  readonly version: string;
  /** Undefined for custom resources. */
  readonly builtIn: GroupKey | undefined;
  readonly priorities: Priorities;
}

interface LocalApiServicesParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  readonly apis: RemoteApis;
  readonly background: Background;
  readonly log: Log;
}

export class LocalApiServices {
  readonly #parts: LocalApiServicesParts;
  #stopListening: (() => void) | undefined;
  readonly #loop: BackgroundLoop;

  constructor(parts: LocalApiServicesParts) {
    this.#parts = parts;
    this.#loop = parts.background.loop({
      name: "local-apiservices",
      oncePerStore: true,
      failure: "the registration of a group of custom resources failed, trying again",
      log: parts.log,
      settleMs: SETTLE_MS,
      reconcile: async () => {
        await this.#register(false);
        return "done";
      },
    });
  }

  /** Once the registrations that are there have been loaded. */
  async start(): Promise<void> {
    const { catalog, apis } = this.#parts;
    await this.#register(true);
    this.#stopListening = catalog.onChange(() => this.#loop.enqueue());
    apis.onChange((now, before) => {
      if ((now ?? before)?.managed === ALWAYS || before?.managed === ALWAYS) this.#loop.enqueue();
    });
  }

  close(): void {
    this.#loop.close();
    this.#stopListening?.();
  }

  async #register(starting: boolean): Promise<void> {
    const { apis } = this.#parts;
    const wanted = await inTurns(this.#wanted());
    const kept = [...wanted].filter(([, { builtIn }]) => starting || builtIn === undefined);
    await aFewAtOnce(kept, ([name, api]) => this.#ensure(name, api, apis.get(name)));
    const spurious = [...apis.registered()].filter(
      ({ name, managed }) => !wanted.has(name) && (managed === ALWAYS || (starting && managed === ON_START)),
    );
    await aFewAtOnce(spurious, (api) => this.#remove(api));
  }

  /** By the name of the APIService. */
  *#wanted(): Steps<Map<string, LocalApi>> {
    const { deps, catalog } = this.#parts;
    const { names } = deps;
    const wanted = new Map<string, LocalApi>();
    // The group of the registrations themselves is not registered: it comes before all others.
    const own = names.group("apiregistration");
    let looked = 0;
    for (const [group, version] of catalog.groupVersions()) {
      if (++looked % A_STEP === 0) yield;
      const name = `${version}.${group}`;
      if (group === own || wanted.has(name)) continue;
      const builtIn = names.groupKey(group);
      wanted.set(name, { group, version, builtIn, priorities: prioritiesOf(builtIn, version) });
    }
    return wanted;
  }

  async #ensure(name: string, api: LocalApi, known: RegisteredApi | undefined): Promise<void> {
    if (known === undefined) return this.#create(name, api);
    const same =
      known.remote === undefined &&
      known.priorities[0] === api.priorities[0] &&
      known.priorities[1] === api.priorities[1];
    // Whoever has taken the label away wants something else in its place.
    if (same || (known.managed !== ALWAYS && known.managed !== ON_START)) return;
    const write = this.#write(name);
    if (write === undefined) return;
    const change = (current: ApiObject) => ({ ...current, spec: specOf(api) });
    await updateAsServer(this.#parts.deps, write, change, { uid: known.uid });
  }

  async #create(name: string, api: LocalApi): Promise<void> {
    const { deps } = this.#parts;
    const write = this.#write(name);
    if (write === undefined) return;
    const label = api.builtIn === undefined ? ALWAYS : ON_START;
    const metadata = { labels: { [deps.names.automanagedLabel]: label } };
    await createAsServer(deps, write, { metadata, spec: { ...specOf(api) } });
  }

  async #remove({ name, uid }: RegisteredApi): Promise<void> {
    const write = this.#write(name);
    if (write === undefined) return;
    try {
      await deleteAsServer(this.#parts.deps, write, { preconditions: { uid } });
    } catch (error) {
      // Somebody has made another one in its place.
      if (!isStatusError(error, "Conflict")) throw error;
    }
  }

  /** Undefined where registrations are not served. */
  #write(name: string): ServerWrite | undefined {
    const { deps, catalog } = this.#parts;
    const resource = catalog.own(deps.names.group("apiregistration"), "v1", "apiservices");
    return resource?.store === undefined ? undefined : { resource, name, manager: MANAGER };
  }
}

/** A definition may have very many versions: others have their turn between their registrations. */
async function aFewAtOnce<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    if (start > 0) await nextTurn();
    await Promise.all(items.slice(start, start + AT_ONCE).map(run));
  }
}

const AT_ONCE = 8;
/** Of groups and versions. */
const A_STEP = 200;

function specOf({ group, version, priorities }: LocalApi): APIService["spec"] {
  return { group, version, groupPriorityMinimum: priorities[0], versionPriority: priorities[1] };
}
