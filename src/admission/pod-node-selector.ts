// Admission by flag: the pods of a namespace run on the nodes that the namespace, or the cluster, keeps for them.

import { isObject, type JsonObject } from "../base/json.ts";
import { StartError } from "../base/start-error.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { ObjectMeta } from "../meta/object.ts";
import { forbidden, notFoundObject, StatusError } from "../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import type { NamespaceState } from "./namespace-lifecycle.ts";
import { parseNodeSelector } from "./node-selector-text.ts";

type Labels = ReadonlyMap<string, string>;

interface NodeSelectorSettings {
  /** Of namespaces that say none. */
  readonly byDefault: Labels;
  /** The only labels that the pods of a namespace may ask for. */
  readonly allowed: ReadonlyMap<string, Labels>;
}

const DEFAULT_KEY = "clusterDefaultNodeSelector";

/** Fails with StartError. */
export function readNodeSelectors(settings: JsonObject | undefined): NodeSelectorSettings {
  const config = settings?.["podNodeSelectorPluginConfig"] ?? {};
  if (!isObject(config)) throw new StartError("PodNodeSelector: podNodeSelectorPluginConfig: must be an object");
  const allowed = new Map(Object.entries(config).map(([key, value]) => [key, selectorAt(key, value)]));
  const byDefault = allowed.get(DEFAULT_KEY) ?? new Map<string, string>();
  allowed.delete(DEFAULT_KEY);
  return { byDefault, allowed };
}

function selectorAt(key: string, value: unknown): Labels {
  const at = `PodNodeSelector: podNodeSelectorPluginConfig.${key}`;
  if (typeof value !== "string") throw new StartError(`${at}: must be a text`);
  try {
    return parseNodeSelector(value);
  } catch (error) {
    throw new StartError(`${at}: ${(error as Error).message}`);
  }
}

export function podNodeSelector(
  names: Names,
  namespaces: Lookup<NamespaceState>,
  { byDefault, allowed }: NodeSelectorSettings,
): AdmissionPlugin {
  async function check(request: AdmissionRequest): Promise<Labels> {
    const own = await ownSelector(names, namespaces, request.namespace, byDefault);
    const { nodeSelector = {} } = (request.object as unknown as Pod).spec;
    const asked = Object.entries(nodeSelector ?? {});
    if (asked.some(([key, value]) => (own.get(key) ?? value) !== value))
      throw refuse(request, "pod node label selector conflicts with its namespace node label selector");
    return own;
  }

  return {
    name: "PodNodeSelector",
    handles: (request) => request.operation === "CREATE" && concernsPod(request),
    async mutate(request) {
      const own = await check(request);
      const { spec } = request.object as unknown as Pod;
      if (own.size > 0) spec.nodeSelector = { ...Object.fromEntries(own), ...spec.nodeSelector };
    },
    async validate(request) {
      await check(request);
      const only = allowed.get(request.namespace);
      const { nodeSelector } = (request.object as unknown as Pod).spec;
      if (only === undefined || only.size === 0) return;
      if (Object.entries(nodeSelector ?? {}).every(([key, value]) => only.get(key) === value)) return;
      throw refuse(request, "pod node label selector labels conflict with its namespace whitelist");
    },
  };
}

async function ownSelector(
  names: Names,
  namespaces: Lookup<NamespaceState>,
  namespace: string,
  byDefault: Labels,
): Promise<Labels> {
  const state = await findFresh(namespaces, "", namespace);
  if (state === undefined) throw notFoundObject({ group: "", resource: "namespaces" }, namespace);
  const { annotations } = state.object["metadata"] as ObjectMeta;
  const text = annotations?.[names.nodeSelectorAnnotation];
  if (text === undefined) return byDefault;
  try {
    return parseNodeSelector(text);
  } catch (error) {
    throw new StatusError(500, "", (error as Error).message);
  }
}

function refuse({ resource: { group, resource }, object }: AdmissionRequest, why: string): StatusError {
  return forbidden({ group, resource }, object?.metadata.name ?? "", why);
}
