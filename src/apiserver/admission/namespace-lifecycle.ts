// Admission: nothing is created in a namespace that is absent or ending, and the first namespaces cannot be deleted.

import type { Names } from "../../meta/names.ts";
import { forbidden, notFoundObject, StatusError } from "../../meta/status-error.ts";
import type { ObjectMirror } from "../registry/object-mirror.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";

/** What the plug-in remembers of a namespace. */
export interface NamespaceState {
  readonly ending: boolean;
}

const NAMESPACES = { group: "", resource: "namespaces" };

export function namespaceLifecycle(names: Names, namespaces: ObjectMirror<NamespaceState>): AdmissionPlugin {
  const immortal = new Set(["default", names.systemNamespace, names.publicNamespace]);
  return {
    name: "NamespaceLifecycle",
    handles: ({ operation, namespace, resource }) =>
      (namespace !== "" && operation !== "CONNECT") || (operation === "DELETE" && resource.resource === "namespaces" && resource.group === ""),
    async validate(request) {
      const { operation, resource, name, namespace, subresource } = request;
      if (resource.group === "" && resource.resource === "namespaces") {
        if (operation === "DELETE" && immortal.has(name)) throw forbidden(NAMESPACES, name, "this namespace may not be deleted");
        return;
      }
      // Reviews ask about namespaces, whether or not they exist.
      if (operation !== "CREATE" || isReview(names, request)) return;
      let state = namespaces.get("", namespace);
      if (state === undefined) {
        // It may have been created on another server a moment ago.
        await namespaces.sync();
        state = namespaces.get("", namespace);
      }
      if (state === undefined) throw notFoundObject(NAMESPACES, namespace);
      if (state.ending && subresource === "") throw endingNamespace(request);
    },
  };
}

function isReview(names: Names, { resource }: AdmissionRequest): boolean {
  return resource.group === names.group("authorization") || resource.group === names.group("authentication");
}

function endingNamespace({ resource, name, namespace }: AdmissionRequest): StatusError {
  const refused = forbidden(
    { group: resource.group, resource: resource.resource },
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  return new StatusError(refused.code, refused.reason, refused.message, {
    ...refused.details,
    causes: [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }],
  });
}
