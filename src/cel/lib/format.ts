// The format library: named formats of names, labels, URIs, identifiers and dates.

import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  generateNameProblems,
  labelValueProblems,
  type NameFormat,
  qualifiedNameProblems,
} from "../../meta/name-formats.ts";
import { matchesFormat } from "../../meta/string-formats.ts";
import { sizeOf } from "../cost/actual.ts";
import { REGEX_FACTOR, scaleRange, TEXT_FACTOR, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { type CelType, listOf, opaqueType, optionalOf, STRING } from "../types.ts";
import { CelOpaque, CelOptional, type CelValue, NONE } from "../values.ts";
import { urlProblem } from "./url-text.ts";

interface NamedFormat {
  readonly name: string;
  /** How long the pattern behind it may be taken to be. */
  readonly maxPatternSize: number;
  readonly problems: (text: string) => readonly string[];
}

const UUID_PATTERN_SIZE = 87;
const DATE_TIME_PATTERN_SIZE = 88;
/** Prefixes may end with a dash: the rest of the name follows. */
const prefixProblems = (format: NameFormat) => (text: string) => generateNameProblems(format, text);
/** As in a schema. */
const schemaFormat = (format: string, problem: string) => (text: string) =>
  matchesFormat(format, text) === true ? [] : [problem];

const FORMATS: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      { name: "dns1123Label", maxPatternSize: 30, problems: dns1123LabelProblems },
      { name: "dns1123Subdomain", maxPatternSize: 60, problems: dns1123SubdomainProblems },
      { name: "dns1035Label", maxPatternSize: 30, problems: dns1035LabelProblems },
      { name: "qualifiedName", maxPatternSize: 60, problems: qualifiedNameProblems },
      { name: "dns1123LabelPrefix", maxPatternSize: 30, problems: prefixProblems("dns1123Label") },
      { name: "dns1123SubdomainPrefix", maxPatternSize: 60, problems: prefixProblems("dns1123Subdomain") },
      { name: "dns1035LabelPrefix", maxPatternSize: 30, problems: prefixProblems("dns1035Label") },
      { name: "labelValue", maxPatternSize: 40, problems: labelValueProblems },
      {
        name: "uri",
        maxPatternSize: 1103,
        problems: (text) => [urlProblem(text)].filter((problem) => problem !== undefined),
      },
      {
        name: "uuid",
        maxPatternSize: UUID_PATTERN_SIZE,
        problems: schemaFormat("uuid", "does not match the UUID format"),
      },
      { name: "byte", maxPatternSize: 84, problems: schemaFormat("byte", "invalid base64") },
      { name: "date", maxPatternSize: DATE_TIME_PATTERN_SIZE, problems: schemaFormat("date", "invalid date") },
      {
        name: "datetime",
        maxPatternSize: DATE_TIME_PATTERN_SIZE,
        problems: schemaFormat("datetime", "invalid datetime"),
      },
    ] satisfies NamedFormat[]
  ).map((format) => [format.name, format]),
);

/** The pattern size that estimates count with, whichever format it is. */
const ESTIMATED_PATTERN = 128;

class FormatValue extends CelOpaque {
  readonly type: CelType;
  readonly format: NamedFormat;

  constructor(type: CelType, format: NamedFormat) {
    super();
    this.type = type;
    this.format = format;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof FormatValue && other.format === this.format;
  }
}

/** `namespace` is the brand that the library's type is named with. */
export function formatLibrary(namespace: string): Library {
  const type = opaqueType(`${namespace}.NamedFormat`);
  return {
    name: "format",
    types: [type],
    functions: [
      ...Array.from(FORMATS.values(), (format) => {
        const value = new FormatValue(type, format);
        return declareFunction(
          `format.${format.name}`,
          globalOverload(`format.${format.name}`, [], type, () => value),
        );
      }),
      declareFunction(
        "format.named",
        globalOverload("format-named", [STRING], optionalOf(type), (name: string) => {
          const format = FORMATS.get(name);
          return format === undefined ? NONE : new CelOptional(new FormatValue(type, format));
        }),
      ),
      declareFunction(
        "validate",
        memberOverload("format-validate", [type, STRING], optionalOf(listOf(STRING)), validate, {
          cost: ([format = null, text = ""]) => {
            const pattern = format instanceof FormatValue ? format.format.maxPatternSize : ESTIMATED_PATTERN;
            return Math.ceil((1 + sizeOf(text)) * TEXT_FACTOR) * Math.ceil(pattern * REGEX_FACTOR);
          },
          estimate: ([, text]) => ({
            cost: scaleRange(textCost(text?.size ?? UNKNOWN_SIZE), ESTIMATED_PATTERN * REGEX_FACTOR),
          }),
        }),
      ),
    ],
  };
}

function validate(value: FormatValue, text: string): CelValue {
  const problems = value.format.problems(text);
  return problems.length === 0 ? NONE : new CelOptional([...problems]);
}
