// `pctl explain`: what the fields of a kind mean, with allowed values and limits, from the server's OpenAPI documents.

import { isObject, type JsonObject } from "../../base/json.ts";
import { didYouMean } from "../../base/nearest-word.ts";
import { apiVersionOf, type DiscoveredResource, findResource } from "../../client/discovery.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import type { Session } from "../session.ts";

const WIDTH = 78;
const MAX_DEPTH = 30;

export const explain: Command = {
  name: "explain",
  summary: "what the fields of a kind mean",
  arguments: "TYPE[.FIELD...]",
  flags: [
    { name: "recursive", summary: "all fields below, without their meaning" },
    { name: "api-version", value: "version", summary: "of this version: apps/v1" },
    {
      name: "output",
      short: "o",
      value: "format",
      summary: "plaintext (when not given), plaintext-openapiv2: the same",
    },
  ],
  async run(session, args, flags) {
    flags.choice("output", ["plaintext", "plaintext-openapiv2"]);
    const [word, ...more] = args;
    if (word === undefined || more.length > 0) throw new CliError("one type, with fields behind dots, must be named");
    const { resource, fields } = await resourceAndFields(session, word, flags.text("api-version"));
    const document = await schemasOf(session, resource);
    const root = Object.values(document.schemas).find((schema) => isOfKind(schema, resource));
    if (!isObject(root)) throw new CliError(`the server has no schema of ${resource.kind}`);
    let schema: JsonObject = root;
    for (const field of fields) {
      const known = memberOf(document.resolve(schema), "properties");
      const next = known[field];
      if (!isObject(next))
        throw new CliError(`field ${JSON.stringify(field)} does not exist${didYouMean(field, Object.keys(known))}`);
      schema = next;
    }
    const heading = [
      ...(resource.group === "" ? [] : [`GROUP:      ${resource.group}`]),
      `KIND:       ${resource.kind}`,
      `VERSION:    ${resource.version}`,
      "",
    ];
    const lines = flags.switch("recursive")
      ? [...heading, ...about(document, schema, fields), "FIELDS:", ...treeLines(document, schema, "  ", 0)]
      : [...heading, ...about(document, schema, fields), ...fieldLines(document, schema)];
    session.terminal.write(`${lines.join("\n").trimEnd()}\n`);
  },
};

/** `pods.spec.containers` or `widgets.example.com.spec.size`: the type, perhaps with its group, and the way to a field. */
async function resourceAndFields(session: Session, word: string, apiVersion: string | undefined) {
  const discovery = await session.discovery();
  const { resources } = discovery;
  const parts = word.split(".");
  let count = parts.length;
  while (count > 1 && findResource(discovery, parts.slice(0, count).join(".")) === undefined) count -= 1;
  const name = parts.slice(0, count).join(".");
  const fields = parts.slice(count);
  const found = await session.resource(name);
  const exact =
    apiVersion === undefined
      ? found
      : resources.find((each) => each.resource === found.resource && apiVersionOf(each) === apiVersion);
  if (exact === undefined) throw new CliError(`the server has no ${name} in version ${JSON.stringify(apiVersion)}`);
  return { resource: exact, fields };
}

interface Schemas {
  readonly schemas: JsonObject;
  /** The schema that is meant: references and wrappers followed. */
  resolve(schema: JsonObject): JsonObject;
}

async function schemasOf(session: Session, { group, version }: DiscoveredResource): Promise<Schemas> {
  const path = group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  const document = await session.sendForJson({ method: "GET", path });
  const schemas = memberOf(memberOf(document, "components"), "schemas");
  const resolve = (schema: JsonObject, depth = 0): JsonObject => {
    const reference = textAt(schema, "$ref") || textAt(itemsAt(schema, "allOf")[0], "$ref");
    const target = reference === "" ? undefined : schemas[reference.split("/").at(-1)!];
    if (isObject(target) && depth < MAX_DEPTH) return resolve(target, depth + 1);
    const item = memberOf(schema, "items");
    if (Object.keys(item).length > 0) return resolve(item, depth + 1);
    const values = memberOf(schema, "additionalProperties");
    return Object.keys(values).length > 0 && depth < MAX_DEPTH ? resolve(values, depth + 1) : schema;
  };
  return { schemas, resolve };
}

