import { describe, expect, it } from "vitest";
import { ALL_KINDS } from "../all-kinds.ts";
import { OPTIONAL_KINDS } from "../optional-kinds.ts";
import { columnText } from "./column-texts.ts";

const KINDS = [...ALL_KINDS, ...OPTIONAL_KINDS].map((kind) => [`${kind.kind} ${kind.version}`, kind] as const);

describe("columns", () => {
  it.each(KINDS)("of %s each say in a sentence what they mean", (_name, { kind, columns = [] }) => {
    const said = columns.map(({ name, description }) => [name, description ?? columnText(kind, name)] as const);
    expect(said.filter(([, text]) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  });
});
