// `-o FORMAT` of every command that shows objects: JSON, YAML, or what paths lead to.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { CliError, type Flag, type Flags } from "../command.ts";
import { fileText } from "../file-text.ts";
import { columnsOfFile, readCustomColumns } from "./custom-columns.ts";
import { objectText, withoutManagedFields } from "./object-text.ts";
import { readPathAsJson, readPathTemplate } from "./path-template.ts";

/** One object, or a list of several, as text. Called again it goes on: a table has one header. */
type ObjectForm = (object: Json) => string;

const NO_TEMPLATES = "templates of another language are not understood here: use -o jsonpath=... or custom-columns=...";

/** The formats that are told of in words of their own, and those that every object can be shown in. */
export function outputFlags(words: string): readonly Flag[] {
  return [
    {
      name: "output",
      short: "o",
      value: "format",
      summary:
        `${words}, jsonpath=TEMPLATE, jsonpath-as-json=PATH, jsonpath-file=FILE, ` +
        "custom-columns=NAME:PATH,..., custom-columns-file=FILE",
    },
    { name: "template", value: "template", summary: "", refused: NO_TEMPLATES },
    MISSING_KEYS_FLAG,
  ];
}

const MISSING_KEYS_FLAG: Flag = {
  name: "allow-missing-template-keys",
  summary: "paths of a jsonpath may lead nowhere (true when not given)",
};

export const SHOW_MANAGED_FIELDS_FLAG: Flag = {
  name: "show-managed-fields",
  summary: "json and yaml with who owns which field",
};

/** Of commands that show what nobody owns. */
export const NO_MANAGED_FIELDS_FLAG: Flag = {
  name: SHOW_MANAGED_FIELDS_FLAG.name,
  summary: "",
  refused: "nobody owns fields of what is shown here",
};

/** The object as the flags want it shown. Who asks for a path may ask for who owns which field. */
export function shownObject(object: Json, flags: Flags): Json {
  const whole =
    flags.switch(SHOW_MANAGED_FIELDS_FLAG.name) || !["json", "yaml"].includes(flags.text("output") ?? "json");
  return isObject(object) && !whole ? withoutManagedFields(object) : object;
}

/**
 * What `-o` says: one of `words`, of which the first stands for a flag that is not given, or a form for objects. Fails with
 * CliError.
 */
export function readOutput<W extends string>(flags: Flags, words: readonly [W, ...W[]]): W | ObjectForm {
  const output = flags.text("output");
  if (output === undefined) return words[0];
  const word = words.find((each) => each === output);
  if (word !== undefined) return word;
  const form = readForm(output, flags);
  if (form !== undefined) return form;
  const known = [
    ...words.filter((each) => each !== ""),
    "json",
    "yaml",
    "jsonpath=TEMPLATE",
    "custom-columns=NAME:PATH,...",
  ];
  throw new CliError(`--output: ${JSON.stringify(output)} is none of ${known.join(", ")}`);
}

function readForm(output: string, flags: Flags): ObjectForm | undefined {
  const at = output.indexOf("=");
  const [word, value] = at < 0 ? [output, ""] : [output.slice(0, at), output.slice(at + 1)];
  if (value === "" && /^(?:jsonpath|custom-columns)/.test(word))
    throw new CliError(`--output: ${word}= lacks what follows`);
  switch (word) {
    case "json":
      return at < 0 ? (object) => objectText(object, word) : undefined;
    case "yaml":
      return at < 0 ? yamlForm() : undefined;
    case "jsonpath":
      return readPathTemplate(value, flags.switch(MISSING_KEYS_FLAG.name, true));
    case "jsonpath-file":
      return readPathTemplate(fileText(value), flags.switch(MISSING_KEYS_FLAG.name, true));
    case "jsonpath-as-json":
      return readPathAsJson(value);
    case "custom-columns":
      return columnsForm(value, flags);
    case "custom-columns-file":
      return columnsForm(columnsOfFile(fileText(value)), flags);
  }
  if (/^(?:go-)?template(?:-?file)?$/.test(word)) throw new CliError(NO_TEMPLATES);
  return undefined;
}

/** Of several, each is a document of its own. */
function yamlForm(): ObjectForm {
  let before = "";
  return (object) => {
    const text = `${before}${objectText(object, "yaml")}`;
    before = "---\n";
    return text;
  };
}

function columnsForm(text: string, flags: Flags): ObjectForm {
  const table = readCustomColumns(text);
  let withHeaders = !flags.switch("no-headers");
  return (object) => {
    const shown = table(objectsIn(object), withHeaders);
    withHeaders = false;
    return shown;
  };
}

const objectsIn = (object: Json): JsonObject[] =>
  isObject(object) && Array.isArray(object["items"])
    ? object["items"].filter(isObject)
    : isObject(object)
      ? [object]
      : [];
