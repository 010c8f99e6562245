// What the registry hands out: objects as bytes at a revision, and their changes.

export type { Revision } from "../storage/engine.ts";
export type {
  CacheEvent,
  CacheItem,
  CacheSnapshot,
  CacheWatch,
  EventType,
  Requirement,
} from "../storage/watch-cache.ts";
