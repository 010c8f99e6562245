// The objects of one resource, in one namespace or in all: every verb, with the types of the kind.

import type { Scale } from "../../kinds/autoscaling/scale.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { isApiError } from "../api-error.ts";
import { type Change, type FollowOptions, followResource } from "./follow-resource.ts";
import {
  type ListOptions,
  type ListPage,
  listObjects,
  listPages,
  type ObjectList,
  type PageOptions,
  withType,
} from "./list-objects.ts";
import { keyOfDraft, type Modification, type ModifyOptions, modifyObject, type NameOrKey } from "./modify-object.ts";
import { type RequestOptions, type RequestSender, type Sent, sendForObject, sendOptions } from "./request-sender.ts";
import { checkNamespace, type Query, resourcePath } from "./resource-path.ts";
import { acceptFor, apiVersionOfType, type ResourceType, type Stored } from "./resource-type.ts";
import { Subresource } from "./subresource.ts";
import { isGone, type WaitOptions, waitForObject } from "./wait-for-object.ts";
import {
  type Answer,
  type AnswerOptions,
  APPLY_TYPE,
  type ApplyOptions,
  applyQuery,
  type DeleteOptions,
  deleteBody,
  dryRunQuery,
  type Patch,
  patchParts,
  type WriteOptions,
  writeQuery,
  writeSent,
} from "./write-options.ts";

interface GetOptions extends RequestOptions {
  /** "0" allows any version that the server has at hand. */
  readonly resourceVersion?: string | undefined;
}

type WatchOptions<T> = FollowOptions<T>;

/** Every method fails with ApiError when the server refuses, with TransportError when there was no answer. */
export class Resource<T> {
  readonly type: ResourceType;
  /** Undefined: all namespaces, or a resource without them. */
  readonly namespace: string | undefined;
  protected readonly sender: RequestSender;

  constructor(sender: RequestSender, type: ResourceType, namespace?: string) {
    this.sender = sender;
    this.type = type;
    this.namespace = namespace === "" ? undefined : namespace;
  }

  async get(name: NameOrKey, { resourceVersion, ...options }: GetOptions = {}): Promise<Stored<T>> {
    return this.answer({ ...options, method: "GET", path: this.path(name, { resourceVersion }) });
  }

  /** Undefined when there is no such object. */
  async find(name: NameOrKey, options: GetOptions = {}): Promise<Stored<T> | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** One answer of the server: everything, or a page when there is a `limit`. */
  list(options: ListOptions = {}): Promise<ObjectList<T>> {
    return listObjects<T>(this.sender, this.type, this.namespace, options);
  }

  /** Page by page, all of one moment. */
  pages(options: PageOptions = {}): AsyncGenerator<ListPage<T>, void, void> {
    return listPages<T>(this.sender, this.type, this.namespace, options);
  }

  /**
   * Every change from now on, beginning with a SYNC of what there is (or after `resourceVersion`). Lost connections are
   * resumed; where that is not possible another SYNC comes. Ends with the signal, whose reason it throws.
   */
  watch(options: WatchOptions<T> = {}): AsyncGenerator<Change<T>, void, void> {
    return followResource<T>(this.sender, { type: this.type, namespace: this.namespace }, options);
  }

  /**
   * Until there is an object of this name that meets the condition, by one watch; one that is deleted and made again is
   * waited for on. `"gone"`: until the object that is there now is there no more. Fails with WaitTimeout when that takes too
   * long, with what the condition throws, and with the signal's reason.
   */
  waitFor(name: NameOrKey, condition: "gone", options?: WaitOptions): Promise<undefined>;
  waitFor(name: NameOrKey, condition: (object: Stored<T>) => boolean, options?: WaitOptions): Promise<Stored<T>>;
  async waitFor(
    nameOrKey: NameOrKey,
    condition: "gone" | ((object: Stored<T>) => boolean),
    options: WaitOptions = {},
  ): Promise<Stored<T> | undefined> {
    // Fails where no object can be meant.
    this.path(nameOrKey, {});
    const { name, namespace = this.namespace } = typeof nameOrKey === "string" ? { name: nameOrKey } : nameOrKey;
    const awaited = { type: this.type, namespace, name };
    if (condition !== "gone")
      return waitForObject<T>(this.sender, awaited, (object) => object !== undefined && condition(object), options);
    // What is there by then is another one.
    await waitForObject<T>(this.sender, awaited, isGone(), options);
    return undefined;
  }

  async create<O extends WriteOptions & AnswerOptions>(object: Draft<T>, options: O = {} as O): Promise<Answer<T, O>> {
    const namespace = namespaceOf(object);
    checkNamespace(this.type, namespace ?? this.namespace);
    const path = this.path(undefined, writeQuery(this.sender, options), namespace);
    return this.#written(writeSent(options, "POST", path, this.complete(object)));
  }

