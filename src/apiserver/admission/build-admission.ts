// The admission plug-ins that this server runs, in their order.

import type { Names } from "../../meta/names.ts";
import type { Catalog } from "../registry/catalog.ts";
import { ObjectMirror } from "../registry/object-mirror.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { namespaceLifecycle, type NamespaceState } from "./namespace-lifecycle.ts";

export interface AdmissionParts {
  readonly names: Names;
  readonly catalog: Catalog;
}

export interface Admission {
  readonly plugins: readonly AdmissionPlugin[];
  /** Loads what the plug-ins look things up in. */
  start(): Promise<void>;
  close(): void;
}

export function buildAdmission({ names, catalog }: AdmissionParts): Admission {
  const namespaces = new ObjectMirror<NamespaceState>(catalog.find("", "v1", "namespaces")!.store!, {
    project: ({ metadata }) => ({ ending: metadata.deletionTimestamp !== undefined }),
  });
  return {
    plugins: [namespaceLifecycle(names, namespaces)],
    start: () => namespaces.ready(),
    close: () => namespaces.close(),
  };
}
