// `-o jsonpath=...`: text with paths in braces, `{range PATH}...{end}` for each value, `{"\n"}` for text.

import type { Json } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { parseJsonPaths } from "../../codec/json-path.ts";
import { CliError } from "../command.ts";

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "path"; readonly path: string; readonly values: (value: unknown) => unknown[] }
  | { readonly type: "range"; readonly values: (value: unknown) => unknown[]; readonly parts: readonly Part[] };

/** `mayMiss`: a path may lead nowhere; else that fails with CliError. Fails with CliError. */
export function readPathTemplate(template: string, mayMiss = true): (value: unknown) => string {
  const parts = partsOf(tokensOf(template.includes("{") ? template : `{${template}}`), template);
  return (value) => textOf(parts, value, mayMiss);
}

/** `-o jsonpath-as-json=PATH`: everything that one path leads to, as a list. Fails with CliError. */
export function readPathAsJson(path: string): (value: unknown) => string {
  const values = parseJsonPaths(path.replace(/^\{(.*)\}$/s, "$1"));
  if (values === undefined) throw new CliError(`jsonpath: ${JSON.stringify(path)} is no path`);
  return (value) => `${jsonText(values(value) as Json[], "    ")}\n`;
}

const TOKEN = /\{((?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\}|([^{]+)|\{/gy;

type Token = { readonly braces: string } | { readonly text: string };

function tokensOf(template: string): Token[] {
  return [...template.matchAll(TOKEN)].map(([whole, braces, text]): Token => {
    if (braces !== undefined) return { braces: braces.trim() };
    if (text !== undefined) return { text };
    throw new CliError(`jsonpath: ${JSON.stringify(whole)} is not closed in ${JSON.stringify(template)}`);
  });
}

function partsOf(tokens: readonly Token[], template: string): Part[] {
  const open: { parts: Part[]; values?: (value: unknown) => unknown[] }[] = [{ parts: [] }];
  for (const token of tokens) {
    const { parts } = open.at(-1)!;
    if ("text" in token) parts.push({ type: "text", text: token.text });
    else if (/^range[\s.]/.test(token.braces)) {
      open.push({ parts: [], values: pathOf(token.braces.slice("range".length).trim(), template) });
    } else if (token.braces === "end") {
      const { values } = open.at(-1)!;
      if (values === undefined) throw new CliError(`jsonpath: {end} without {range} in ${JSON.stringify(template)}`);
      open.pop();
      open.at(-1)!.parts.push({ type: "range", values, parts });
    } else parts.push(partOf(token.braces, template));
  }
  if (open.length > 1) throw new CliError(`jsonpath: {range} without {end} in ${JSON.stringify(template)}`);
  return open[0]!.parts;
}

function partOf(braces: string, template: string): Part {
  const text = /^"((?:[^"\\]|\\.)*)"$|^'((?:[^'\\]|\\.)*)'$/s.exec(braces);
  if (text !== null) return { type: "text", text: unescaped(text[1] ?? text[2] ?? "") };
  return { type: "path", path: braces, values: pathOf(braces, template) };
}

function pathOf(path: string, template: string): (value: unknown) => unknown[] {
  // As kubectl has it, so that scripts notice an empty list: a name may be missing, an index may not.
  const values = isCall(path)
    ? undefined
    : parseJsonPaths(path.replace(/^@/, ""), (problem) => {
        throw new CliError(`jsonpath: ${path}: ${problem}`);
      });
  if (values === undefined)
    throw new CliError(`jsonpath: ${JSON.stringify(path)} is no path in ${JSON.stringify(template)}`);
  return values;
}

/** `len .items`: words of other languages. */
const isCall = (path: string): boolean => /^[\w-]+\s/.test(path);

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/gs, (_, four?: string, two?: string, letter = "") => {
    const code = four ?? two;
    return code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
  });

function textOf(parts: readonly Part[], value: unknown, mayMiss: boolean): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      const values = part.values(value);
      if (part.type === "range") return values.map((each) => textOf(part.parts, each, mayMiss)).join("");
      if (!mayMiss && values.length === 0) throw new CliError(`jsonpath: ${part.path} is not found`);
      return values.map(valueText).join(" ");
    })
    .join("");
}

export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? jsonText(value as never) : String(value);
}
