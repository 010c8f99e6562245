// Expressions over the claims of a token and over the user made of them. Requirements: document 2, "Authentication
// configuration file".

import type { JsonObject } from "../../base/json.ts";
import { apiEnvironment } from "../../cel/api-environment.ts";
import type { Environment } from "../../cel/environment.ts";
import { CelError, compileFailure } from "../../cel/errors.ts";
import { fieldsRead } from "../../cel/fields-read.ts";
import type { Program } from "../../cel/program.ts";
import { BOOL, type CelType, DYN, listOf, mapOf, NULL, STRING, structType } from "../../cel/types.ts";
import { type CelValue, isList, listToArray } from "../../cel/values.ts";
import type { Names } from "../../meta/names.ts";
import type { UserInfo } from "../../meta/user.ts";
import { VERSION_INFO } from "../../meta/version.ts";

export type ExpressionUse = "username" | "uid" | "texts" | "claimRule" | "userRule";

const TEXTS: readonly CelType[] = [STRING, listOf(STRING), listOf(DYN), NULL];
const EXPECTED: Readonly<Record<ExpressionUse, readonly CelType[]>> = {
  username: [STRING],
  uid: [STRING],
  texts: TEXTS,
  claimRule: [BOOL],
  userRule: [BOOL],
};

export class ClaimExpressions {
  readonly #claims: Environment;
  readonly #user: Environment;

  constructor(names: Names) {
    const base = apiEnvironment({ minor: Number(VERSION_INFO.minor), namespace: names.dialect });
    this.#claims = base.withVariables([{ name: "claims", type: mapOf(STRING, DYN) }]);
    const type = structType("UserInfo");
    const struct = { type, field: (name: string) => USER_FIELDS.get(name), fieldNames: () => USER_FIELDS.keys() };
    this.#user = base.withVariables([{ name: "user", type }], [struct]);
  }

  /** The program, or what is wrong with the text. */
  compile(text: string, use: ExpressionUse): Program | string {
    const environment = use === "userRule" ? this.#user : this.#claims;
    const compiled = environment.compile(text, { expectedTypes: EXPECTED[use] });
    if (!compiled.ok) return compileFailure(compiled.issues);
    // A claim may be anything: a rule says itself what it compares it with.
    const isRule = use === "claimRule" || use === "userRule";
    return isRule && compiled.program.resultType !== BOOL ? "must evaluate to bool" : compiled.program;
  }

  /** The claims that an expression looks at. */
  claimsRead(text: string): Set<string> {
    return fieldsRead(this.#claims, text, "claims");
  }
}

const USER_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ["username", STRING],
  ["uid", STRING],
  ["groups", listOf(STRING)],
  ["extra", mapOf(STRING, listOf(STRING))],
]);

/** Whether the rule holds; the message says why it could not be told. */
export function evaluateRule(program: Program, variables: Readonly<Record<string, unknown>>): boolean | string {
  const value = program.evaluate(variables);
  if (typeof value === "boolean") return value;
  return value instanceof CelError ? value.message : "the expression gives no boolean";
}

/** A text, or undefined when the expression fails or gives something else. */
export function evaluateText(program: Program, claims: JsonObject): string | undefined {
  const value = program.evaluate({ claims });
  return typeof value === "string" ? value : undefined;
}

/** One text or a list of them, empty ones left out; undefined when the expression fails or gives something else. */
export function evaluateTexts(program: Program, claims: JsonObject): string[] | undefined {
  return textsOf(program.evaluate({ claims }));
}

function textsOf(value: CelValue): string[] | undefined {
  if (value === null || value === "") return [];
  if (typeof value === "string") return [value];
  if (!isList(value)) return undefined;
  const items = listToArray(value);
  if (!items.every((item) => typeof item === "string")) return undefined;
  return (items as string[]).filter((item) => item !== "");
}

/** A user as rules see it: every field is there. */
export function userVariable({ name, uid = "", groups, extra = {} }: UserInfo): Record<string, unknown> {
  return { username: name, uid, groups, extra };
}
