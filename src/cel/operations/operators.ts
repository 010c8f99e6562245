// What operators do to values of any type. Errors come back as values; arguments are never errors.

import type { Steps } from "../../base/steps.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import {
  CelDouble,
  CelDuration,
  CelList,
  type CelListValue,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isInt,
  isList,
  listAt,
  listSize,
  listToArray,
  NONE,
  typeOf,
} from "../values.ts";
import { listContains } from "./equality.ts";
import { addInts, calculateUints, divideInts, moduloInts, multiplyInts, numberOf, subtractInts } from "./numbers.ts";
import { addDurations, addToTimestamp, subtractDurations, subtractTimestamps } from "./time.ts";

export const TOO_LARGE = new CelError("result is too large");

export function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "string") {
    if (typeof b !== "string") return noSuchOverload();
    return a.length + b.length > MAX_RESULT_SIZE ? TOO_LARGE : a + b;
  }
  if (isInt(a)) return isInt(b) ? addInts(a, b) : noSuchOverload();
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value + b.value) : noSuchOverload();
  if (isList(a)) return isList(b) ? concatenate(a, b) : noSuchOverload();
  if (a instanceof CelUint) return b instanceof CelUint ? calculateUints(a, b, "+") : noSuchOverload();
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return addDurations(a, b);
    return b instanceof CelTimestamp ? addToTimestamp(b, a, 1) : noSuchOverload();
  }
  if (a instanceof CelTimestamp) return b instanceof CelDuration ? addToTimestamp(a, b, 1) : noSuchOverload();
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    if (a.length + b.length > MAX_RESULT_SIZE) return TOO_LARGE;
    const joined = new Uint8Array(a.length + b.length);
    joined.set(a);
    joined.set(b, a.length);
    return joined;
  }
  return noSuchOverload();
}

/** The same for lists that merge, which may be large; undefined for everything else. */
export function addInSteps(a: CelValue, b: CelValue): Steps<CelValue> | undefined {
  if (!(a instanceof CelList) || !isList(b) || listSize(a) + listSize(b) > MAX_RESULT_SIZE) return undefined;
  return a.mergeInSteps(b);
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? subtractInts(a, b) : noSuchOverload();
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value - b.value) : noSuchOverload();
  if (a instanceof CelUint) return b instanceof CelUint ? calculateUints(a, b, "-") : noSuchOverload();
  if (a instanceof CelDuration) return b instanceof CelDuration ? subtractDurations(a, b) : noSuchOverload();
  if (a instanceof CelTimestamp) {
    if (b instanceof CelTimestamp) return subtractTimestamps(a, b);
    return b instanceof CelDuration ? addToTimestamp(a, b, -1) : noSuchOverload();
  }
  return noSuchOverload();
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? multiplyInts(a, b) : noSuchOverload();
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value * b.value) : noSuchOverload();
  return a instanceof CelUint && b instanceof CelUint ? calculateUints(a, b, "*") : noSuchOverload();
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? divideInts(a, b) : noSuchOverload();
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value / b.value) : noSuchOverload();
  return a instanceof CelUint && b instanceof CelUint ? calculateUints(a, b, "/") : noSuchOverload();
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? moduloInts(a, b) : noSuchOverload();
  return a instanceof CelUint && b instanceof CelUint ? calculateUints(a, b, "%") : noSuchOverload();
}

/** `value in container`. */
export function contains(value: CelValue, container: CelValue): CelValue {
  if (isList(container)) return listContains(container, value);
  if (container instanceof CelMap) return container.has(value);
  return noSuchOverload();
}

/** `operand[key]`; through an optional the result is optional too. */
export function index(operand: CelValue, key: CelValue): CelValue {
  if (operand instanceof CelOptional) return operand.value === undefined ? NONE : optionalIndex(operand.value, key);
  const found = lookUp(operand, key);
  if (found !== undefined) return found;
  return isList(operand) ? new CelError(`index out of bounds: ${keyText(key)}`) : noSuchKey(key);
}

