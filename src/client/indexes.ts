// Indexes that many informers want.

import type { IndexFunction } from "./informer.ts";

/** By the value of a label. */
export function byLabel(label: string): IndexFunction<object> {
  return ({ metadata: { labels } }) => (labels !== undefined && Object.hasOwn(labels, label) ? [labels[label]!] : []);
}

/** By the uid of every owner. */
export const byOwner: IndexFunction<object> = ({ metadata }) =>
  metadata.ownerReferences?.map(({ uid }) => uid) ?? NOWHERE;

/** By the uid of the owner that controls the object. */
export const byController: IndexFunction<object> = ({ metadata }) => {
  const controller = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return controller === undefined ? NOWHERE : [controller.uid];
};

const NOWHERE: readonly string[] = [];
