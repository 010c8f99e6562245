// The live watchers by scope and selector, so that a change touches only those whose scope it lies in, and a selector
// that many watchers share is evaluated once.

import { type CacheEvent, type EventType, transition } from "./cache-event.ts";
import type { Watcher } from "./watcher.ts";

/** Watchers with equal scope and equal selector. The key is the selectorKey, or the watcher itself when it has none. */
type Groups = Map<string | Watcher, Set<Watcher>>;

interface ScopeWatchers {
  readonly groups: Groups;
  /** Groups that require a field value: field -> value -> groups. */
  readonly byField: Map<string, Map<string, Groups>>;
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
      const values = scopeWatchers.byField.get(requires.field);
      values?.delete(requires.value);
      if (values?.size === 0) scopeWatchers.byField.delete(requires.field);
    }
    if (scopeWatchers.groups.size === 0 && scopeWatchers.byField.size === 0) this.#scopes.delete(scope);
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
  for (const [field, values] of scope.byField) {
    const now = fieldOf(event.item, field);
    const before = event.previous === undefined ? undefined : fieldOf(event.previous, field);
    if (now !== undefined) deliverToGroups(values.get(now), event);
    if (before !== undefined && before !== now) deliverToGroups(values.get(before), event);
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

const newScope = (): ScopeWatchers => ({ groups: new Map(), byField: new Map() });

function groupKey(watcher: Watcher): string | Watcher {
  const { matches, selectorKey } = watcher.options;
  return matches === undefined ? "" : (selectorKey ?? watcher);
}

function groupsFor(watcher: Watcher, scope: ScopeWatchers): Groups {
  const { requires } = watcher.options;
  if (requires === undefined) return scope.groups;
  const values = getOrAdd(scope.byField, requires.field, () => new Map<string, Groups>());
  return getOrAdd(values, requires.value, (): Groups => new Map());
}

function fieldOf(item: CacheEvent["item"], field: string): string | undefined {
  return Object.hasOwn(item.fields, field) ? item.fields[field] : undefined;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
