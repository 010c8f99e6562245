// JSON Patch (RFC 6902), with the liberties that upstream's implementation takes and clients lean on.
// Requirements: document 1, "Update mechanisms".

import { getKey, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { equalJsonInSteps, keysInStep } from "../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { FEW_KEYS, settleKeys } from "../base/wide-keys.ts";
import { badRequest, StatusError } from "../meta/status-error.ts";
import { kindInGo } from "./go-text.ts";
import { checkNesting } from "./nesting.ts";

export const MAX_JSON_PATCH_OPERATIONS = 10_000;
/** How much all `copy` operations of one patch may add to the document. */
export const MAX_JSON_PATCH_COPY_BYTES = 3 * 1024 * 1024;

/** A decoded operation. Members are as the client sent them: what is missing shows when the operation runs. */
export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Undefined when the member is absent, null when it is null. */
  readonly value: Json | undefined;
}

interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** What strict field validation says about members that JSON Patch does not know. */
  readonly unknownFields: readonly string[];
}

/**
 * Reads a patch from its decoded JSON. Throws 400 when it has another shape and 413 when it has too many operations. A
 * `loose` reading leaves members of another type to the operation, which then does not apply.
 */
export function decodeJsonPatch(patch: Json, options: ReadingOptions = {}): DecodedJsonPatch {
  return atOnce(decodeJsonPatchInSteps(patch, options));
}

interface ReadingOptions {
  readonly loose?: boolean;
}

