// A definition of a custom resource while it is served.

import type { ObjectStore } from "../../../registry/object-store.ts";
import type { DefinitionSummary } from "./definition.ts";
import type { VersionCompiler } from "./definition-reader.ts";
import type { NamingOutcome } from "./naming.ts";
import type { DefinedVersions } from "./served-version.ts";

/** A definition at work. */
export interface ActiveDefinition {
  readonly summary: DefinitionSummary;
  readonly naming: NamingOutcome;
  readonly versions: DefinedVersions;
  readonly storage: VersionedStore;
}

/** The store of one generation of a definition, and what its versions say: another schema reads stored objects otherwise. */
export interface VersionedStore {
  readonly identity: string;
  readonly compiler: VersionCompiler;
  readonly store: () => ObjectStore;
  close(): void;
}
