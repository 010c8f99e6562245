// Hooks of CustomResourceDefinition. Requirements: document 1, "Custom resources".

import type { Steps } from "../../base/steps.ts";
import type { Names } from "../../meta/names.ts";
import { shapeDefaults } from "../../schema/crd-defaults.ts";
import type { Props } from "../../schema/crd-props.ts";
import { objectMeta } from "../meta/object-meta.ts";
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

export function* canonicalize({ spec }: CustomResourceDefinition): Steps<void> {
  for (const { schema } of spec.versions ?? [])
    if (schema?.openAPIV3Schema) yield* shapeDefaults(schema.openAPIV3Schema as Props, objectMeta);
}

/** The objects of a definition go before it. */
export function holdsDeletion({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** As upstream marks a definition: no time, no policy of the garbage collector, no new generation. */
export function markEnding({ metadata, status }: CustomResourceDefinition, names: Names): void {
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => !COLLECTOR_FINALIZERS.has(finalizer));
  if (!finalizers.includes(names.definitionFinalizer)) finalizers.push(names.definitionFinalizer);
  metadata.finalizers = finalizers;
  delete metadata.deletionGracePeriodSeconds;
  const conditions = status.conditions ?? [];
  if (conditions.some(({ type }) => type === "Terminating")) return;
  if (metadata.generation !== undefined) metadata.generation -= 1;
  const pending = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: metadata.deletionTimestamp ?? "",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  status.conditions = [...conditions, pending];
}

const COLLECTOR_FINALIZERS: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion"]);

// Objects may be stored in every version that ever was the stored one, until the list is pruned by hand.
function rememberStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = spec.versions?.find((version) => version.storage);
  const known = status.storedVersions ?? [];
  if (stored && !known.includes(stored.name)) status.storedVersions = [...known, stored.name];
}
