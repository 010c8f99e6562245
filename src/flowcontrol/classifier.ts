// Which flow a request belongs to. Schemas are asked in their order, and the answer is remembered: per user, by verb and
// resource, and by namespace only where a rule looks at it. A new configuration makes a new classifier.

import { BoundedCache } from "../base/bounded-cache.ts";
import { roughBytes } from "../base/rough-bytes.ts";
import type { UserInfo } from "../meta/user.ts";
import type { NonResourceTarget, ResourceTarget, Target } from "../registry/request.ts";
import {
  type CompiledResourceRule,
  type CompiledRule,
  isSubject,
  matchesPath,
  matchesResource,
  resourcePathOf,
} from "./flow-schema-rules.ts";
import type { LiveSchema } from "./live-schema.ts";
import type { Flow } from "./priority-level.ts";

/** Users that are remembered. */
const MAX_USERS = 1_024;
const MAX_USERS_BYTES = 4 * 1024 * 1024;
/** Verdicts per user: what it asks for, and where. User text chooses them, so each user forgets only its own. */
const MAX_VERDICTS = 1_024;
/** What has longer names is judged each time. */
const MAX_REMEMBERED_LENGTH = 256;

export class Classifier {
  readonly #schemas: readonly LiveSchema[];
  readonly #fallback: LiveSchema;
  /** Authentication hands out the same user again and again. */
  readonly #known = new WeakMap<UserInfo, UserVerdicts>();
  readonly #byContent = new BoundedCache<string, UserVerdicts>({
    maxEntries: MAX_USERS,
    maxBytes: MAX_USERS_BYTES,
    sizeBytes: (key) => roughBytes(key),
  });

  /** `schemas` in their order; `fallback` for requests that none of them is about. */
  constructor(schemas: readonly LiveSchema[], fallback: LiveSchema) {
    this.#schemas = schemas;
    this.#fallback = fallback;
  }

  classify(user: UserInfo, target: Target): Flow {
    let verdicts = this.#known.get(user);
    if (verdicts === undefined) {
      verdicts = this.#verdictsOf(user);
      this.#known.set(user, verdicts);
    }
    return target.type === "path" ? verdicts.ofPath(target) : verdicts.ofResource(target);
  }

  #verdictsOf(user: UserInfo): UserVerdicts {
    const key = JSON.stringify([user.name, user.groups]);
    return this.#byContent.getOrMake(key, () => new UserVerdicts(user, this.#schemas, this.#fallback));
  }
}

/** A schema with those of its rules that speak of a user. */
interface Candidate {
  readonly schema: LiveSchema;
  readonly rules: readonly CompiledRule[];
}

interface Verdict {
  readonly schema: LiveSchema;
  /** The flow where it does not depend on the namespace. */
  readonly flow: Flow | undefined;
  /** Whether rules look at the namespace: then the verdict holds for one namespace. */
  readonly inNamespaces: Map<string, LiveSchema> | undefined;
}

type ByVerb = Map<string, Verdict>;

/** Everything that is known about the requests of one user. */
class UserVerdicts {
  readonly #user: string;
  readonly #candidates: readonly Candidate[];
  readonly #fallback: LiveSchema;
  /** By resource, group, sub-resource and verb; requests at the cluster scope apart. */
  readonly #inCluster = new Map<string, Map<string, Map<string, ByVerb>>>();
  readonly #inNamespaces = new Map<string, Map<string, Map<string, ByVerb>>>();
  readonly #paths = new Map<string, Map<string, Flow>>();
  #count = 0;

  constructor(user: UserInfo, schemas: readonly LiveSchema[], fallback: LiveSchema) {
    this.#user = user.name;
    this.#fallback = fallback;
    this.#candidates = schemas.flatMap((schema) => {
      const rules = schema.rules.filter(({ subjects }) => isSubject(subjects, user));
      return rules.length === 0 ? [] : [{ schema, rules }];
    });
  }

  ofPath(target: NonResourceTarget): Flow {
    const known = this.#paths.get(target.verb)?.get(target.path);
    if (known !== undefined) return known;
    const found = this.#candidates.find(({ rules }) =>
      rules.some(({ paths }) => paths.some((rule) => matchesPath(rule, target))),
    );
    const flow = (found?.schema ?? this.#fallback).flowOf(this.#user, "");
    if (target.path.length > MAX_REMEMBERED_LENGTH) return flow;
    this.#makeRoom();
    below(this.#paths, target.verb).set(target.path, flow);
    return flow;
  }

  ofResource(target: ResourceTarget): Flow {
    const { resource, group, subresource, verb, namespace } = target;
    const known = namespace === "" ? this.#inCluster : this.#inNamespaces;
    let verdict = known.get(resource)?.get(group)?.get(subresource)?.get(verb);
    if (verdict === undefined) {
      verdict = this.#judge(target);
      if (resource.length + group.length + subresource.length <= MAX_REMEMBERED_LENGTH) {
        this.#makeRoom();
        below(below(below(known, resource), group), subresource).set(verb, verdict);
      }
    }
    if (verdict.flow !== undefined) return verdict.flow;
    const schema = verdict.inNamespaces === undefined ? verdict.schema : this.#inNamespace(target, verdict);
    return schema.flowOf(this.#user, namespace);
  }

  #judge(target: ResourceTarget): Verdict {
    const { schema, looksAtNamespace } = this.#find(target, () => false);
    if (looksAtNamespace) return { schema, flow: undefined, inNamespaces: new Map() };
    const flow = schema.distinguisher === "ByNamespace" ? undefined : schema.flowOf(this.#user, "");
    return { schema, flow, inNamespaces: undefined };
  }

  #inNamespace(target: ResourceTarget, { inNamespaces }: Verdict): LiveSchema {
    const { namespace } = target;
    const known = inNamespaces!.get(namespace);
    if (known !== undefined) return known;
    const { schema } = this.#find(target, ({ namespaces }) => namespaces?.has(namespace) === true);
    if (namespace.length > MAX_REMEMBERED_LENGTH) return schema;
    this.#makeRoom();
    inNamespaces!.set(namespace, schema);
    return schema;
  }

  /** The first schema that is about the target. `holds` decides about rules that look at the namespace. */
  #find(
    target: ResourceTarget,
    holds: (rule: CompiledResourceRule) => boolean,
  ): { schema: LiveSchema; looksAtNamespace: boolean } {
    const path = resourcePathOf(target);
    let looksAtNamespace = false;
    const isAbout = (rule: CompiledResourceRule): boolean => {
      const match = matchesResource(rule, target, path);
      if (match !== "by namespace") return match;
      looksAtNamespace = true;
      return holds(rule);
    };
    const found = this.#candidates.find(({ rules }) => rules.some(({ resources }) => resources.some(isAbout)));
    return { schema: found?.schema ?? this.#fallback, looksAtNamespace };
  }

  #makeRoom(): void {
    this.#count += 1;
    if (this.#count <= MAX_VERDICTS) return;
    this.#count = 1;
    this.#inCluster.clear();
    this.#inNamespaces.clear();
    this.#paths.clear();
  }
}

function below<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let next = map.get(key);
  if (next === undefined) {
    next = new Map();
    map.set(key, next);
  }
  return next;
}
