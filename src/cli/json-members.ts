// Members of answers whose form nobody has checked: what is not there, or is something else, is empty.

import { getKey, isObject, type JsonObject } from "../base/json.ts";

export function memberOf(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? getKey(value, name) : undefined;
  return isObject(member) ? member : {};
}

/** The objects of a list. */
export function itemsAt(value: unknown, name: string): JsonObject[] {
  const list = isObject(value) ? getKey(value, name) : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function textAt(value: unknown, name: string): string {
  const text = isObject(value) ? getKey(value, name) : undefined;
  return typeof text === "string" ? text : "";
}

export function numberAt(value: unknown, name: string, otherwise = 0): number {
  const number = isObject(value) ? getKey(value, name) : undefined;
  return typeof number === "number" ? number : otherwise;
}
