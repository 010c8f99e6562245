// Admission: nothing is created in a namespace that is absent or ending, and the first namespaces cannot be deleted.

import type { Names } from "../meta/names.ts";
import { forbidden, notFoundObject, StatusError } from "../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import { refusal } from "./refusal.ts";

/** What plug-ins remember of a namespace. */
export interface NamespaceState {
  readonly ending: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** What expressions see of it. */
  readonly object: Readonly<Record<string, unknown>>;
}

const NAMESPACES = { group: "", resource: "namespaces" };

export function namespaceLifecycle(names: Names, namespaces: Lookup<NamespaceState>): AdmissionPlugin {
  const immortal = new Set(["default", names.systemNamespace, names.publicNamespace]);
  return {
    name: "NamespaceLifecycle",
    handles: ({ operation, namespace, resource }) =>
      (namespace !== "" && operation === "CREATE") ||
      (operation === "DELETE" && resource.resource === "namespaces" && resource.group === ""),
    mutate(request) {
      const { operation, resource, name, namespace } = request;
      if (resource.group === "" && resource.resource === "namespaces") {
        if (operation === "DELETE" && immortal.has(name) && request.subresource === "")
          throw forbidden(NAMESPACES, name, "this namespace may not be deleted");
        return;
      }
      // Reviews ask about namespaces, whether or not they exist.
      if (operation !== "CREATE" || isReview(names, request)) return;
      const state = findFresh(namespaces, "", namespace);
      const check = (found: NamespaceState | undefined): void => {
        if (found === undefined) throw notFoundObject(NAMESPACES, namespace);
        if (found.ending) throw endingNamespace(request);
      };
      return state instanceof Promise ? state.then(check) : check(state);
    },
  };
}

function isReview(names: Names, { resource }: AdmissionRequest): boolean {
  return resource.group === names.group("authorization") || resource.group === names.group("authentication");
}

function endingNamespace(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const refused = refusal(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError(refused.code, refused.reason, refused.message, { ...refused.details, causes: [cause] });
}
