// The live watchers by scope and selector, so that a change touches only those whose scope it lies in, and a selector
// that many watchers share is evaluated once.

import { type CacheEvent, type EventType, transition } from "./cache-event.ts";
import { attributeKey, attributeOf, type Requirement } from "./requirement.ts";
import type { Watcher } from "./watcher.ts";

/** Watchers with equal scope and equal selector. The key is the selectorKey, or the watcher itself when it has none. */
type Groups = Map<string | Watcher, Set<Watcher>>;

interface ScopeWatchers {
  readonly groups: Groups;
  /** Groups that require a value of a label or field. */
  readonly required: Map<string, RequiredValues>;
}

interface RequiredValues {
  readonly attribute: Pick<Requirement, "of" | "name">;
  readonly groups: Map<string, Groups>;
}

export class WatcherIndex {
  readonly #prefix: string;
  readonly #scopes = new Map<string, ScopeWatchers>();

  /** @param prefix of every key and scope; ends in "/". */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(watcher: Watcher): void {
    const { scope } = watcher.options;
    const groups = groupsFor(watcher, getOrAdd(this.#scopes, scope, newScope));
    getOrAdd(groups, groupKey(watcher), () => new Set<Watcher>()).add(watcher);
  }

  delete(watcher: Watcher): void {
    const { scope, requires } = watcher.options;
    const scopeWatchers = this.#scopes.get(scope);
    if (scopeWatchers === undefined) return;

    const groups = groupsFor(watcher, scopeWatchers);
    const group = groups.get(groupKey(watcher));
    group?.delete(watcher);
    if (group?.size === 0) groups.delete(groupKey(watcher));
    if (requires !== undefined && groups.size === 0) {
      const required = scopeWatchers.required.get(attributeKey(requires));
      required?.groups.delete(requires.values[0]!);
      if (required?.groups.size === 0) scopeWatchers.required.delete(attributeKey(requires));
    }
    if (scopeWatchers.groups.size === 0 && scopeWatchers.required.size === 0) this.#scopes.delete(scope);
  }

  deliver(event: CacheEvent): void {
    if (this.#scopes.size === 0) return;
    const { key } = event.item;
    for (let slash = this.#prefix.length - 1; slash !== -1; slash = key.indexOf("/", slash + 1)) {
      deliverTo(this.#scopes.get(key.slice(0, slash + 1)), event);
    }
    deliverTo(this.#scopes.get(key), event);
  }
}

function deliverTo(scope: ScopeWatchers | undefined, event: CacheEvent): void {
  if (scope === undefined) return;
  for (const group of scope.groups.values()) deliverToGroup(group, event);
  const { item, previous } = event;
  for (const { attribute, groups } of scope.required.values()) {
    if (item.corrupt !== undefined) {
      for (const each of groups.values()) deliverToGroups(each, event);
      continue;
    }
    const now = attributeOf(item, attribute);
    const before = previous && attributeOf(previous, attribute);
    if (now !== undefined) deliverToGroups(groups.get(now), event);
    if (before !== undefined && before !== now) deliverToGroups(groups.get(before), event);
  }
}

function deliverToGroups(groups: Groups | undefined, event: CacheEvent): void {
  if (groups === undefined) return;
  for (const group of groups.values()) deliverToGroup(group, event);
}

function deliverToGroup(group: Set<Watcher>, event: CacheEvent): void {
  const [first] = group;
  if (first === undefined) return;
  let type: EventType | undefined;
  try {
    type = transition(event, first.options.matches);
  } catch (error) {
    for (const watcher of group) watcher.fail(error);
    return;
  }
  if (type === undefined) return;
  // A sink may close watches and open others meanwhile: a Set's iteration allows both, and what is opened now wants
  // only later changes.
  for (const watcher of group) watcher.deliver(event, type);
}

const newScope = (): ScopeWatchers => ({ groups: new Map(), required: new Map() });

function groupKey(watcher: Watcher): string | Watcher {
  const { matches, selectorKey } = watcher.options;
  return matches === undefined ? "" : (selectorKey ?? watcher);
}

function groupsFor(watcher: Watcher, scope: ScopeWatchers): Groups {
  const { requires } = watcher.options;
  if (requires === undefined) return scope.groups;
  const newValues = (): RequiredValues => ({ attribute: requires, groups: new Map() });
  const { groups } = getOrAdd(scope.required, attributeKey(requires), newValues);
  return getOrAdd(groups, requires.values[0]!, (): Groups => new Map());
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