  /** Replaces the object. With metadata.resourceVersion it must still be that version, else 409. */
  async update<O extends WriteOptions & AnswerOptions>(object: Draft<T>, options: O = {} as O): Promise<Answer<T, O>> {
    const path = this.path(keyOfDraft(object), writeQuery(this.sender, options));
    return this.#written(writeSent(options, "PUT", path, this.complete(object)));
  }

  /**
   * Reads, changes and writes an object, again after a conflict. `change` gets a copy of its own, which it changes or for
   * which it returns another. Nothing is written when nothing has changed.
   */
  modify(name: NameOrKey, change: Modification<T>, options: ModifyOptions = {}): Promise<Stored<T>> {
    const read = () => this.get(name, sendOptions(options));
    const write = (object: Stored<T>) => this.update(object as Draft<T>, options);
    return modifyObject(this.sender, { read, write }, change, options);
  }

  async patch<O extends WriteOptions & AnswerOptions & { readonly force?: boolean | undefined }>(
    name: NameOrKey,
    patch: Patch<T>,
    options: O = {} as O,
  ): Promise<Answer<T, O>> {
    const { contentType, body } = patchParts(patch);
    const path = this.path(name, { ...writeQuery(this.sender, options), force: options.force });
    return this.#written(writeSent(options, "PATCH", path, body, contentType));
  }

  /** Server-side apply: states the fields that this manager wants, creating the object where it is missing. */
  async apply<O extends ApplyOptions & AnswerOptions>(object: Draft<T>, options: O = {} as O): Promise<Answer<T, O>> {
    const path = this.path(keyOfDraft(object), applyQuery(this.sender, options));
    return this.#written(writeSent(options, "PATCH", path, this.complete(object), APPLY_TYPE));
  }

  /** Done when the server has taken note: finalizers and grace periods may keep the object for a while. */
  async delete(name: NameOrKey, options: DeleteOptions = {}): Promise<void> {
    const path = this.path(name, dryRunQuery(options.dryRun));
    await this.#delete(path, options);
  }

  /** Deletes everything that the selectors match. */
  async deleteCollection(
    options: DeleteOptions & Pick<ListOptions, "labelSelector" | "fieldSelector"> = {},
  ): Promise<void> {
    const { labelSelector, fieldSelector } = options;
    const path = this.path(undefined, { ...dryRunQuery(options.dryRun), labelSelector, fieldSelector });
    await this.#delete(path, options);
  }

  /** The status endpoint of these objects. */
  get status(): Subresource<T> {
    return this.subresource<T>("status", this.type.kind);
  }

  get scale(): Subresource<Scale> {
    return this.subresource<Scale>("scale");
  }

  /** Any other endpoint below an object; `kind` is that of its bodies, where they do not say it. */
  subresource<S>(name: string, kind?: string): Subresource<S> {
    const own = kind === undefined ? undefined : { kind, apiVersion: apiVersionOfType(this.type) };
    return new Subresource<S>(this.sender, (key, query) => this.path(key, query, undefined, name), own);
  }

  /** A path of this resource: the collection's without a name. */
  protected path(name: NameOrKey | undefined, query: Query, namespace?: string, subresource?: string): string {
    const key = typeof name === "string" ? { name } : name;
    const where = key?.namespace ?? namespace ?? this.namespace;
    if (this.namespace !== undefined && where !== this.namespace)
      throw new Error(`these are the ${this.type.resource} of namespace ${this.namespace}, not of ${where}`);
    return resourcePath(this.type, { namespace: where, name: key?.name, subresource }, query);
  }

  protected async answer(sent: Sent): Promise<Stored<T>> {
    return withType((await this.#send(sent)) as Stored<T>, this.type);
  }

  /** With kind and apiVersion, which clients need not repeat. */
  protected complete(object: Draft<T>): object {
    const { kind } = this.type;
    const apiVersion = apiVersionOfType(this.type);
    return kind === undefined ? { apiVersion, ...(object as object) } : { kind, apiVersion, ...(object as object) };
  }

  async #written<O>(sent: Sent): Promise<Answer<T, O>> {
    const written = sent.answer === "unread" ? await this.#send(sent) : await this.answer(sent);
    return written as Answer<T, O>;
  }

  async #delete(path: string, options: DeleteOptions): Promise<void> {
    const object = deleteBody(options);
    await sendForObject(this.sender, { ...sendOptions(options), method: "DELETE", path, object, answer: "unread" });
  }

  #send(sent: Sent): Promise<unknown> {
    const accept = acceptFor(this.type, this.sender.names, "object");
    return sendForObject(this.sender, accept === undefined ? sent : { accept, ...sent });
  }
}

function namespaceOf(object: unknown): string | undefined {
  return (object as { metadata?: { namespace?: string } }).metadata?.namespace;
}