/** `operand[?key]`. */
export function optionalIndex(operand: CelValue, key: CelValue): CelValue {
  if (operand instanceof CelOptional) return operand.value === undefined ? NONE : optionalIndex(operand.value, key);
  const found = lookUp(operand, key);
  if (found instanceof CelError) return found;
  return found === undefined ? NONE : new CelOptional(found);
}

/** `operand.field`. */
export function select(operand: CelValue, field: string): CelValue {
  if (operand instanceof CelObject || operand instanceof CelMap) {
    const found = operand.get(field);
    return found === undefined ? noSuchKey(field) : found;
  }
  if (operand instanceof CelOptional) return operand.value === undefined ? NONE : optionalSelect(operand.value, field);
  if (operand instanceof CelError) return operand;
  return isList(operand) ? noListIndex(field) : noSuchKey(field);
}

/** `operand.?field`: nothing but lists refuses to be asked. */
export function optionalSelect(operand: CelValue, field: string): CelValue {
  if (operand instanceof CelObject || operand instanceof CelMap) {
    const found = operand instanceof CelObject && !operand.has(field) ? undefined : operand.get(field);
    return found === undefined ? NONE : new CelOptional(found);
  }
  if (operand instanceof CelOptional) return operand.value === undefined ? NONE : optionalSelect(operand.value, field);
  if (operand instanceof CelError) return operand;
  return isList(operand) ? noListIndex(field) : NONE;
}

/** `has(operand.field)`: null, numbers and texts have no fields. */
export function hasField(operand: CelValue, field: string): CelValue {
  if (operand instanceof CelObject) return operand.has(field);
  if (operand instanceof CelMap) return operand.hasField(field);
  if (operand instanceof CelOptional) return operand.value === undefined ? false : hasField(operand.value, field);
  if (operand instanceof CelError) return operand;
  return isList(operand) ? noListIndex(field) : false;
}

const noListIndex = (key: CelValue): CelError => new CelError(`unsupported index type '${typeOf(key).name}' in list`);

function lookUp(operand: CelValue, key: CelValue): CelValue | undefined {
  if (isList(operand)) {
    const position = numberOf(key);
    if (position === undefined) return noListIndex(key);
    const at = Number(position);
    if (!Number.isInteger(at)) return new CelError(`unsupported index value ${at} in list`);
    return at >= 0 && at < listSize(operand) ? listAt(operand, at) : undefined;
  }
  if (operand instanceof CelMap) return operand.get(key);
  return operand instanceof CelObject && typeof key === "string" ? operand.get(key) : undefined;
}

function concatenate(a: CelListValue, b: CelListValue): CelValue {
  const size = listSize(a) + listSize(b);
  if (size > MAX_RESULT_SIZE) return TOO_LARGE;
  const merged = a instanceof CelList ? a.merge(b) : undefined;
  if (merged !== undefined) return merged;
  if (size > MAX_COPIED_LIST) return new JoinedList(a, b);
  return [...listToArray(a), ...listToArray(b)];
}

/** Joining costs one unit however long the lists are, so long ones are not copied. */
const MAX_COPIED_LIST = 16;

class JoinedList extends CelList {
  readonly size: number;
  readonly #left: CelListValue;
  readonly #right: CelListValue;

  constructor(left: CelListValue, right: CelListValue) {
    super();
    this.#left = left;
    this.#right = right;
    this.size = listSize(left) + listSize(right);
  }

  at(index: number): CelValue {
    const middle = listSize(this.#left);
    return index < middle ? listAt(this.#left, index) : listAt(this.#right, index - middle);
  }
}

function noSuchKey(key: CelValue): CelError {
  return new CelError(`no such key: ${keyText(key)}`);
}

/** As messages name it. */
export function keyText(key: CelValue): string {
  const number = numberOf(key);
  return String(number ?? (typeof key === "string" || typeof key === "boolean" ? key : typeOf(key).name));
}