/** The same for large patches. */
export function* decodeJsonPatchInSteps(patch: Json, { loose = false }: ReadingOptions = {}): Steps<DecodedJsonPatch> {
  if (patch === null) return { operations: [], unknownFields: [] };
  if (!Array.isArray(patch)) throw wrongType(patch, loose ? "jsonpatch.Patch" : "[]handlers.jsonPatchOp", loose);
  if (patch.length > MAX_JSON_PATCH_OPERATIONS) {
    throw new StatusError(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${patch.length}`,
    );
  }
  yield* checkNesting(patch);
  const unknownFields: string[] = [];
  const operations = patch.map((item, index) => {
    if (item !== null && !isObject(item))
      throw wrongType(item, loose ? "jsonpatch.Operation" : "handlers.jsonPatchOp", loose);
    const operation = item ?? {};
    for (const key of Object.keys(operation)) {
      if (!MEMBERS.has(key)) unknownFields.push(`json patch unknown field "[${index}].${key}"`);
    }
    return {
      op: textMember(operation, "op", loose) ?? "unknown",
      path: textMember(operation, "path", loose),
      from: textMember(operation, "from", loose),
      value: getKey(operation, "value") as Json | undefined,
    };
  });
  return { operations, unknownFields };
}

/**
 * The document after all operations; the input stays as it is. Throws 422 when an operation does not apply, with the
 * operation's own words as the error's cause (upstream does not show them to clients).
 */
export function applyJsonPatch(
  document: Json,
  operations: readonly JsonPatchOperation[],
  options: JsonPatchOptions = {},
): Json {
  return atOnce(applyJsonPatchInSteps(document, operations, options));
}

/** The same for large documents. */
export function* applyJsonPatchInSteps(
  document: Json,
  operations: readonly JsonPatchOperation[],
  options: JsonPatchOptions = {},
): Steps<Json> {
  const patching = new Patching(document, options);
  for (const [index, operation] of operations.entries()) {
    if (index % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
    yield* patching.apply(operation);
  }
  yield;
  patching.settle();
  // Only copies can nest a document deeper than the bodies it came from allow.
  yield* checkNesting(patching.root);
  return patching.root;
}

/** One may move all elements of a list that come after it. */
const OPERATIONS_PER_STEP = 12;
/** So many values are copied in one step. */
const VALUES_PER_STEP = 250;
/** So many characters of a name in a path are read in one step. */
const TOKEN_CHARS_PER_STEP = 16_384;

interface JsonPatchOptions {
  /** `replace` sets a member that is not there, as upstream's library does. By default it fails, as the RFC has it. */
  readonly replaceSets?: boolean;
}

type Container = Json[] | JsonObject;

const MEMBERS: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

function textMember(operation: JsonObject, name: string, loose: boolean): string | undefined {
  const value = getKey(operation, name) as Json | undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (loose) return undefined;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${kindInGo(value)} into Go struct field jsonPatchOp.${name} of type string`,
  );
}

function wrongType(value: Json, type: string, loose: boolean): Error {
  const problem = `json: cannot unmarshal ${kindInGo(value)} into Go value of type ${type}`;
  return badRequest(loose ? problem : `error decoding patch: ${problem}`);
}

/** The document while operations run: containers are copied the first time that they change. */
class Patching {
  root: Json;
  readonly #own = new Set<Container>();
  /** Of wide objects that were copied. */
  readonly #keys = new Map<Container, Set<string>>();
  readonly #pace = new Pace(VALUES_PER_STEP);
  #copiedBytes = 0;

  readonly #options: JsonPatchOptions;

  constructor(document: Json, options: JsonPatchOptions) {
    this.root = document;
    this.#options = options;
  }

  /** No operation follows. */
  settle(): void {
    for (const [container, keys] of this.#keys) if (container !== this.root) settleKeys(container, [...keys]);
  }

  *apply(operation: JsonPatchOperation): Steps<void> {
    switch (operation.op) {
      case "add":
        yield* this.#add(operation);
        break;
      case "remove":
        yield* this.#remove(operation);
        break;
      case "replace":
        yield* this.#replace(operation);
        break;
      case "move":
        yield* this.#move(operation);
        break;
      case "copy":
        yield* this.#copy(operation);
        break;
      case "test":
        yield* this.#test(operation);
        break;
      default:
        throw doesNotApply(`Unexpected kind: ${operation.op}`);
    }
  }

  *#add({ path, value }: JsonPatchOperation): Steps<void> {
    if (path === undefined) throw doesNotApply("add operation failed to decode path: missing value");
    const place = yield* this.#find(path, true);
    if (place === undefined)
      throw doesNotApply(`add operation does not apply: doc is missing path: "${path}": missing value`);
    insert(place, value ?? null, `error in add for path: '${path}'`);
  }

  *#remove({ path }: JsonPatchOperation): Steps<void> {
    if (path === undefined) throw doesNotApply("remove operation failed to decode path: missing value");
    const place = yield* this.#find(path, true);
    if (place === undefined)
      throw doesNotApply(`remove operation does not apply: doc is missing path: "${path}": missing value`);
    takeOut(place, `error in remove for path: '${path}'`);
  }

  *#replace({ path, value }: JsonPatchOperation): Steps<void> {
    if (path === undefined) throw doesNotApply("replace operation failed to decode path: missing value");
    if (path === "") {
      if (typeof value !== "object" || value === null)
        throw doesNotApply("replace operation value must be object or array");
      this.root = value;
      return;
    }
    const place = yield* this.#find(path, true);
    if (place === undefined)
      throw doesNotApply(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    if (Array.isArray(place.container)) {
      const index = elementIndex(place.container, place.key);
      if (index === undefined)
        throw doesNotApply(`replace operation does not apply: doc is missing key: ${path}: missing value`);
      place.container[index] = value ?? null;
    } else if (this.#options.replaceSets || Object.hasOwn(place.container, place.key)) {
      setMember(place, value ?? null);
    } else {
      throw doesNotApply(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    }
  }

  *#move({ from, path }: JsonPatchOperation): Steps<void> {
    if (from === undefined) throw doesNotApply("move operation failed to decode from: missing value");
    const source = yield* this.#find(from, true);
    if (source === undefined)
      throw doesNotApply(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    const value = takeOut(source, `error in move for path: '${source.key}'`);
    if (path === undefined) throw doesNotApply("move operation failed to decode path: missing value");
    const target = yield* this.#find(path, true);
    if (target === undefined) {
      throw doesNotApply(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    insert(target, value, `error in move for path: '${path}'`);
  }

  *#copy({ from, path }: JsonPatchOperation): Steps<void> {
    if (from === undefined) throw doesNotApply("copy operation failed to decode from: missing value");
    const source = yield* this.#find(from, false);
    if (source === undefined)
      throw doesNotApply(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
    const value = read(source, `error in copy for from: '${from}'`);
    if (path === undefined) throw doesNotApply("copy operation failed to decode path: missing value");
    const target = yield* this.#find(path, true);
    if (target === undefined) {
      throw doesNotApply(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    const copied = value === undefined ? null : yield* this.#copyOf(value);
    insert(target, copied, "error while adding value during copy");
  }

  *#test({ path, value }: JsonPatchOperation): Steps<void> {
    if (path === undefined) throw doesNotApply("test operation failed to decode path: missing value");
    const failed = `testing value ${path} failed: test failed`;
    if (path === "") {
      if (!(yield* equalJsonInSteps(this.root, value))) throw doesNotApply(failed);
      return;
    }
    const place = yield* this.#find(path, false);
    if (place === undefined)
      throw doesNotApply(`test operation does not apply: is missing path: ${path}: missing value`);
    const current = read(place, `error in test for path: '${path}'`);
    // Upstream cannot tell null from absent here: a test for null holds for both.
    if (value === undefined || !(yield* equalJsonInSteps(current ?? null, value))) throw doesNotApply(failed);
  }

  /** A copy of its own, so that later operations on one place never reach the other; counted against the limit. */
  *#copyOf(value: Json): Steps<Json> {
    yield* checkNesting(value);
    return yield* this.#copyOfParts(value);
  }

  *#copyOfParts(value: Json): Steps<Json> {
    if (this.#pace.due()) yield;
    this.#countCopied(typeof value === "string" ? value.length + 2 : 4);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const list: Json[] = [];
      for (const item of value) list.push(yield* this.#copyOfParts(item));
      this.#own.add(list);
      return list;
    }
    const copy: JsonObject = {};
    for (const key of yield* keysInStep(value)) {
      this.#countCopied(key.length + 3);
      setKey(copy, key, yield* this.#copyOfParts(value[key] ?? null));
    }
    this.#own.add(copy);
    return copy;
  }

  #countCopied(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes <= MAX_JSON_PATCH_COPY_BYTES) return;
    throw doesNotApply(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${MAX_JSON_PATCH_COPY_BYTES}`,
    );
  }

  /** The container that the pointer ends in, ready to change when asked so; undefined when the way there is missing. */
  *#find(pointer: string, toChange: boolean): Steps<Place | undefined> {
    const tokens = pointer.split("/");
    if (tokens.length < 2) return undefined;
    let container = this.root;
    if (typeof container !== "object" || container === null) return undefined;
    if (toChange) {
      container = yield* this.#changeable(container);
      this.root = container;
    }
    // The text before the first slash is not looked at, as upstream does.
    for (let position = 1; position < tokens.length - 1; position++) {
      const key = yield* unescapedToken(tokens[position]!);
      const at: string | number | undefined = Array.isArray(container) ? elementIndex(container, key) : key;
      if (at === undefined) return undefined;
      const next: unknown = getKey(container as Record<string, unknown>, String(at));
      if (typeof next !== "object" || next === null) return undefined;
      let inner = next as Container;
      if (toChange) {
        inner = yield* this.#changeable(inner);
        if (Array.isArray(container)) container[at as number] = inner;
        else setKey(container, key, inner);
      }
      container = inner;
    }
    const key = yield* unescapedToken(tokens.at(-1)!);
    return { container, key, keys: this.#keys.get(container) };
  }

  *#changeable(container: Container): Steps<Container> {
    if (this.#own.has(container)) return container;
    let copy: Container;
    if (Array.isArray(container)) {
      copy = container.slice();
    } else {
      copy = {};
      const keys = yield* keysInStep(container);
      for (const key of keys) {
        if (this.#pace.due()) yield;
        setKey(copy, key, container[key]);
      }
      if (keys.length > FEW_KEYS) this.#keys.set(copy, new Set(keys));
    }
    this.#own.add(copy);
    return copy;
  }
}

interface Place {
  readonly container: Container;
  readonly key: string;
  /** Of a wide container. */
  readonly keys: Set<string> | undefined;
}

function setMember({ container, key, keys }: Place, value: Json): void {
  setKey(container as JsonObject, key, value);
  keys?.add(key);
}

function insert(place: Place, value: Json, context: string): void {
  const { container, key } = place;
  if (!Array.isArray(container)) {
    setMember(place, value);
    return;
  }
  if (key === "-") {
    container.push(value);
    return;
  }
  const index = wholeNumber(key);
  if (index === undefined) throw doesNotApply(`${context}: value was not a proper array index: '${key}'`);
  // Counted from the end, -1 is the place behind the last element.
  const position = index < 0 ? index + container.length + 1 : index;
  if (position < 0 || position > container.length)
    throw doesNotApply(`${context}: Unable to access invalid index: ${key}: ${INVALID_INDEX}`);
  container.splice(position, 0, value);
}

function takeOut({ container, key, keys }: Place, context: string): Json {
  if (Array.isArray(container)) {
    const index = elementIndex(container, key);
    if (index === undefined) throw doesNotApply(`${context}: Unable to access invalid index: ${key}: ${INVALID_INDEX}`);
    return container.splice(index, 1)[0]!;
  }
  if (!Object.hasOwn(container, key))
    throw doesNotApply(`${context}: Unable to remove nonexistent key: ${key}: missing value`);
  const value = container[key] ?? null;
  delete container[key];
  keys?.delete(key);
  return value;
}

function read({ container, key }: Place, context: string): Json | undefined {
  if (!Array.isArray(container)) return getKey(container, key) as Json | undefined;
  const index = elementIndex(container, key);
  if (index === undefined) throw doesNotApply(`${context}: Unable to access invalid index: ${key}: ${INVALID_INDEX}`);
  return container[index];
}

const INVALID_INDEX = "invalid index referenced";

/** The index of an existing element; negative numbers count from the end. */
function elementIndex(list: readonly Json[], token: string): number | undefined {
  const index = wholeNumber(token);
  if (index === undefined || index >= list.length || index < -list.length) return undefined;
  return index < 0 ? index + list.length : index;
}

function wholeNumber(token: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(token) ? Number(token) : undefined;
}

function* unescapedToken(token: string): Steps<string> {
  if (!token.includes("~")) return token;
  let text = "";
  for (let start = 0, end = 0; start < token.length; start = end) {
    if (start > 0) yield;
    end = start + TOKEN_CHARS_PER_STEP;
    // What follows a tilde belongs to it.
    if (token[end - 1] === "~") end += 1;
    text += token.slice(start, end).replace(/~[01]/g, (found) => (found === "~1" ? "/" : "~"));
  }
  return text;
}

function doesNotApply(why: string): StatusError {
  const error = new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  error.cause = why;
  return error;
}
