// Hooks of CustomResourceDefinition. Requirements: document 1, "Custom resources".

import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";

const HTTPS_PORT = 443;

export function defaultDefinition({ spec, status }: CustomResourceDefinition): void {
  spec.names.singular ||= spec.names.kind.toLowerCase();
  if (spec.names.kind !== "") spec.names.listKind ||= `${spec.names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= HTTPS_PORT;
  const stored = spec.versions?.find((version) => version.storage);
  if (!status.storedVersions?.length && stored) status.storedVersions = [stored.name];
}

export function prepareForCreate(definition: CustomResourceDefinition): void {
  definition.status = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null };
  rememberStoredVersion(definition);
}

export function prepareForUpdate(definition: CustomResourceDefinition, old: CustomResourceDefinition): void {
  definition.status = { ...old.status };
  rememberStoredVersion(definition);
}

// Objects may be stored in every version that ever was the stored one, until the list is pruned by hand.
function rememberStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = spec.versions?.find((version) => version.storage);
  const known = status.storedVersions ?? [];
  if (stored && !known.includes(stored.name)) status.storedVersions = [...known, stored.name];
}
