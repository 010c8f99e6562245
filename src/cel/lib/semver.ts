// The semantic version library.

import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { CelError, shownText } from "../errors.ts";
import { intOf } from "../operations/numbers.ts";
import { MAX_UINT64 } from "../syntax/literals.ts";
import { BOOL, type CelType, INT, opaqueType, STRING } from "../types.ts";
import type { CelValue } from "../values.ts";
import { ADDRESS_TEXT } from "./ip.ts";
import { OrderedValue, orderFunctions } from "./ordered-values.ts";

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly (bigint | string)[];
}

type SemverValue = OrderedValue<Version>;

/** `namespace` is the brand that the library's type is named with. */
export function semverLibrary(namespace: string): Library {
  const type = typeFor(namespace);
  const read = (text: string, normalize = false) => versionOf(type, normalize ? normalized(text) : text);
  const isVersion = (text: string, normalize = false): boolean => read(text, normalize) instanceof OrderedValue;
  const number = (index: 0 | 1 | 2) => (value: SemverValue) => intOf(value.held.numbers[index]);
  return {
    name: "semver",
    types: [type],
    functions: [
      declareFunction(
        "semver",
        globalOverload("string_to_semver", [STRING], type, read, ADDRESS_TEXT),
        globalOverload("string_bool_to_semver", [STRING, BOOL], type, read, ADDRESS_TEXT),
      ),
      declareFunction(
        "isSemver",
        globalOverload("is_semver_string", [STRING], BOOL, isVersion, ADDRESS_TEXT),
        globalOverload("is_semver_string_bool", [STRING, BOOL], BOOL, isVersion, ADDRESS_TEXT),
      ),
      ...orderFunctions("semver", type, compareVersions),
      declareFunction("major", memberOverload("semver_major", [type], INT, number(0))),
      declareFunction("minor", memberOverload("semver_minor", [type], INT, number(1))),
      declareFunction("patch", memberOverload("semver_patch", [type], INT, number(2))),
    ],
  };
}

/** The version that a text says, as expressions see it; an error when it says none. */
export const semverValue = (namespace: string, text: string): CelValue => versionOf(typeFor(namespace), text);

const typeFor = (namespace: string): CelType => opaqueType(`${namespace}.Semver`);

function versionOf(type: CelType, text: string | undefined): CelValue {
  const version = text === undefined ? TOO_SHORT_FOR_MORE : parseVersion(text);
  return typeof version === "string" ? new CelError(version) : new OrderedValue(type, version, compareVersions);
}

/** Longer texts are no versions. */
const MAX_VERSION_LENGTH = 256;
const TOO_SHORT = "No Major.Minor.Patch elements found";
const TOO_SHORT_FOR_MORE = "short version cannot contain PreRelease/Build meta data";

/** The version, or what is wrong with the text. */
function parseVersion(text: string): Version | string {
  if (text === "") return "Version string empty";
  const found = text.length > MAX_VERSION_LENGTH ? null : /^([^.]*)\.([^.]*)\.([^+]*)(?:\+(.*))?$/s.exec(text);
  if (found === null) return TOO_SHORT;
  const [, major = "", minor = "", last = "", build] = found;
  const dash = last.indexOf("-");
  const patch = dash < 0 ? last : last.slice(0, dash);
  const prerelease = dash < 0 ? [] : last.slice(dash + 1).split(".");
  const problem =
    numberProblem("major", major) ??
    numberProblem("minor", minor) ??
    numberProblem("patch", patch) ??
    firstProblem(prerelease, prereleaseProblem) ??
    firstProblem(build?.split(".") ?? [], buildProblem);
  if (problem !== undefined) return problem;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease.map((part) => (isDigits(part) ? BigInt(part) : part)),
  };
}

const isDigits = (text: string): boolean => /^[0-9]*$/.test(text);
const isWord = (text: string): boolean => /^[0-9A-Za-z-]*$/.test(text);
const hasLeadingZeros = (text: string): boolean => text.length > 1 && text.startsWith("0");

function numberProblem(which: string, text: string): string | undefined {
  if (!isDigits(text)) return `Invalid character(s) found in ${which} number ${shownText(text)}`;
  const title = which.charAt(0).toUpperCase() + which.slice(1);
  if (hasLeadingZeros(text)) return `${title} number must not contain leading zeroes ${shownText(text)}`;
  return rangeProblem(text);
}

function rangeProblem(digits: string): string | undefined {
  const why = digits === "" ? "invalid syntax" : BigInt(digits) > MAX_UINT64 ? "value out of range" : undefined;
  return why && `strconv.ParseUint: parsing ${shownText(digits)}: ${why}`;
}

function firstProblem(parts: readonly string[], problemOf: (part: string) => string | undefined): string | undefined {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function prereleaseProblem(part: string): string | undefined {
  if (part === "") return "Prerelease is empty";
  if (!isWord(part)) return `Invalid character(s) found in prerelease ${shownText(part)}`;
  if (!isDigits(part)) return undefined;
  if (hasLeadingZeros(part)) return `Numeric PreRelease version must not contain leading zeroes ${shownText(part)}`;
  return rangeProblem(part);
}

function buildProblem(part: string): string | undefined {
  if (part === "") return "Build meta data is empty";
  return isWord(part) ? undefined : `Invalid character(s) found in build meta data ${shownText(part)}`;
}

/**
 * Without a leading v and leading zeros, filled up to three numbers; undefined for a short version with something after
 * its numbers.
 */
function normalized(text: string): string | undefined {
  if (text.length > MAX_VERSION_LENGTH) return text;
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])];
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return undefined;
  while (parts.length < 3) parts.push("0");
  return parts.map(withoutLeadingZeros).join(".");
}

function withoutLeadingZeros(part: string): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, "");
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < 3; index++) {
    const [left = 0n, right = 0n] = [a.numbers[index], b.numbers[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  // A version with a prerelease comes before the one without.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length) - Math.sign(a.prerelease.length);
  }
  const length = Math.min(a.prerelease.length, b.prerelease.length);
  for (let index = 0; index < length; index++) {
    const [left = 0n, right = 0n] = [a.prerelease[index], b.prerelease[index]];
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}
