// A client of a server: the objects of any kind, of custom kinds, and of resources that are only named. `client.ts` adds
// the built-in groups with their types.

import { type Clock, systemClock } from "../base/clock.ts";
import { definedOnly } from "../base/defined-only.ts";
import { type Dialect, type Names, namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import type { InstallableKind } from "./custom-kind.ts";
import type { EmptyResources } from "./empty-resources.ts";
import { Informer, type InformerOptions } from "./informer.ts";
import { installKind } from "./resources/install-kind.ts";
import {
  type RequestOptions,
  type RequestSender,
  sendForObject,
  type WarnedRequest,
} from "./resources/request-sender.ts";
import { Resource } from "./resources/resource.ts";
import { type ApiKind, resourceTypeOf } from "./resources/resource-type.ts";
import type { Transport } from "./transport.ts";

export type { Change } from "./resources/follow-resource.ts";
export type { Resource } from "./resources/resource.ts";

export interface ClientOptions {
  readonly transport: Transport;
  /** Whose names the server speaks; "platform" when not given. */
  readonly dialect?: Dialect | undefined;
  readonly clock?: Clock | undefined;
  /** Between 0 and 1, for jitter. */
  readonly random?: (() => number) | undefined;
  /** Recorded as the owner of fields by writes that name none; the server then takes the user agent. */
  readonly fieldManager?: string | undefined;
  /** Told of every warning of the server that a request does not listen for itself. */
  readonly onWarning?: ((warning: string, request: WarnedRequest) => void) | undefined;
  /** Told of every object that a write is answered with, sub-resources included; not of dry runs. */
  readonly onWritten?: ((object: unknown) => void) | undefined;
  /** Of a server in the same process. */
  readonly emptyResources?: EmptyResources | undefined;
}

/** A resource by its whole names. */
export interface NamedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Fills in the kind of objects that do not say it. */
  readonly kind?: string | undefined;
  /** True when not given. */
  readonly namespaced?: boolean | undefined;
  /** Only the metadata of objects is asked for; `kind` then says what they are. */
  readonly metadataOnly?: boolean | undefined;
}

export class ResourceClient {
  readonly names: Names;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly random: () => number;
  protected readonly sender: RequestSender;

  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const { transport, dialect = "platform", clock = systemClock, random = Math.random } = options;
    this.#options = options;
    this.transport = transport;
    this.clock = clock;
    this.random = random;
    this.names = namesFor(dialect);
    const { names } = this;
    const { fieldManager, onWarning, onWritten, emptyResources } = options;
    this.sender = { transport, names, clock, random, fieldManager, onWarning, onWritten, emptyResources };
  }

  /** Whether it is told what is not there, and need not follow that; over the network it is not. */
  get knowsEmptyResources(): boolean {
    return this.sender.emptyResources !== undefined;
  }

  /** The same client with other options: over another transport, under another field manager. Undefined ones stay as they are. */
  with(options: { readonly [O in keyof ClientOptions]?: ClientOptions[O] | undefined }): this {
    const Same = this.constructor as new (options: ClientOptions) => this;
    return new Same({ ...this.#options, ...definedOnly(options) });
  }

  /** The objects of a kind: in one namespace, or in all of them when none is named. */
  resource<T>(kind: ApiKind<T>, namespace?: string): Resource<T> {
    return new Resource<T>(this.sender, resourceTypeOf(kind, this.names), namespace);
  }

  /** The objects of a resource that is known by its words only. */
  named({ namespaced = true, ...words }: NamedResource, namespace?: string): Resource<ApiObject> {
    return new Resource<ApiObject>(this.sender, { ...words, namespaced }, namespace);
  }

  /** A local copy of the objects of a kind that follows every change; start() begins. */
  informer<T>(kind: ApiKind<T>, options: InformerOptions<T> = {}): Informer<T> {
    return new Informer<T>(this.sender, resourceTypeOf(kind, this.names), options);
  }

  /** Makes the server serve a custom kind, and waits until it does. */
  install(kind: InstallableKind<unknown>, options: RequestOptions = {}): Promise<void> {
    return installKind(this, kind, options);
  }

  /** Any request that answers with an object: discovery, reviews, metrics of others. */
  request(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, object?: unknown): Promise<unknown> {
    return sendForObject(this.sender, { method, path, ...(object === undefined ? {} : { object }) });
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
