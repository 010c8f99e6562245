// Pods: beside the verbs of every resource, their logs, and what runs in their containers.

import type { Binding } from "../../kinds/core/binding.ts";
import type { PodLogOptions } from "../../kinds/core/connect-options.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Eviction } from "../../kinds/policy/eviction.ts";
import { apiVersionOf } from "../../meta/object.ts";
import { type ContainerSession, openContainerSession } from "./container-session.ts";
import type { NameOrKey } from "./modify-object.ts";
import { type ForwardedPort, openPortForward } from "./port-forward.ts";
import { type RequestOptions, send, sendOptions } from "./request-sender.ts";
import { Resource } from "./resource.ts";
import { type Query, withQuery } from "./resource-path.ts";
import type { Subresource } from "./subresource.ts";
import { type DeleteOptions, deleteBody, type WriteOptions } from "./write-options.ts";

type LogOptions = Draft<Omit<PodLogOptions, "kind" | "apiVersion">> & RequestOptions;

interface AttachOptions {
  /** May be left out when the pod has only one. */
  readonly container?: string | undefined;
  readonly stdin?: boolean | undefined;
  /** Both true when not given. */
  readonly stdout?: boolean | undefined;
  readonly stderr?: boolean | undefined;
  /** A terminal: standard error then comes with standard output. */
  readonly tty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

export class PodResource extends Resource<Pod> {
  /** The log of a container, piece by piece as it comes. */
  async *log(name: NameOrKey, options: LogOptions = {}): AsyncGenerator<Uint8Array, void, void> {
    const { signal, onWarning, ...query } = options;
    const path = this.path(name, query, undefined, "log");
    const response = await send(this.sender, { method: "GET", path, signal, onWarning, accept: "*/*" });
    yield* response.stream();
  }

  /** Runs a command in a container. */
  exec(name: NameOrKey, { command, ...options }: ExecOptions): Promise<ContainerSession> {
    return this.#session(name, "exec", options, { command });
  }

  /** Joins what a container already runs. */
  attach(name: NameOrKey, options: AttachOptions = {}): Promise<ContainerSession> {
    return this.#session(name, "attach", options, {});
  }

  /** A connection to a port of the pod. */
  portForward(
    name: NameOrKey,
    port: number,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<ForwardedPort> {
    const path = this.path(name, { ports: port }, undefined, "portforward");
    return openPortForward(this.sender, path, signal);
  }

  /** Asks the pod to leave; 429 while a disruption budget does not allow it. */
  async evict(name: NameOrKey, options: DeleteOptions = {}): Promise<void> {
    const apiVersion = apiVersionOf(this.sender.names.group("policy"), "v1");
    const body = { apiVersion, kind: "Eviction", metadata: this.#metadata(name), deleteOptions: deleteBody(options) };
    const eviction = this.subresource<Eviction>("eviction");
    await eviction.create(name, body as never, { ...sendOptions(options), dryRun: options.dryRun, answer: "unread" });
  }

  /** Assigns the pod to a node. */
  async bind(
    name: NameOrKey,
    nodeName: string,
    options: WriteOptions & { readonly uid?: string | undefined } = {},
  ): Promise<void> {
    const target = { kind: "Node", apiVersion: "v1", name: nodeName };
    const metadata = { ...this.#metadata(name), ...(options.uid === undefined ? {} : { uid: options.uid }) };
    const binding = this.subresource<Binding>("binding", "Binding");
    await binding.create(name, { metadata, target }, { ...options, answer: "unread" });
  }

  get ephemeralContainers(): Subresource<Pod> {
    return this.subresource<Pod>("ephemeralcontainers", this.type.kind);
  }

  get resize(): Subresource<Pod> {
    return this.subresource<Pod>("resize", this.type.kind);
  }

  #metadata(name: NameOrKey): { name: string; namespace?: string } {
    const key = typeof name === "string" ? { name } : name;
    const namespace = key.namespace ?? this.namespace;
    return namespace === undefined ? { name: key.name } : { name: key.name, namespace };
  }

  #session(name: NameOrKey, verb: "exec" | "attach", options: AttachOptions, more: Query): Promise<ContainerSession> {
    const { container, stdin = false, stdout = true, tty = false, signal } = options;
    const stderr = options.stderr ?? !tty;
    const path = withQuery(this.path(name, {}, undefined, verb), { container, stdin, stdout, stderr, tty, ...more });
    return openContainerSession(this.sender, path, signal);
  }
}
