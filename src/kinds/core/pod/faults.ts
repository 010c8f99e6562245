// Faults of a stored pod that an update is forgiven.

import { labelValueProblems } from "../../../meta/name-formats.ts";
import type { Names } from "../../../meta/names.ts";
import { validateLabelSelector } from "../../meta/selector-validation.ts";
import type { PodAffinityTerm } from "./affinity.ts";
import { allContainers } from "./containers.ts";
import { isHugePage, isHugePageMultiple } from "./resource-names.ts";
import type { PodSpec } from "./spec.ts";
import { hostSysctlProblem } from "./sysctls.ts";

export interface PodFaults {
  /** Label values in the selectors of affinity terms. */
  readonly selectorValues: boolean;
  readonly nodeAffinityValues: boolean;
  readonly spreadSelectors: boolean;
  /** Paths of projected tokens that lead out of their volume. */
  readonly tokenPaths: boolean;
  readonly hostSysctls: boolean;
  /** Amounts that are no multiple of their page. */
  readonly hugePages: boolean;
  readonly deletionCost: boolean;
  /** Not a fault: restart rules stay usable where they are in use. */
  readonly restartRules: boolean;
  readonly devicesInUserNamespace: boolean;
  readonly seLinuxChangePolicy: boolean;
}

/** Each fault is looked for when it is first asked about, and once: rules ask again for each entry of a list. */
export class ToleratedErrors implements PodFaults {
  readonly #spec: PodSpec;
  readonly #annotations: Record<string, string> | undefined;
  readonly #names: Names;
  readonly #found = new Map<keyof PodFaults, boolean>();

  constructor(spec: PodSpec, annotations: Record<string, string> | undefined, names: Names) {
    this.#spec = spec;
    this.#annotations = annotations;
    this.#names = names;
  }

  get selectorValues(): boolean {
    return this.#once("selectorValues", ({ affinity }) =>
      affinityTerms(affinity).some((term) =>
        [term.labelSelector, term.namespaceSelector].some((selector) =>
          (selector?.matchExpressions ?? []).some(({ values }) => hasBadValue(values)),
        ),
      ),
    );
  }

  get nodeAffinityValues(): boolean {
    return this.#once("nodeAffinityValues", ({ affinity }) => {
      const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      return (required?.nodeSelectorTerms ?? []).some((term) =>
        (term.matchExpressions ?? []).some(({ values }) => hasBadValue(values)),
      );
    });
  }

  get spreadSelectors(): boolean {
    return this.#once("spreadSelectors", ({ topologySpreadConstraints }) =>
      (topologySpreadConstraints ?? []).some(
        ({ labelSelector }) => labelSelector && validateLabelSelector(labelSelector, "").length > 0,
      ),
    );
  }

  get tokenPaths(): boolean {
    return this.#once("tokenPaths", ({ volumes }) =>
      (volumes ?? []).some((volume) =>
        (volume.projected?.sources ?? []).some(({ serviceAccountToken }) =>
          /^\/|(?:^|\/)\.\.(?:\/|$)|^\.\./.test(serviceAccountToken?.path ?? ""),
        ),
      ),
    );
  }

  get hostSysctls(): boolean {
    return this.#once("hostSysctls", (spec) =>
      (spec.securityContext?.sysctls ?? []).some(({ name }) => hostSysctlProblem(name, spec) !== undefined),
    );
  }

  get hugePages(): boolean {
    return this.#once("hugePages", (spec) =>
      allContainers(spec).some(({ container }) =>
        [container.resources.limits, container.resources.requests].some((list) =>
          Object.entries(list ?? {}).some(([name, amount]) => isHugePage(name) && !isHugePageMultiple(name, amount)),
        ),
      ),
    );
  }

  get deletionCost(): boolean {
    return isBadDeletionCost(this.#annotations?.[this.#names.podDeletionCostAnnotation]);
  }

  get restartRules(): boolean {
    return this.#once(
      "restartRules",
      ({ containers, initContainers }) =>
        (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
        (initContainers ?? []).some(({ restartPolicy = "Always" }) => restartPolicy !== "Always"),
    );
  }

  get seLinuxChangePolicy(): boolean {
    return this.#spec.securityContext?.seLinuxChangePolicy !== undefined;
  }

  get devicesInUserNamespace(): boolean {
    return this.#once(
      "devicesInUserNamespace",
      (spec) =>
        spec.hostUsers === false &&
        allContainers(spec).some(({ container }) => (container.volumeDevices?.length ?? 0) > 0),
    );
  }

  #once(fault: keyof PodFaults, isIn: (spec: PodSpec) => boolean): boolean {
    let found = this.#found.get(fault);
    if (found === undefined) {
      found = isIn(this.#spec);
      this.#found.set(fault, found);
    }
    return found;
  }
}

const MAX_COST = 2 ** 31 - 1;
const MIN_COST = -(2 ** 31);

/** A whole number of 32 bits, without a plus or leading zeros. */
export function isBadDeletionCost(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (!/^(?:0|-?[1-9][0-9]{0,9})$/.test(text)) return true;
  return Number(text) > MAX_COST || Number(text) < MIN_COST;
}

function affinityTerms(affinity: PodSpec["affinity"]): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
  ]);
}

const hasBadValue = (values: readonly string[] | null | undefined): boolean =>
  (values ?? []).some((value) => labelValueProblems(value).length > 0);
