// What a finding says of the value.

import { expect, it } from "vitest";
import { type FieldError, fieldErrorBody, invalid, notSupported } from "./field-error.ts";

it.each<[string, FieldError, string]>([
  ["a text as a text", invalid("f", "\0<", "no"), 'Invalid value: "\\x00<": no'],
  [
    "a word of several as JSON",
    notSupported("f", "\0<", ["a"]),
    'Unsupported value: "\\u0000\\u003c": supported values: "a"',
  ],
  ["no value as null", notSupported("f", undefined, []), "Unsupported value: null"],
])("shows %s", (_what, error, expected) => {
  expect(fieldErrorBody(error)).toBe(expected);
});
