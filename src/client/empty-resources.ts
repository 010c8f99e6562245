// What a client can know of resources without objects where its server is of the same process.

import type { ResourceType } from "./resources/resource-type.ts";

export interface EmptyResources {
  /** Undefined when there are objects, or when nobody would hear of the first one. Never fails. */
  find(followed: Followed, signal?: AbortSignal): Promise<EmptyResource | undefined>;
}

export interface Followed {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
}

interface EmptyResource {
  /** At which there was no object. */
  readonly resourceVersion: string;
  /** Resolves when there is one, when the signal aborts, or when it can no longer be told. */
  readonly whenOver: Promise<void>;
}
