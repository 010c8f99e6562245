// The parameters of a policy: objects of a kind that the policy names, chosen by a binding.

import { BoundedCache } from "../../base/bounded-cache.ts";
import { atOnceWhileShort, Pace, type Steps } from "../../base/steps.ts";
import { type LabelSelector, selectorFromObject } from "../../meta/label-selector.ts";
import { type ApiObject, parseApiVersion } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { toldNamespace } from "../match-request.ts";
import type { ParamRef } from "./policy-set.ts";

/** More kinds of parameters than this are looked up without a mirror that stays. */
const MAX_MIRRORS = 256;

/** A binding that cannot be carried out; the failure policy decides what that means. */
export class ParamError extends Error {}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

type StoredResource = ServedResource & { readonly store: ObjectStore };

export class ParamSource {
  readonly #catalog: Catalog;
  readonly #mirrors = new BoundedCache<ObjectStore, ObjectMirror>({
    maxEntries: MAX_MIRRORS,
    onEvict: (_, mirror) => mirror.close(),
  });

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** What the expressions are run with, once for each: `[undefined]` without parameters, `[]` for none at all. */
  async collect(
    paramKind: ParamKind | null | undefined,
    paramRef: ParamRef | null | undefined,
    request: Pick<AdmissionRequest, "resource" | "namespace" | "name" | "caller">,
  ): Promise<readonly (ApiObject | undefined)[]> {
    if (paramKind == null || paramRef == null) return [undefined];
    const served = findParamKind(this.#catalog, paramKind);
    if (served === undefined) throw new ParamError(unknownKind(paramKind));
    const within = scopeOf(served, paramRef, toldNamespace(request));
    const mirror = await this.#mirrorOf(served.store);
    const chosen = await this.#choose(mirror, paramRef, within);
    // Of another version than they are stored in, they are converted while others have their turn, and no longer than it waits.
    const found = chosen.length === 0 ? chosen : await served.fromStored(chosen, request.caller);
    if (found.length === 0 && (paramRef.parameterNotFoundAction ?? "Deny") === "Deny") {
      throw new ParamError("no params found for policy binding with `Deny` parameterNotFoundAction");
    }
    return found;
  }

  close(): void {
    for (const [, mirror] of this.#mirrors.entries()) mirror.close();
  }

  /** Why the policy cannot work with any binding; undefined when nothing is wrong with the kind of its parameters. */
  problemOf(paramKind: ParamKind | null | undefined): string | undefined {
    return paramKind == null || findParamKind(this.#catalog, paramKind) !== undefined
      ? undefined
      : unknownKind(paramKind);
  }

  async #choose(
    mirror: ObjectMirror,
    { name = "", selector }: ParamRef,
    namespace: string,
  ): Promise<readonly ApiObject[]> {
    if (name !== "") {
      let one = mirror.get(namespace, name);
      if (one === undefined) {
        await mirror.sync();
        one = mirror.get(namespace, name);
      }
      return one === undefined ? [] : [one];
    }
    return atOnceWhileShort(selected([...mirror.values(namespace)], selectorFromObject(selector)));
  }

  async #mirrorOf(store: ObjectStore): Promise<ObjectMirror> {
    const mirror = this.#mirrors.getOrMake(store, () => new ObjectMirror(store));
    await mirror.ready();
    return mirror;
  }
}

/** The stored resource of that kind, as a policy names it. */
export function findParamKind(catalog: Catalog, { apiVersion = "", kind = "" }: ParamKind): StoredResource | undefined {
  const parsed = parseApiVersion(apiVersion);
  return catalog
    .all()
    .find(
      (one): one is StoredResource =>
        one.store !== undefined &&
        one.kind.kind === kind &&
        one.group === parsed?.group &&
        one.kind.version === parsed.version,
    );
}

function* selected(all: readonly ApiObject[], labels: LabelSelector): Steps<ApiObject[]> {
  const chosen: ApiObject[] = [];
  const pace = new Pace(COMPARISONS_PER_STEP);
  for (const one of all) {
    if (pace.due(1 + labels.requirements.length)) yield;
    if (labels.matches(one.metadata.labels ?? {})) chosen.push(one);
  }
  return chosen;
}

const COMPARISONS_PER_STEP = 4_000;

function unknownKind({ apiVersion = "", kind = "" }: ParamKind): string {
  const qualified = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `failed to find resource referenced by paramKind: '${qualified}, Kind=${kind}'`;
}

function scopeOf({ kind }: ServedResource, { namespace: named = "" }: ParamRef, namespace: string): string {
  if (kind.scope === "Cluster") {
    if (named !== "") throw new ParamError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const within = named === "" ? namespace : named;
  if (within === "") {
    throw new ParamError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  return within;
}
