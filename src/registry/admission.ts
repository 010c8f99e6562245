// Admission: who else has a say in a write, after authorization. Mutating plug-ins first, validating ones last, in order.

import type { ApiObject, GroupVersionKind } from "../meta/object.ts";
import type { UserInfo } from "../meta/user.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** One write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while a generated name is not known yet. */
  readonly name: string;
  /** What the path of the request names; empty where only its body does. */
  readonly pathName?: string;
  /** The request named all objects of a collection: what others are told of this one has no name. */
  readonly ofCollection?: boolean;
  /** What is to be stored; mutating plug-ins change it in place or replace it. Undefined for DELETE. */
  object: ApiObject | undefined;
  /** Set by who puts an object of many values there: what follows is then done in steps, whatever came in. */
  isLarge?: boolean;
  /** What is stored. Undefined for CREATE. */
  readonly oldObject: ApiObject | undefined;
  /** The options of the request (CreateOptions, UpdateOptions, DeleteOptions, ...), as webhooks see them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Warning headers of the answer. */
  readonly warnings: string[];
  readonly auditAnnotations: Map<string, string>;
  /** Who waits for the answer: calls to others end when nobody does any more. */
  readonly caller?: WaitingFor;
}

/** Its signal is made when somebody asks for it. */
export interface WaitingFor {
  readonly signal: AbortSignal;
  /** Told when work for it goes on after a wait. */
  goOn?(): void;
}

/** All mutating plug-ins run once more, and no more than once, when one of them asks for it. */
interface MutationRound {
  /** This is the second round. */
  readonly again: boolean;
  requestReinvocation(): void;
}

export const ONLY_ROUND: MutationRound = { again: false, requestReinvocation: () => undefined };

export interface AdmissionPlugin {
  readonly name: string;
  /** The only resources it ever handles, of whatever group; without it is asked about all. */
  readonly resources?: readonly string[];
  /** Cheap: whether the plug-in wants to see such a request at all. */
  handles(request: AdmissionRequest): boolean;
  /** May change request.object; refuses by throwing a StatusError. */
  mutate?(request: AdmissionRequest, round?: MutationRound): void | Promise<void>;
  /** Refuses by throwing a StatusError. */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Told how long everything took, in seconds. */
export interface AdmissionObserver {
  plugin(name: string, type: AdmissionType, operation: Operation, rejected: boolean, seconds: number): void;
  step(type: AdmissionType, operation: Operation, rejected: boolean, seconds: number): void;
}

type AdmissionType = "admit" | "validate";

/** Plug-ins in order, by what they do. */
interface PluginLists {
  readonly admit: readonly AdmissionPlugin[];
  readonly validate: readonly AdmissionPlugin[];
}

export class AdmissionChain {
  /** Those that may have a say about a resource that some of them name, ... */
  readonly #byResource = new Map<string, PluginLists>();
  /** ... and about any other. */
  readonly #others: PluginLists;
  readonly #observer: AdmissionObserver | undefined;

  constructor(plugins: readonly AdmissionPlugin[], observer?: AdmissionObserver) {
    const listed = (resource?: string): PluginLists => {
      const asked = plugins.filter(
        ({ resources }) => resources === undefined || (resource !== undefined && resources.includes(resource)),
      );
      return {
        admit: asked.filter(({ mutate }) => mutate !== undefined),
        validate: asked.filter(({ validate }) => validate !== undefined),
      };
    };
    this.#others = listed();
    for (const { resources = [] } of plugins)
      for (const resource of resources) this.#byResource.set(resource, listed(resource));
    this.#observer = observer;
  }

  /** A promise only where somebody must be waited for. */
  mutate(request: AdmissionRequest): void | Promise<void> {
    let another = false;
    const requestReinvocation = () => {
      another = true;
    };
    const goOn = () => (another ? this.#step("admit", request, { again: true, requestReinvocation }) : undefined);
    const waiting = this.#step("admit", request, { again: false, requestReinvocation });
    return waiting === undefined ? goOn() : waiting.then(goOn);
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    return this.#step("validate", request, ONLY_ROUND);
  }

  #step(type: AdmissionType, request: AdmissionRequest, round: MutationRound): void | Promise<void> {
    const startMs = performance.now();
    const ended = (rejected: boolean): void =>
      this.#observer?.step(type, request.operation, rejected, secondsSince(startMs));
    const plugins = (this.#byResource.get(request.resource.resource) ?? this.#others)[type];
    let waiting: Promise<void> | undefined;
    try {
      for (let at = 0; at < plugins.length && waiting === undefined; at++) {
        const pending = this.#ask(type, plugins[at]!, request, round);
        if (pending !== undefined) waiting = this.#askRest(pending, type, plugins.slice(at + 1), request, round);
      }
    } catch (error) {
      ended(true);
      throw error;
    }
    if (waiting === undefined) return ended(false);
    return waiting.then(
      () => ended(false),
      (error: unknown) => {
        ended(true);
        throw error;
      },
    );
  }

  async #askRest(
    pending: Promise<void>,
    type: AdmissionType,
    plugins: readonly AdmissionPlugin[],
    request: AdmissionRequest,
    round: MutationRound,
  ): Promise<void> {
    await pending;
    for (const plugin of plugins) {
      const next = this.#ask(type, plugin, request, round);
      // A wait for nothing takes longer than most plug-ins.
      if (next !== undefined) await next;
    }
  }

  /** Most plug-ins answer at once. */
  #ask(
    type: AdmissionType,
    plugin: AdmissionPlugin,
    request: AdmissionRequest,
    round: MutationRound,
  ): Promise<void> | undefined {
    if (!plugin.handles(request)) return undefined;
    const ask = () => (type === "admit" ? plugin.mutate!(request, round) : plugin.validate!(request));
    const observer = this.#observer;
    if (observer === undefined) return ask() ?? undefined;
    const startMs = performance.now();
    const ended = (rejected: boolean): void =>
      observer.plugin(plugin.name, type, request.operation, rejected, secondsSince(startMs));
    let pending: void | Promise<void>;
    try {
      pending = ask();
    } catch (error) {
      ended(true);
      throw error;
    }
    if (pending === undefined) {
      ended(false);
      return undefined;
    }
    return pending.then(
      () => ended(false),
      (error: unknown) => {
        ended(true);
        throw error;
      },
    );
  }
}

const secondsSince = (startMs: number): number => (performance.now() - startMs) / 1000;
