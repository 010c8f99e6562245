// Admission: a node agent changes only what is about its own node and the pods bound to it.
// Requirements: document 2, "Node authorizer".

import { equalJson } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import { nodeOf } from "../../meta/node-identity.ts";
import type { ApiObject } from "../../meta/object.ts";
import { notFoundObject } from "../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import type { Authorizer } from "../../registry/authorizer.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { decodeStored } from "../../registry/object-bytes.ts";
import { refusal } from "../refusal.ts";
import { csrProblem } from "./certificate-requests.ts";
import { mirrorPodProblem } from "./mirror-pods.ts";
import { ownNodeProblem } from "./own-node.ts";
import { podCertificateProblem } from "./pod-certificates.ts";
import { audienceProblem, type ReadObject } from "./token-audience.ts";

interface NodeRestrictionParts {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly authorizer: Authorizer;
  readonly gateEnabled: (gate: string) => boolean;
}

/** What is wrong with a request of the node, in one sentence. */
type Problem = string | undefined;
type Check = (node: string, request: AdmissionRequest) => Problem | Promise<Problem>;

export function nodeRestriction(parts: NodeRestrictionParts): AdmissionPlugin {
  const checks = checksOf(parts, reader(parts.catalog));
  return {
    name: "NodeRestriction",
    resources: [...checks.keys()].map((path) => path.slice(path.indexOf("/") + 1)),
    handles: ({ operation, user, resource }) =>
      operation !== "CONNECT" && checks.has(`${resource.group}/${resource.resource}`) && nodeOf(user) !== undefined,
    async mutate(request) {
      const { user, resource } = request;
      const node = nodeOf(user);
      if (node === "") throw refusal(request, `could not determine node from user ${JSON.stringify(user.name)}`);
      const problem = await checks.get(`${resource.group}/${resource.resource}`)?.(node!, request);
      if (problem !== undefined) throw refusal(request, problem);
    },
  };
}

function checksOf(parts: NodeRestrictionParts, read: ReadObject): ReadonlyMap<string, Check> {
  const { names } = parts;
  return new Map<string, Check>([
    ["/pods", (node, request) => checkPod(names, read, node, request)],
    ["/nodes", (node, request) => ownNodeProblem(names, node, request)],
    ["/persistentvolumeclaims", checkClaim],
    ["/serviceaccounts", (node, request) => checkToken(parts, read, node, request)],
    [`${names.group("coordination")}/leases`, (node, request) => checkLease(names, node, request)],
    [
      `${names.group("storage")}/csinodes`,
      (node, request) =>
        ownName(request) === node ? undefined : "can only access CSINode with the same name as the requesting node",
    ],
    [`${names.group("resource")}/resourceslices`, checkSlice],
    [`${names.group("certificates")}/certificatesigningrequests`, (node, request) => csrProblem(names, node, request)],
    [
      `${names.group("certificates")}/podcertificaterequests`,
      (node, request) => podCertificateProblem(names, read, node, request),
    ],
  ]);
}

async function checkPod(names: Names, read: ReadObject, node: string, request: AdmissionRequest): Promise<Problem> {
  const { operation, subresource, namespace, name } = request;
  const boundElsewhere = async (podName: string): Promise<boolean> => {
    const pod = await read("", "pods", namespace, podName);
    if (pod === undefined) throw notFoundObject({ group: "", resource: "pods" }, podName);
    return nodeNameOf(pod) !== node;
  };
  switch (subresource) {
    case "":
      if (operation === "CREATE")
        return mirrorPodProblem(names, node, request.object!, () => read("", "nodes", "", node));
      if (operation === "DELETE") {
        return (await boundElsewhere(name))
          ? `node "${node}" can only delete pods with spec.nodeName set to itself`
          : undefined;
      }
      return `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`;
    case "status":
      return operation === "UPDATE" ? podStatusProblem(node, request) : `unexpected operation "${operation}"`;
    case "eviction": {
      if (operation !== "CREATE") return `unexpected operation ${operation}`;
      const podName = name === "" ? (request.object?.metadata.name ?? "") : name;
      if (podName === "") return "could not determine pod from request data";
      return (await boundElsewhere(podName))
        ? `node ${node} can only evict pods with spec.nodeName set to itself`
        : undefined;
    }
    default:
      return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  }
}

