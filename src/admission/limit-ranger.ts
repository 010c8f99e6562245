// Admission: fills in the resources that a namespace's limit ranges give by default, and holds pods and claims to them.

import { Pace, type Steps } from "../base/steps.ts";
import type { LimitRange } from "../kinds/core/limit-range.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { Container } from "../kinds/core/pod/container.ts";
import { type Pod, pod as podKind } from "../kinds/core/pod.ts";
import { MAX_VALUES_AT_ONCE } from "../kinds/define-kind.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { refuseCrowdedObject, tooManyValues } from "../registry/encoding/crowded-body.ts";
import { claimProblems, entriesByName, podProblems } from "./limit-range-rules.ts";
import { concerns, concernsPart, concernsPod } from "./match-request.ts";
import { soon } from "./matching/soon.ts";
import type { Lookup } from "./mirrors.ts";
import { aggregate, refusal } from "./refusal.ts";

export function limitRanger(names: Names, ranges: Lookup<LimitRange>): AdmissionPlugin {
  const isClaim = (request: AdmissionRequest) => concerns(request, "", "persistentvolumeclaims");
  return {
    name: "LimitRanger",
    resources: ["pods", "persistentvolumeclaims"],
    handles(request) {
      const { operation } = request;
      if (operation === "CREATE") return concernsPod(request) || isClaim(request);
      if (operation !== "UPDATE" || request.oldObject?.metadata.deletionTimestamp !== undefined) return false;
      // The resources of a pod change only through its own sub-resource.
      return isClaim(request) || concernsPart(request, "", "pods", "resize");
    },
    mutate(request) {
      if (isClaim(request)) return;
      const own = [...ranges.values(request.namespace)];
      if (own.length > 0) return soon(fillPod(names, request, own), request);
    },
    validate(request) {
      const own = [...ranges.values(request.namespace)];
      if (own.length > 0) return soon(isClaim(request) ? judgeClaim(request, own) : judgePod(request, own), request);
    },
  };
}

function* judgePod(request: AdmissionRequest, ranges: readonly LimitRange[]): Steps<void> {
  const problemsOf = podProblems(request.object as unknown as Pod);
  for (const { spec } of ranges) refuseFor(request, yield* problemsOf(spec.limits ?? []));
}

function* judgeClaim(request: AdmissionRequest, ranges: readonly LimitRange[]): Steps<void> {
  const problemsOf = claimProblems(request.object as unknown as PersistentVolumeClaim);
  for (const { spec } of ranges) refuseFor(request, yield* problemsOf(spec.limits ?? []));
}

function refuseFor(request: AdmissionRequest, problems: readonly string[]): void {
  if (problems.length > 0) throw refusal(request, aggregate(problems));
}

/** So many amounts are compared or set in about a millisecond. */
const AMOUNTS_PER_STEP = 2_000;
/** A pod that got no more is as large as before. */
const FEW_AMOUNTS = 1_000;

/** Fails with 413 when the pod gets more than one may hold. */
function* fillPod(names: Names, request: AdmissionRequest, ranges: readonly LimitRange[]): Steps<void> {
  const pod = request.object as unknown as Pod;
  const containers = [
    ...(pod.spec.containers ?? []).map((container) => new FilledContainer(container, "container")),
    ...(pod.spec.initContainers ?? []).map((container) => new FilledContainer(container, "init container")),
  ];
  const pace = new Pace(AMOUNTS_PER_STEP);
  // What the last of the ranges says that had something to give.
  let notes: string[] = [];
  let set = 0;
  for (const range of ranges) {
    if (pace.due()) yield;
    const defaults = defaultsOf(range);
    const amounts = defaults.requests.length + defaults.limits.length;
    if (pace.due(amounts)) yield;
    const said: string[] = [];
    for (const container of containers) {
      if (pace.due(1 + amounts)) yield;
      set += container.fill(defaults, said);
      if (set > MAX_VALUES_AT_ONCE) throw tooManyValues(MAX_VALUES_AT_ONCE, podKind);
    }
    if (said.length > 0) notes = said;
  }
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [names.limitRangerAnnotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
  if (set <= FEW_AMOUNTS) return;
  request.isLarge = true;
  yield* refuseCrowdedObject(request.object!, undefined, podKind);
}

type Entries = readonly (readonly [name: string, amount: string])[];
interface Defaults {
  readonly requests: Entries;
  readonly limits: Entries;
}

/** Sorted by name. */
function defaultsOf({ spec }: LimitRange): Defaults {
  const forContainers = (spec.limits ?? []).filter(({ type }) => type === "Container");
  return {
    requests: forContainers.flatMap(({ defaultRequest }) => entriesByName(defaultRequest)),
    limits: forContainers.flatMap((limit) => entriesByName(limit.default)),
  };
}

class FilledContainer {
  readonly #name: string;
  readonly #what: string;
  readonly #resources: NonNullable<Container["resources"]>;
  /** Which of them are this plug-in's own: what came in may be shared, or take no further key. */
  readonly #copied = new Set<"requests" | "limits">();

  constructor(container: Container, what: string) {
    container.resources ??= {};
    this.#name = container.name;
    this.#what = what;
    this.#resources = container.resources;
  }

  /** Sets what is missing, says so in the words of the annotation, and returns how much it was. */
  fill({ requests, limits }: Defaults, notes: string[]): number {
    return this.#fill("requests", "request", requests, notes) + this.#fill("limits", "limit", limits, notes);
  }

  #fill(part: "requests" | "limits", word: string, wanted: Entries, notes: string[]): number {
    const have = this.#resources[part];
    const missing = wanted.filter(([name]) => !have || !Object.hasOwn(have, name));
    if (missing.length === 0) return 0;
    const own = have !== undefined && this.#copied.has(part) ? have : { ...have };
    for (const [name, amount] of missing) own[name] = amount;
    this.#copied.add(part);
    this.#resources[part] = own;
    notes.push(`${missing.map(([name]) => name).join(", ")} ${word} for ${this.#what} ${this.#name}`);
    return missing.length;
  }
}
