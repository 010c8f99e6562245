// Admission by flag: NamespaceExists refuses whatever concerns an absent namespace, NamespaceAutoProvision makes it.

import { notFoundObject } from "../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { findFresh, type Lookup } from "./mirrors.ts";

const NAMESPACES = { group: "", resource: "namespaces" };

export function namespaceExists(namespaces: Lookup<unknown>): AdmissionPlugin {
  return {
    name: "NamespaceExists",
    handles: inNamespace,
    async validate({ namespace }) {
      if ((await findFresh(namespaces, "", namespace)) === undefined) throw notFoundObject(NAMESPACES, namespace);
    },
  };
}

/** `create` stores a namespace of that name unless it is there. */
export function namespaceAutoProvision(
  namespaces: Lookup<unknown>,
  create: (name: string) => Promise<void>,
): AdmissionPlugin {
  return {
    name: "NamespaceAutoProvision",
    handles: (request) => request.operation === "CREATE" && inNamespace(request),
    async mutate({ namespace, dryRun }) {
      // A dry run leaves nothing behind: the missing namespace is for the next plug-in to complain about.
      if (dryRun || (await findFresh(namespaces, "", namespace)) !== undefined) return;
      await create(namespace);
    },
  };
}

function inNamespace({ namespace, resource, operation }: AdmissionRequest): boolean {
  return namespace !== "" && operation !== "CONNECT" && !(resource.group === "" && resource.resource === "namespaces");
}
