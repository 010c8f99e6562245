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

/** Each fault is looked for when it is first asked about. */
export class ToleratedErrors implements PodFaults {
  readonly #spec: PodSpec;
  readonly #annotations: Record<string, string> | undefined;
  readonly #names: Names;
  #selectorValues: boolean | undefined;

  constructor(spec: PodSpec, annotations: Record<string, string> | undefined, names: Names) {
    this.#spec = spec;
    this.#annotations = annotations;
    this.#names = names;
  }

  get selectorValues(): boolean {
    this.#selectorValues ??= affinityTerms(this.#spec).some((term) =>
      [term.labelSelector, term.namespaceSelector].some((selector) =>
        (selector?.matchExpressions ?? []).some(({ values }) => hasBadValue(values)),
      ),
    );
    return this.#selectorValues;
  }

  get nodeAffinityValues(): boolean {
    const required = this.#spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    return (required?.nodeSelectorTerms ?? []).some((term) =>
      (term.matchExpressions ?? []).some(({ values }) => hasBadValue(values)),
    );
  }

  get spreadSelectors(): boolean {
    return (this.#spec.topologySpreadConstraints ?? []).some(
      ({ labelSelector }) => labelSelector && validateLabelSelector(labelSelector, "").length > 0,
    );
  }

  get tokenPaths(): boolean {
    return (this.#spec.volumes ?? []).some((volume) =>
      (volume.projected?.sources ?? []).some(({ serviceAccountToken }) =>
        /^\/|(?:^|\/)\.\.(?:\/|$)|^\.\./.test(serviceAccountToken?.path ?? ""),
      ),
    );
  }

  get hostSysctls(): boolean {
    return (this.#spec.securityContext?.sysctls ?? []).some(
      ({ name }) => hostSysctlProblem(name, this.#spec) !== undefined,
    );
  }

  get hugePages(): boolean {
    return allContainers(this.#spec).some(({ container }) =>
      [container.resources.limits, container.resources.requests].some((list) =>
        Object.entries(list ?? {}).some(([name, amount]) => isHugePage(name) && !isHugePageMultiple(name, amount)),
      ),
    );
  }

  get deletionCost(): boolean {
    return isBadDeletionCost(this.#annotations?.[this.#names.podDeletionCostAnnotation]);
  }

  get restartRules(): boolean {
    return (
      (this.#spec.containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
      (this.#spec.initContainers ?? []).some(({ restartPolicy = "Always" }) => restartPolicy !== "Always")
    );
  }

  get seLinuxChangePolicy(): boolean {
    return this.#spec.securityContext?.seLinuxChangePolicy !== undefined;
  }

  get devicesInUserNamespace(): boolean {
    return (
      this.#spec.hostUsers === false &&
      allContainers(this.#spec).some(({ container }) => (container.volumeDevices?.length ?? 0) > 0)
    );
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

function affinityTerms(spec: PodSpec): PodAffinityTerm[] {
  return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
  ]);
}

const hasBadValue = (values: readonly string[] | null | undefined): boolean =>
  (values ?? []).some((value) => labelValueProblems(value).length > 0);
