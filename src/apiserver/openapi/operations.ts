// Operations as both versions of OpenAPI describe them, before either has given them its form.

import type { GroupVersionKind } from "../../meta/object.ts";

export type Method = "get" | "put" | "post" | "delete" | "patch" | "head" | "options";

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly description: string;
  readonly tag: string;
  /** The marker x-kubernetes-action. */
  readonly action?: string;
  /** The marker x-kubernetes-group-version-kind. */
  readonly about?: GroupVersionKind;
  /** Query parameters, by the names of QUERY_PARAMETERS. */
  readonly query?: readonly string[];
  readonly body?: Body;
  readonly answers: readonly AnswerSpec[];
  readonly produces: readonly string[];
  readonly deprecated?: boolean;
}

interface Body {
  /** The name of a definition. */
  readonly type: string;
  readonly mediaTypes: readonly string[];
  readonly required: boolean;
}

interface AnswerSpec {
  readonly code: number;
  /** The name of a definition; `string` for text; absent where nothing comes back. */
  readonly type?: string;
}

export interface PathEntry {
  readonly path: string;
  /** Parameters of the path, in the order in which they stand in it. */
  readonly pathParameters: readonly PathParameter[];
  /** Query parameters that all operations of the path take. */
  readonly query: readonly string[];
  readonly operations: readonly Operation[];
}

export interface PathParameter {
  readonly name: "namespace" | "name" | "path";
  readonly description: string;
}

export const TEXT = "string";

const ANSWER_WORDS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

export const answerWord = (code: number): string => ANSWER_WORDS[code] ?? "";

/** The answers with these codes, and the one to a request without good credentials. */
export function answers(type: string, ...codes: readonly number[]): AnswerSpec[] {
  return [...codes.map((code) => ({ code, type })), { code: 401 }];
}