const isOfKind = (schema: unknown, { group, version, kind }: DiscoveredResource): boolean =>
  itemsAt(schema, "x-kubernetes-group-version-kind").some(
    (each) => each["group"] === group && each["version"] === version && each["kind"] === kind,
  );

function about(document: Schemas, schema: JsonObject, fields: readonly string[]): string[] {
  const name = fields.at(-1);
  const meaning = textAt(schema, "description") || textAt(document.resolve(schema), "description") || "<empty>";
  return [
    ...(name === undefined
      ? []
      : [`FIELD: ${name} <${typeText(document, schema)}>`, ...limitLines(document, schema, "  "), ""]),
    "DESCRIPTION:",
    ...wrapped(meaning, "    "),
    "",
  ];
}

function fieldLines(document: Schemas, schema: JsonObject): string[] {
  const resolved = document.resolve(schema);
  const properties = propertiesOf(resolved);
  if (properties.length === 0) return [];
  return [
    "FIELDS:",
    ...properties.flatMap(({ name, property, mark }) => [
      `  ${name}\t<${typeText(document, property)}>${mark}`,
      ...limitLines(document, property, "  "),
      ...wrapped(textAt(property, "description") || "<no description>", "    "),
      "",
    ]),
  ];
}

function treeLines(document: Schemas, schema: JsonObject, indent: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  return propertiesOf(document.resolve(schema)).flatMap(({ name, property, mark }) => {
    // Schemas of schemas hold themselves.
    const isRecursive = document.resolve(property) === document.resolve(schema);
    const below = isRecursive ? [] : treeLines(document, property, `${indent}  `, depth + 1);
    return [`${indent}${name}\t<${typeText(document, property)}>${mark}`, ...below];
  });
}

/** In the order of their names, those that must be there with a mark. */
function propertiesOf(schema: JsonObject): { name: string; property: JsonObject; mark: string }[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"].map(String) : []);
  return Object.entries(memberOf(schema, "properties"))
    .flatMap(([name, property]) =>
      isObject(property) ? [{ name, property, mark: required.has(name) ? " -required-" : "" }] : [],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** In the order in which they are shown. */
const LIMITS = [
  ...["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "pattern", "format", "nullable"],
  ...["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-int-or-string", "default"],
] as const;

/** What values may be, where the schema says it. */
function limitLines(document: Schemas, schema: JsonObject, indent: string): string[] {
  const resolved = Object.hasOwn(schema, "items") ? schema : { ...document.resolve(schema), ...schema };
  const list = resolved["enum"];
  const words = [
    Array.isArray(list) ? `enum: ${list.map(String).join(", ")}` : "",
    ...LIMITS.map((key) => {
      const value = resolved[key];
      const isEmpty = value === undefined || value === false || (isObject(value) && Object.keys(value).length === 0);
      return isEmpty || value === ""
        ? ""
        : `${key.replace(/^x-[a-z]+-/, "")}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`;
    }),
    ...itemsAt(resolved, "x-kubernetes-validations").map((rule) => {
      const message = textAt(rule, "message");
      return `rule: ${textAt(rule, "rule")}${message === "" ? "" : ` (${message})`}`;
    }),
  ].filter((text) => text !== "");
  return words.map((text) => `${indent}${text}`);
}

function typeText(document: Schemas, schema: JsonObject): string {
  const reference = textAt(schema, "$ref") || textAt(itemsAt(schema, "allOf")[0], "$ref");
  if (reference !== "") return reference.split(".").at(-1) ?? "Object";
  const item = memberOf(schema, "items");
  if (Object.keys(item).length > 0) return `[]${typeText(document, item)}`;
  const values = memberOf(schema, "additionalProperties");
  if (Object.keys(values).length > 0) return `map[string]${typeText(document, values)}`;
  return textAt(schema, "type") || "Object";
}

function wrapped(text: string, indent: string): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && indent.length + line.length + word.length + 1 > WIDTH) {
        lines.push(indent + line);
        line = "";
      }
      line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, indent + line];
  });
}
