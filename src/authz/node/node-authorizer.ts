// The Node authorizer: a node agent may read what its own pods need, and write what is about its own node.
// What a write may change is checked by the admission plug-in NodeRestriction. Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";
import { nodeOf } from "../../meta/node-identity.ts";
import type { Attributes, Decision } from "../../registry/authorizer.ts";
import type { ChainLink } from "../chain.ts";
import { expandRule } from "../rbac/default-roles/declare.ts";
import { SYSTEM_ROLES } from "../rbac/default-roles/system-roles.ts";
import { ruleAllows } from "../rbac/rule-match.ts";
import type { NodeGraph } from "./node-graph.ts";

type ResourceAttributes = NonNullable<Attributes["resource"]>;
type Check = (node: string, verb: string, resource: ResourceAttributes) => Decision;

const ALLOW: Decision = { verdict: "allow", reason: "" };
const NO_OPINION: Decision = { verdict: "no-opinion", reason: "" };
const refuse = (reason: string): Decision => ({ verdict: "no-opinion", reason });

export function nodeLink(
  names: Names,
  graph: NodeGraph,
  gateEnabled: (gate: string) => boolean,
): Omit<ChainLink, "name"> {
  const checks = checksOf(names, graph, gateEnabled);
  const declared = SYSTEM_ROLES.find(({ name }) => name === "system:node")?.rules ?? [];
  const rules = declared
    .filter(({ gate }) => gate === undefined || gateEnabled(gate))
    .map((rule) => expandRule(names, rule));
  return {
    type: "Node",
    authorizer: {
      authorize(attributes) {
        const node = nodeOf(attributes.user);
        if (node === undefined) return NO_OPINION;
        if (node === "") return refuse(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
        const { resource, verb } = attributes;
        const check = resource === undefined ? undefined : checks.get(`${resource.group}/${resource.resource}`);
        if (check !== undefined) return check(node, verb, resource!);
        return rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOW : NO_OPINION;
      },
    },
    rules: {
      rulesFor: (user) => {
        const isNode = nodeOf(user) !== undefined;
        return {
          rules: [],
          problems: isNode ? ["node authorizer does not support user rule resolution"] : [],
          incomplete: isNode,
        };
      },
    },
  };
}

function checksOf(names: Names, graph: NodeGraph, gateEnabled: (gate: string) => boolean): ReadonlyMap<string, Check> {
  const resourceGroup = names.group("resource");
  const related = (reached: boolean, node: string): Decision =>
    reached ? ALLOW : refuse(`no relationship found between node '${node}' and this object`);
  const named = ({ name }: ResourceAttributes, decide: () => Decision): Decision =>
    name === "" ? refuse("No Object name found") : decide();

  const readNamespaced =
    (kind: "secret" | "configmap"): Check =>
    (node, verb, resource) => {
      if (!["get", "list", "watch"].includes(verb)) return refuse("can only read resources of this type");
      if (resource.subresource !== "") return refuse("cannot read subresource");
      if (resource.namespace === "") return refuse("can only read namespaced object of this type");
      return named(resource, () => related(graph.reaches(node, kind, resource.namespace, resource.name), node));
    };
  const getOnly =
    (reached: (node: string, resource: ResourceAttributes) => boolean): Check =>
    (node, verb, resource) => {
      if (verb !== "get") return refuse("can only get individual resources of this type");
      if (resource.subresource !== "") return refuse("cannot get subresource");
      return named(resource, () => related(reached(node, resource), node));
    };
  // Where nobody may look at selectors, agents could not list their pods at all.
  const selectsOwn = (resource: ResourceAttributes, node: string): boolean =>
    !gateEnabled("AuthorizeWithSelectors") || selects(resource, "spec.nodeName", node);
  const getClaim = getOnly((node, { namespace, name }) =>
    graph.reaches(node, "persistentvolumeclaim", namespace, name),
  );
  const getPod = getOnly((node, { namespace, name }) => graph.hasPod(node, namespace, name));

  return new Map<string, Check>([
    ["/secrets", readNamespaced("secret")],
    ["/configmaps", readNamespaced("configmap")],
    [
      "/persistentvolumeclaims",
      (node, verb, resource) => {
        if (resource.subresource !== "status") return getClaim(node, verb, resource);
        if (verb !== "update" && verb !== "patch") return refuse("can only get/update/patch this type");
        return named(resource, () =>
          related(graph.reaches(node, "persistentvolumeclaim", resource.namespace, resource.name), node),
        );
      },
    ],
    ["/persistentvolumes", getOnly((node, { name }) => graph.reachesVolume(node, name))],
    [`${names.group("storage")}/volumeattachments`, getOnly((node, { name }) => graph.ownsAttachment(node, name))],
    [
      `${resourceGroup}/resourceclaims`,
      getOnly((node, { namespace, name }) => graph.reaches(node, "resourceclaim", namespace, name)),
    ],
    [
      "/serviceaccounts",
      (node, verb, resource) => {
        const reads =
          verb === "get" &&
          resource.subresource === "" &&
          gateEnabled("KubeletServiceAccountTokenForCredentialProviders");
        if (!reads && (verb !== "create" || resource.subresource !== "token")) {
          return refuse("can only create tokens for individual service accounts");
        }
        return named(resource, () =>
          related(graph.reaches(node, "serviceaccount", resource.namespace, resource.name), node),
        );
      },
    ],
    [
      `${names.group("coordination")}/leases`,
      (node, verb, resource) => {
        if (!OWN_OBJECT_VERBS.has(verb)) return refuse("can only get, create, update, patch, or delete a node lease");
        if (resource.namespace !== names.nodeLeaseNamespace) {
          return refuse(`can only access leases in the ${JSON.stringify(names.nodeLeaseNamespace)} system namespace`);
        }
        // The name of a new lease is not known here; NodeRestriction looks at it.
        if (verb !== "create" && resource.name !== node)
          return refuse("can only access node lease with the same name as the requesting node");
        return ALLOW;
      },
    ],
    [
      `${names.group("storage")}/csinodes`,
      (node, verb, resource) => {
        if (!OWN_OBJECT_VERBS.has(verb)) return refuse("can only get, create, update, patch, or delete a CSINode");
        if (resource.subresource !== "") return refuse("cannot authorize CSINode subresources");
        if (verb !== "create" && resource.name !== node)
          return refuse("can only access CSINode with the same name as the requesting node");
        return ALLOW;
      },
    ],
    [
      `${resourceGroup}/resourceslices`,
      (node, verb, resource) => {
        if (resource.subresource !== "") return refuse("cannot authorize ResourceSlice subresources");
        switch (verb) {
          case "create":
            return ALLOW;
          case "get":
          case "update":
          case "patch":
          case "delete":
            return named(resource, () => related(graph.ownsSlice(node, resource.name), node));
          case "list":
          case "watch":
          case "deletecollection":
            if (selectsOwn(resource, node)) return ALLOW;
            return refuse("can only list/watch/deletecollection resourceslices with nodeName field selector");
          default:
            return refuse(
              "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
            );
        }
      },
    ],
    [
      `${names.group("certificates")}/podcertificaterequests`,
      (node, verb, resource) => {
        if (resource.subresource !== "") return refuse("nodes may not access subresources of PodCertificateRequests");
        switch (verb) {
          // For which pods is looked at by NodeRestriction.
          case "create":
            return ALLOW;
          case "get":
            return named(resource, () =>
              related(graph.requestedCertificate(node, resource.namespace, resource.name), node),
            );
          case "list":
          case "watch":
            if (selectsOwn(resource, node)) return ALLOW;
            return refuse("can only list/watch podcertificaterequests with nodeName field selector");
          default:
            return refuse(`nodes may not ${verb} podcertificaterequests`);
        }
      },
    ],
    ["/nodes", (node, verb, resource) => authorizeNode(node, verb, resource)],
    [
      "/pods",
      (node, verb, resource) => {
        if (resource.subresource === "status") return verb === "update" || verb === "patch" ? ALLOW : NO_OPINION;
        if (resource.subresource === "eviction") return verb === "create" ? ALLOW : NO_OPINION;
        if (resource.subresource !== "") return NO_OPINION;
        switch (verb) {
          case "get":
            return getPod(node, verb, resource);
          case "list":
          case "watch":
            if (selectsOwn(resource, node)) return ALLOW;
            if (resource.name !== "") return related(graph.hasPod(node, resource.namespace, resource.name), node);
            return refuse("can only list/watch pods with spec.nodeName field selector");
          case "create":
          case "delete":
            return ALLOW;
          default:
            return NO_OPINION;
        }
      },
    ],
  ]);
}

const OWN_OBJECT_VERBS: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"]);

/** By name and not by the graph: an agent looks for its node before it has made it. */
function authorizeNode(node: string, verb: string, { subresource, name }: ResourceAttributes): Decision {
  if (subresource === "status") return verb === "update" || verb === "patch" ? ALLOW : NO_OPINION;
  if (subresource !== "") return NO_OPINION;
  switch (verb) {
    case "create":
    case "update":
    case "patch":
      return ALLOW;
    case "get":
    case "list":
    case "watch":
      if (name === node) return ALLOW;
      return refuse(`node '${node}' cannot read ${name === "" ? "all nodes" : `'${name}'`}, only its own Node object`);
    default:
      return NO_OPINION;
  }
}

function selects({ fieldSelector = [] }: ResourceAttributes, field: string, value: string): boolean {
  return fieldSelector.some(
    ({ key, operator, values }) => key === field && operator === "In" && values.length === 1 && values[0] === value,
  );
}
