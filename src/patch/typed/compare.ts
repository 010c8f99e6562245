// What changed between two values of one schema, as three sets of paths.

import { groupBy } from "../../base/index-by.ts";
import { countValues, equalJson, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { equalJsonInSteps, keysInStep } from "../../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import type { FieldSet } from "../field-set.ts";
import { MAX_OWNED_DEPTH } from "../nesting.ts";
import { fieldElement, type PathElement } from "../path-element.ts";
import { type Atom, DEDUCED, type ListAtom, type MapAtom } from "./atom.ts";
import { type Form, formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareTyped(before: Json, after: Json, atom: Atom): Comparison {
  const comparing = new Comparing();
  comparing.compare(before, after, atom);
  return comparing.result();
}

/** The same for large values: `long` members of a long map or list are compared in one step. */
export function* compareTypedInSteps(before: Json, after: Json, atom: Atom, long = LONG): Steps<Comparison> {
  const comparing = new Comparing();
  yield* comparing.compareInSteps(before, after, atom, long);
  return comparing.result();
}

const LONG = 250;

class Comparing {
  readonly added = new SetBuilder();
  readonly modified = new SetBuilder();
  readonly removed = new SetBuilder();
  readonly #path: PathElement[] = [];

  result(): Comparison {
    return { added: this.added.set, modified: this.modified.set, removed: this.removed.set };
  }

  /** Down to what is not large any more, or became another form. Either side may be absent, not both. */
  *compareInSteps(before: Json | undefined, after: Json | undefined, atom: Atom, long: number): Steps<void> {
    if (before === after) return;
    const depth = this.#path.length;
    if (before === undefined && depth > 0) {
      this.added.place(this.#path, yield* addedNodeInSteps(after!, atom, depth, new Pace(long)));
      return;
    }
    const steps = depth < MAX_OWNED_DEPTH && (isLong(before, long) || isLong(after, long));
    // How much a list holds takes long to find out where it holds a large map.
    if (steps && (Array.isArray(before) || Array.isArray(after))) yield;
    const form = steps ? treatedAs(atom, formOf(atom, after === undefined ? before : after)) : "scalar";
    const alike = form !== "scalar" && (after === undefined || formOf(atom, before) === formOf(atom, after));
    // An empty object has lists that are null. A long one has items, so that they are not equal to it.
    const left = before === null && form === "list" ? [] : before;
    const right = after === undefined ? (form === "list" ? [] : {}) : after;
    if (alike && form === "list" && !atom.list!.atomic && Array.isArray(left) && Array.isArray(right))
      yield* this.#compareLongLists(left, right, atom.list!, long);
    else if (alike && form === "map" && !atom.map!.atomic && isObject(left) && isObject(right))
      yield* this.#compareLongMaps(left, right, atom.map!, long);
    else if (!steps) {
      this.compare(before, after, atom);
      return;
    } else {
      // One unit, however large.
      const equal = yield* equalJsonInSteps(before, after);
      const isUnit = alike && (form === "list" ? atom.list!.atomic : atom.map!.atomic);
      if (!equal && isUnit && before !== undefined && after !== undefined) this.modified.insert(this.#path);
      else if (!equal) this.compare(before, after, atom);
      return;
    }
    if (after === undefined) this.removed.insert(this.#path);
  }

  /** One member or element. */
  *#compareBelow(
    element: PathElement,
    before: Json | undefined,
    after: Json | undefined,
    atom: Atom,
    long: number,
  ): Steps<void> {
    this.#path.push(element);
    yield* this.compareInSteps(before, after, atom, long);
    this.#path.pop();
  }

  *#compareLongMaps(left: JsonObject, right: JsonObject, map: MapAtom, long: number): Steps<void> {
    const [leftKeys, rightKeys] = [yield* keysInStep(left), yield* keysInStep(right)];
    for (const [index, key] of leftKeys.entries()) {
      if (index % long === long - 1) yield;
      const before = left[key];
      if (before === undefined) continue;
      const after = Object.hasOwn(right, key) ? right[key] : undefined;
      if (before === after) continue;
      if (!isPart(before) && !isPart(after)) this.#compareMember(key, before, after, map);
      else {
        const field = map.field(key);
        const atom = field?.atom ?? map.value ?? DEDUCED;
        yield* this.#compareBelow(field?.element ?? fieldElement(key), before, after, atom, long);
      }
    }
    for (const [index, key] of rightKeys.entries()) {
      if (index % long === long - 1) yield;
      const after = right[key];
      if (after === undefined || (Object.hasOwn(left, key) && left[key] !== undefined)) continue;
      if (!isPart(after)) this.#compareMember(key, undefined, after, map);
      else {
        const field = map.field(key);
        const atom = field?.atom ?? map.value ?? DEDUCED;
        yield* this.#compareBelow(field?.element ?? fieldElement(key), undefined, after, atom, long);
      }
    }
  }

  *#compareLongLists(left: readonly Json[], right: readonly Json[], list: ListAtom, long: number): Steps<void> {
    const before = yield* byIdentityInSteps(left, list, long);
    const after = yield* byIdentityInSteps(right, list, long);
    let groups = 0;
    for (const [identity, items] of before) {
      groups += 1;
      if (groups % long === 0) yield;
      const others = after.get(identity) ?? [];
      if (items.length !== 1 || others.length !== 1 || !isLong(items[0], long)) this.#compareGroup(items, others, list);
      else yield* this.#compareBelow(listElement(list, items[0]!), items[0], others[0], list.item, long);
    }
    for (const [identity, items] of after) {
      groups += 1;
      if (groups % long === 0) yield;
      if (before.has(identity)) continue;
      const element = listElement(list, items[0]!);
      if (items.length > 1 || !isLong(items[0], long)) this.#compareItem(element, [], items, list);
      else yield* this.#compareBelow(element, undefined, items[0], list.item, long);
    }
  }

  /** Either side may be absent, not both. */
  compare(before: Json | undefined, after: Json | undefined, atom: Atom): void {
    // Merging shares what it does not change.
    if (before === after) return;
    if (before === undefined && this.#path.length > 0) {
      this.added.place(this.#path, atOnce(addedNodeInSteps(after!, atom, this.#path.length, new Pace(LONG))));
      return;
    }
    const formBefore = formOf(atom, before);
    const formAfter = formOf(atom, after);
    let leaf: boolean;
    if (this.#path.length >= MAX_OWNED_DEPTH) leaf = this.#leaf(before, after);
    else if (after === undefined) leaf = this.#compareAs(formBefore, before, after, atom);
    else if (before === undefined || formBefore === formAfter) leaf = this.#compareAs(formAfter, before, after, atom);
    else {
      // One form gave way to another: what the old one held is gone, the new one is there.
      this.#compareAs(formBefore, before, after, atom);
      leaf = this.#compareAs(formAfter, before, after, atom);
    }
    if (leaf) return;
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  /** True when the place was treated as a leaf. */
  #compareAs(form: Form, before: Json | undefined, after: Json | undefined, atom: Atom): boolean {
    switch (treatedAs(atom, form)) {
      case "scalar":
        return this.#leaf(before, after);
      case "list": {
        const left = Array.isArray(before) ? before : [];
        const right = Array.isArray(after) ? after : [];
        if (atom.list!.atomic || (left.length === 0 && right.length === 0)) return this.#leaf(before, after);
        this.#compareItems(left, right, atom.list!);
        return false;
      }
      case "map": {
        const left = isObject(before) ? before : {};
        const right = isObject(after) ? after : {};
        if (atom.map!.atomic || !this.#compareMembers(left, right, atom.map!)) return this.#leaf(before, after);
        return false;
      }
    }
  }

  #leaf(before: Json | undefined, after: Json | undefined): boolean {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!equalJson(before, after)) this.modified.insert(this.#path);
    return true;
  }

  /** False: there are none. */
  #compareMembers(
    left: Record<string, Json | undefined>,
    right: Record<string, Json | undefined>,
    map: MapAtom,
  ): boolean {
    // The keys of a large map take long to find, even the first of them: once.
    const [leftKeys, rightKeys] = [Object.keys(left), Object.keys(right)];
    for (const key of leftKeys) {
      const before = left[key];
      if (before === undefined) continue;
      const after = Object.hasOwn(right, key) ? right[key] : undefined;
      if (before !== after) this.#compareMember(key, before, after, map);
    }
    for (const key of rightKeys) {
      const after = right[key];
      if (after === undefined || (Object.hasOwn(left, key) && left[key] !== undefined)) continue;
      this.#compareMember(key, undefined, after, map);
    }
    return leftKeys.length + rightKeys.length > 0;
  }

  #compareMember(key: string, before: Json | undefined, after: Json | undefined, map: MapAtom): void {
    const field = map.field(key);
    this.#path.push(field?.element ?? fieldElement(key));
    this.compare(before, after, field?.atom ?? map.value ?? DEDUCED);
    this.#path.pop();
  }

  #compareItems(left: readonly Json[], right: readonly Json[], list: ListAtom): void {
    const before = byIdentity(left, list);
    const after = byIdentity(right, list);
    for (const [identity, items] of before) this.#compareGroup(items, after.get(identity) ?? [], list);
    for (const [identity, items] of after) {
      if (!before.has(identity)) this.#compareItem(listElement(list, items[0]!), [], items, list);
    }
  }

  #compareGroup(before: readonly Json[], after: readonly Json[], list: ListAtom): void {
    // Most elements of a long list stay as they are, and need no path.
    if (before.length === 1 && after.length === 1 && equalJson(before[0], after[0])) return;
    this.#compareItem(listElement(list, before[0]!), before, after, list);
  }

  /** Elements that share their keys are compared together, as one unit. */
  #compareItem(element: PathElement, before: readonly Json[], after: readonly Json[], list: ListAtom): void {
    this.#path.push(element);
    if (before.length <= 1 && after.length <= 1) {
      this.compare(before[0], after[0], list.item);
    } else if (before.length > 1 && after.length > 1) {
      if (!equalJson(before, after)) this.modified.insert(this.#path);
    } else if (before.length > 1) {
      if (after.length === 1) this.compare(undefined, after[0], list.item);
      this.removed.insert(this.#path);
    } else {
      if (before.length === 1) this.compare(before[0], undefined, list.item);
      this.added.insert(this.#path);
    }
    this.#path.pop();
  }
}

/** Lists by what they hold; maps are gone through in any case: how much one holds takes as long to find out. */
function isLong(value: Json | undefined, long: number): boolean {
  return Array.isArray(value) ? countValues(value, long) > long : isObject(value);
}

const isPart = (value: Json | undefined): boolean => typeof value === "object" && value !== null;

interface GrowingNode {
  member: boolean;
  children: Map<PathElement, GrowingNode> | undefined;
}

class SetBuilder {
  readonly set = new Map<PathElement, GrowingNode>();

  insert(path: readonly PathElement[]): void {
    const element = path.at(-1);
    if (element === undefined) return;
    const level = this.#above(path);
    const node = level.get(element);
    if (node === undefined) level.set(element, { member: true, children: undefined });
    else node.member = true;
  }

  /** A whole tree where nothing of the path is in the set yet. */
  place(path: readonly PathElement[], node: GrowingNode): void {
    this.#above(path).set(path.at(-1)!, node);
  }

  /** The nodes among which the last element of the path stands. */
  #above(path: readonly PathElement[]): Map<PathElement, GrowingNode> {
    let level = this.set;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index]!;
      let node = level.get(element);
      if (node === undefined) {
        node = { member: false, children: undefined };
        level.set(element, node);
      }
      node.children ??= new Map();
      level = node.children;
    }
    return level;
  }
}