function podStatusProblem(node: string, { object, oldObject }: AdmissionRequest): Problem {
  if (nodeNameOf(oldObject!) !== node)
    return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  if (!equalJson(object!.metadata.labels ?? {}, oldObject!.metadata.labels ?? {})) {
    return `node "${node}" cannot update labels through pod status`;
  }
  const changed = (member: "resourceClaimStatuses" | "extendedResourceClaimStatus") =>
    !equalJson(statusOf(object!)[member] ?? [], statusOf(oldObject!)[member] ?? []);
  // In upstream's spelling.
  if (changed("resourceClaimStatuses")) return `node "${node}" cannot update resource claim statues`;
  if (changed("extendedResourceClaimStatus")) return `node "${node}" cannot update extended resource claim status`;
  return undefined;
}

/** The status of a claim that is being resized; nothing else of it. */
function checkClaim(node: string, { subresource, operation, object, oldObject }: AdmissionRequest): Problem {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation "${operation}"`;
  if (equalJson(withoutResizing(object!), withoutResizing(oldObject!))) return undefined;
  return `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutResizing({ metadata, ...claim }: ApiObject): unknown {
  const { managedFields: _m, resourceVersion: _r, ...rest } = metadata;
  const {
    capacity: _c,
    conditions: _d,
    allocatedResources: _a,
    allocatedResourceStatuses: _s,
    ...status
  } = (claim["status"] ?? {}) as Record<string, unknown>;
  return { ...claim, metadata: rest, status };
}

async function checkToken(
  parts: NodeRestrictionParts,
  read: ReadObject,
  node: string,
  request: AdmissionRequest,
): Promise<Problem> {
  if (request.operation !== "CREATE" || request.subresource !== "token") return undefined;
  const { boundObjectRef: ref, audiences } = specOf(request.object!) as {
    boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string } | null;
    audiences?: string[] | null;
  };
  if (ref === undefined || ref === null || ref.apiVersion !== "v1" || ref.kind !== "Pod" || (ref.name ?? "") === "") {
    return "node requested token not bound to a pod";
  }
  if ((ref.uid ?? "") === "") return "node requested token with a pod binding without a uid";
  const pod = await read("", "pods", request.namespace, ref.name!);
  if (pod === undefined) throw notFoundObject({ group: "", resource: "pods" }, ref.name!);
  if (ref.uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (nodeNameOf(pod) !== node) return "node requested token bound to a pod scheduled on a different node";
  if (!parts.gateEnabled("ServiceAccountNodeAudienceRestriction")) return undefined;
  return audienceProblem({ ...parts, read, request, pod, audiences: audiences ?? [] });
}

function checkLease(names: Names, node: string, request: AdmissionRequest): Problem {
  if (request.namespace !== names.nodeLeaseNamespace) {
    return `can only access leases in the ${JSON.stringify(names.nodeLeaseNamespace)} system namespace`;
  }
  return ownName(request) === node ? undefined : "can only access node lease with the same name as the requesting node";
}

/** Other changes of slices are judged by the authorizer, which knows whose they are. */
function checkSlice(node: string, { operation, object, oldObject }: AdmissionRequest): Problem {
  const slice = operation === "CREATE" ? object : operation === "DELETE" ? oldObject : undefined;
  if (slice === undefined || nodeNameOf(slice) === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

function reader(catalog: Catalog): ReadObject {
  return async (group, resource, namespace, name) => {
    const store = catalog.own(group, "v1", resource)?.store;
    const entry = await store?.get(store.keyOf(namespace, name));
    return entry === undefined ? undefined : decodeStored(entry.value, entry.revision);
  };
}

/** The name of what is written; a new object carries it itself. */
const ownName = ({ name, object }: AdmissionRequest): string => (name === "" ? (object?.metadata.name ?? "") : name);

const specOf = (object: ApiObject): Readonly<Record<string, unknown>> =>
  (object["spec"] ?? {}) as Record<string, unknown>;
const statusOf = (object: ApiObject): Readonly<Record<string, unknown>> =>
  (object["status"] ?? {}) as Record<string, unknown>;
const nodeNameOf = (object: ApiObject): unknown => specOf(object)["nodeName"];
