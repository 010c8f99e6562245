// References between an object and what was created for it.

import { type ObjectKey, type OwnerReference, parseApiVersion } from "../../meta/object.ts";
import type { ResourceType } from "../resources/resource-type.ts";

/** Says that an object exists for another, which controls it: it goes when the owner goes. */
export function ownerReferenceTo(owner: {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: { readonly name?: string | undefined; readonly uid?: string | undefined };
}): OwnerReference {
  const { apiVersion = "", kind = "", metadata } = owner;
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The key of the object of this type that controls another; undefined when none does. Any version is the same object. */
export function controllerKey(
  object: { readonly metadata: { readonly namespace?: string; readonly ownerReferences?: readonly OwnerReference[] } },
  type: ResourceType,
): ObjectKey | undefined {
  const { namespace, ownerReferences = [] } = object.metadata;
  const controller = ownerReferences.find(({ controller }) => controller === true);
  if (controller === undefined || controller.kind !== type.kind) return undefined;
  if (parseApiVersion(controller.apiVersion)?.group !== type.group) return undefined;
  return type.namespaced && namespace !== undefined ? { namespace, name: controller.name } : { name: controller.name };
}