/** All of a value that was not there before: it, and everything in it down to what is one unit. */
function* addedNodeInSteps(value: Json, atom: Atom, depth: number, pace: Pace): Steps<GrowingNode> {
  const node: GrowingNode = { member: true, children: undefined };
  if (depth >= MAX_OWNED_DEPTH) return node;
  const form = treatedAs(atom, formOf(atom, value));
  if (form === "map" && isObject(value) && !atom.map!.atomic) {
    const map = atom.map!;
    for (const key of yield* keysInStep(value)) {
      if (pace.due()) yield;
      const member = value[key];
      if (member === undefined) continue;
      const field = map.field(key);
      node.children ??= new Map();
      const inner = isPart(member)
        ? yield* addedNodeInSteps(member, field?.atom ?? map.value ?? DEDUCED, depth + 1, pace)
        : leafNode();
      node.children.set(field?.element ?? fieldElement(key), inner);
    }
  } else if (form === "list" && Array.isArray(value) && !atom.list!.atomic) {
    const list = atom.list!;
    const groups = yield* byIdentityInSteps(value, list, LONG);
    for (const items of groups.values()) {
      if (pace.due()) yield;
      const element = listElement(list, items[0]!);
      node.children ??= new Map();
      // Elements that share their keys are one unit.
      const inner =
        items.length > 1 || !isPart(items[0])
          ? leafNode()
          : yield* addedNodeInSteps(items[0]!, list.item, depth + 1, pace);
      node.children.set(element, inner);
    }
  }
  return node;
}

const leafNode = (): GrowingNode => ({ member: true, children: undefined });

/** Elements that share their keys stand together. */
export function byElement(items: readonly Json[], list: ListAtom): Map<PathElement, Json[]> {
  const groups = byIdentity(items, list);
  // The identity of an element of a set is its path already.
  if (list.keys.length === 0) return groups;
  return new Map([...groups.values()].map((group) => [listElement(list, group[0]!), group]));
}

/** Elements with the same keys together, in the order in which they first come. Throws TypedError for one without keys. */
function byIdentity(items: readonly Json[], list: ListAtom): Map<string, Json[]> {
  return groupBy(items, (item) => identityOf(item, list));
}

function* byIdentityInSteps(items: readonly Json[], list: ListAtom, long: number): Steps<Map<string, Json[]>> {
  const groups = new Map<string, Json[]>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item, list);
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [item]);
    else group.push(item);
    if ((index + 1) % long === 0) yield;
  }
  return groups;
}

/** The path element, or the text of its only key: short to make, and never like a path element. */
function identityOf(item: Json, list: ListAtom): string {
  if (list.keys.length === 1 && isObject(item)) {
    const key = list.keys[0]!;
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof value === "string" && value[1] !== ":") return value;
  }
  return listElement(list, item);
}
