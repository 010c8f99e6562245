// An endpoint below objects: status, scale, approval, finalize, ...

import type { Draft } from "../../kinds/define-kind.ts";
import { keyOfDraft, type Modification, type ModifyOptions, modifyObject, type NameOrKey } from "./modify-object.ts";
import { type RequestOptions, type RequestSender, type Sent, sendForObject, sendOptions } from "./request-sender.ts";
import type { Query } from "./resource-path.ts";
import type { Stored } from "./resource-type.ts";
import {
  type Answer,
  type AnswerOptions,
  APPLY_TYPE,
  type ApplyOptions,
  applyQuery,
  type Patch,
  patchParts,
  type WriteOptions,
  writeQuery,
  writeSent,
} from "./write-options.ts";

interface TypeWords {
  readonly kind: string;
  readonly apiVersion: string;
}

export class Subresource<S> {
  readonly #sender: RequestSender;
  readonly #path: (name: NameOrKey, query: Query) => string;
  readonly #type: TypeWords | undefined;

  constructor(sender: RequestSender, path: (name: NameOrKey, query: Query) => string, type: TypeWords | undefined) {
    this.#sender = sender;
    this.#path = path;
    this.#type = type;
  }

  async get(name: NameOrKey, options: RequestOptions = {}): Promise<Stored<S>> {
    return this.#answer({ ...sendOptions(options), method: "GET", path: this.#path(name, {}) });
  }

  /** What is posted below an object: an eviction, a binding, a request for a token. */
  async create<O extends WriteOptions & AnswerOptions>(
    name: NameOrKey,
    body: Draft<S>,
    options: O = {} as O,
  ): Promise<Answer<S, O>> {
    const path = this.#path(name, writeQuery(this.#sender, options));
    return this.#answer(writeSent(options, "POST", path, this.#complete(body)));
  }

  /** Replaces what this endpoint may write of the object that the body names. */
  async update<O extends WriteOptions & AnswerOptions>(object: Draft<S>, options: O = {} as O): Promise<Answer<S, O>> {
    const path = this.#path(keyOfDraft(object), writeQuery(this.#sender, options));
    return this.#answer(writeSent(options, "PUT", path, this.#complete(object)));
  }

  /** As the resource's own: reads, changes and writes, again after a conflict. */
  modify(name: NameOrKey, change: Modification<S>, options: ModifyOptions = {}): Promise<Stored<S>> {
    const read = () => this.get(name, sendOptions(options));
    const write = (object: Stored<S>) => this.update(object as Draft<S>, options);
    return modifyObject(this.#sender, { read, write }, change, options);
  }

  async patch<O extends WriteOptions & AnswerOptions>(
    name: NameOrKey,
    patch: Patch<S>,
    options: O = {} as O,
  ): Promise<Answer<S, O>> {
    const { contentType, body } = patchParts(patch);
    const path = this.#path(name, writeQuery(this.#sender, options));
    return this.#answer(writeSent(options, "PATCH", path, body, contentType));
  }

  async apply<O extends ApplyOptions & AnswerOptions>(object: Draft<S>, options: O = {} as O): Promise<Answer<S, O>> {
    const path = this.#path(keyOfDraft(object), applyQuery(this.#sender, options));
    return this.#answer(writeSent(options, "PATCH", path, this.#complete(object), APPLY_TYPE));
  }

  async #answer<O>(sent: Sent): Promise<Answer<S, O>> {
    return (await sendForObject(this.#sender, sent)) as Answer<S, O>;
  }

  #complete(object: Draft<S>): object {
    if (this.#type === undefined) return object as object;
    const { kind, apiVersion } = this.#type;
    return { kind, apiVersion, ...(object as object) };
  }
}
