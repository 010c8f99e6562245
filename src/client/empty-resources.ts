// What a client can know of resources without objects where its server is of the same process.

import type { ResourceType } from "./resources/resource-type.ts";

export interface EmptyResources {
  /** Undefined when there are such objects, or when nobody would hear of the first one. Never fails. */
  find(followed: Followed, signal?: AbortSignal): Promise<EmptyResource | undefined>;
}

export interface Followed {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  /** Objects without owners that nobody has asked to end count as none. */
  readonly onlyOwned?: boolean | undefined;
  /** Objects that stand as controllers have left them, before this server began, count as none. */
  readonly onlyChanged?: boolean | undefined;
}

interface EmptyResource {
  /** At which there was no such object. */
  readonly resourceVersion: string;
  /** Resolves when any object changes, when the signal aborts, or when it can no longer be told. */
  readonly whenOver: Promise<void>;
}
