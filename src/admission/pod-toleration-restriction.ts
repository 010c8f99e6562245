// Admission by flag: pods get the tolerations of their namespace, or of the cluster, and may have no others than those.

import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { StartError } from "../base/start-error.ts";
import { validateTolerations } from "../kinds/core/pod/affinity-validation.ts";
import { qosClassOf } from "../kinds/core/pod/resources.ts";
import type { Toleration } from "../kinds/core/pod/toleration.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { type FieldError, fieldErrorText } from "../meta/field-error.ts";
import type { Names } from "../meta/names.ts";
import type { ObjectMeta } from "../meta/object.ts";
import { notFoundObject, StatusError } from "../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import type { NamespaceState } from "./namespace-lifecycle.ts";
import { areAllowed, mergeTolerations } from "./tolerations.ts";

/** For namespaces that say none of their own. */
interface TolerationSettings {
  readonly byDefault: readonly Toleration[];
  readonly allowed: readonly Toleration[];
}

/** Fails with StartError. */
export function readTolerationSettings(settings: JsonObject | undefined): TolerationSettings {
  const read = (key: string): readonly Toleration[] => {
    const at = `PodTolerationRestriction: ${key}`;
    const list = settings?.[key] ?? [];
    if (!isTolerations(list)) throw new StartError(`${at}: must be a list of tolerations`);
    const errors: FieldError[] = [];
    validateTolerations(list, key, errors);
    if (errors[0] !== undefined) throw new StartError(`PodTolerationRestriction: ${fieldErrorText(errors[0])}`);
    return list;
  };
  return { byDefault: read("default"), allowed: read("whitelist") };
}

function isTolerations(value: Json): value is Json & Toleration[] {
  return Array.isArray(value) && value.every(isObject);
}

export function podTolerationRestriction(
  names: Names,
  namespaces: Lookup<NamespaceState>,
  { byDefault, allowed }: TolerationSettings,
): AdmissionPlugin {
  return {
    name: "PodTolerationRestriction",
    handles: (request) => (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request),
    async mutate(request) {
      const { spec } = request.object as unknown as Pod;
      const own =
        request.operation === "CREATE"
          ? ((await ownTolerations(namespaces, request, names.defaultTolerationsAnnotation)) ?? byDefault)
          : [];
      const pressure: Toleration = {
        key: `${names.nodeTaintPrefix}memory-pressure`,
        operator: "Exists",
        effect: "NoSchedule",
      };
      const added = qosClassOf(spec) === "BestEffort" ? own : [...own, pressure];
      if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], added);
    },
    async validate(request) {
      const tolerations = (request.object as unknown as Pod).spec.tolerations ?? [];
      if (tolerations.length === 0) return;
      const own = await ownTolerations(namespaces, request, names.allowedTolerationsAnnotation);
      if (areAllowed(tolerations, own ?? allowed)) return;
      const whose = own === undefined ? "cluster" : "namespace";
      throw new StatusError(
        500,
        "",
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${whose} whitelist`,
      );
    },
  };
}

/** Undefined when the namespace says none; an empty text says that there are none. */
async function ownTolerations(
  namespaces: Lookup<NamespaceState>,
  { namespace }: AdmissionRequest,
  annotation: string,
): Promise<readonly Toleration[] | undefined> {
  const state = await findFresh(namespaces, "", namespace);
  if (state === undefined) throw notFoundObject({ group: "", resource: "namespaces" }, namespace);
  const { annotations } = state.object["metadata"] as ObjectMeta;
  const text = annotations?.[annotation];
  if (text === undefined) return undefined;
  if (text === "") return [];
  const list = parse(text);
  if (list === undefined) throw new StatusError(500, "", `annotation ${annotation} is no list of tolerations`);
  return list;
}

function parse(text: string): readonly Toleration[] | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isTolerations(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
