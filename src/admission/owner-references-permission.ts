// Admission by flag: who makes an object depend on another must be allowed to delete it, and to hold the owner back.

import { equalJson } from "../base/json.ts";
import { type ObjectMeta, type OwnerReference, parseApiVersion } from "../meta/object.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import type { Catalog } from "../registry/catalog.ts";
import { concernsPart } from "./match-request.ts";
import { refusal } from "./refusal.ts";

export function ownerReferencesPermission(catalog: Catalog, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "OwnerReferencesPermissionEnforcement",
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      // Node agents write the status of pods and send the whole object.
      !concernsPart(request, "", "pods", "status"),
    async validate(request) {
      const owners = ownersOf(request.object?.metadata);
      const before = ownersOf(request.oldObject?.metadata);
      if (equalJson(owners, before)) return;
      const { resource, subresource, namespace, name, user } = request;
      // Who makes an object need not have made it: that takes no right to delete it.
      if (request.operation === "UPDATE") {
        const deletion = await authorizer.authorize({
          user,
          verb: "delete",
          resource: { ...resource, subresource, namespace, name },
        });
        if (deletion.verdict !== "allow")
          throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${why(deletion)}`);
      }
      const held = newlyHeld(owners, before);
      // What kinds there are is not looked at for those who may hold anything back.
      if (
        held.length === 0 ||
        (await authorizer.authorize({ user, verb: "update", resource: ANYTHING })).verdict === "allow"
      )
        return;
      for (const owner of held) await checkHold(catalog, authorizer, request, owner);
    },
  };
}

const ANYTHING = { group: "*", version: "*", resource: "*", subresource: "finalizers", namespace: "", name: "*" };

const ownersOf = (metadata: ObjectMeta | undefined): readonly OwnerReference[] => metadata?.ownerReferences ?? [];

/** Owners that now wait for this object and did not before. */
function newlyHeld(owners: readonly OwnerReference[], before: readonly OwnerReference[]): OwnerReference[] {
  const held = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid));
  return owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion === true && !held.has(uid));
}

async function checkHold(
  catalog: Catalog,
  authorizer: Authorizer,
  request: AdmissionRequest,
  owner: OwnerReference,
): Promise<void> {
  const parsed = parseApiVersion(owner.apiVersion);
  const served = catalog
    .all()
    .find(({ kind, group }) => kind.kind === owner.kind && group === parsed?.group && kind.version === parsed.version);
  if (served === undefined) {
    throw refusal(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
    );
  }
  const decision = await authorizer.authorize({
    user: request.user,
    verb: "update",
    resource: {
      group: served.group,
      version: served.kind.version,
      resource: served.kind.resource,
      subresource: "finalizers",
      namespace: served.kind.scope === "Namespaced" ? request.namespace : "",
      name: owner.name,
    },
  });
  if (decision.verdict === "allow") return;
  throw refusal(
    request,
    `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why(decision)}`,
  );
}

const why = ({ reason, error }: { reason: string; error?: string }): string => `${reason}, ${error ?? "<nil>"}`;
