// A node agent changes its own Node only, and nothing of it that steers workloads. Requirements: document 2, "Node authorizer".

import { equalJson } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { forbiddenLabels } from "./node-labels.ts";

/** The first thing that is wrong, in upstream's order and words. */
export function ownNodeProblem(names: Names, node: string, request: AdmissionRequest): string | undefined {
  const { name, operation, object, oldObject } = request;
  const asked = name === "" ? (object?.metadata.name ?? "") : name;
  if (asked !== node) return `node "${node}" is not allowed to modify node "${asked}"`;
  if (operation === "CREATE") return newNodeProblem(names, node, object!);
  if (operation === "UPDATE") return changedNodeProblem(names, node, object!, oldObject!);
  return undefined;
}

function newNodeProblem(names: Names, node: string, { metadata, ...object }: ApiObject): string | undefined {
  if (configSourceOf(object)) return `node "${node}" is not allowed to create pods with a non-nil configSource`;
  const forbidden = forbiddenLabels(names, metadata.labels ?? {}, {});
  if (forbidden.length > 0) return `node "${node}" is not allowed to set the following labels: ${forbidden.join(", ")}`;
  // Beyond upstream, which refuses only later ones: an owner that is not there takes the node with it.
  if ((metadata.ownerReferences ?? []).length > 0) return `node "${node}" is not allowed to set ownerReferences`;
  return undefined;
}

function changedNodeProblem(names: Names, node: string, object: ApiObject, old: ApiObject): string | undefined {
  const source = configSourceOf(object);
  if (source && !equalJson(source, configSourceOf(old)))
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`;
  if (!equalJson(specOf(object).taints ?? [], specOf(old).taints ?? []))
    return `node "${node}" is not allowed to modify taints`;
  if (!equalJson(object.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    return `node "${node}" is not allowed to modify ownerReferences`;
  const forbidden = forbiddenLabels(names, object.metadata.labels ?? {}, old.metadata.labels ?? {});
  return forbidden.length > 0 ? `is not allowed to modify labels: ${forbidden.join(", ")}` : undefined;
}

const specOf = (object: object): { readonly taints?: unknown[] | null; readonly configSource?: object | null } =>
  ("spec" in object && (object.spec as object | null)) || {};
const configSourceOf = (object: object): object | null | undefined => specOf(object).configSource;
