// The semantic version library.

import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { CelError } from "../errors.ts";
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

function versionOf(type: CelType, text: string): CelValue {
  const version = parseVersion(text);
  return typeof version === "string" ? new CelError(version) : new OrderedValue(type, version, compareVersions);
}

/** Longer texts are no versions. */
const MAX_VERSION_LENGTH = 256;
const NUMBER = "0|[1-9][0-9]*";
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`);

function parseVersion(text: string): Version | string {
  const found = text.length > MAX_VERSION_LENGTH ? null : VERSION.exec(text);
  if (found === null) return text === "" ? "Version string empty" : "No Major.Minor.Patch elements found";
  const numbers = [BigInt(found[1] ?? 0), BigInt(found[2] ?? 0), BigInt(found[3] ?? 0)] as const;
  if (numbers.some((number) => number > MAX_UINT64)) return "Number in version is too large";
  const parts = found[4]?.split(".") ?? [];
  if (parts.includes("")) return "Prerelease is empty";
  if ((found[5]?.split(".") ?? []).includes("")) return "Build meta data is empty";
  const leading = parts.find((part) => /^0[0-9]+$/.test(part));
  if (leading !== undefined) return `Numeric PreRelease version must not contain leading zeroes "${leading}"`;
  return { numbers, prerelease: parts.map((part) => (/^[0-9]+$/.test(part) ? BigInt(part) : part)) };
}

/** Without a leading v and leading zeros, filled up to three numbers. Short versions have nothing after the numbers. */
function normalized(text: string): string {
  if (text.length > MAX_VERSION_LENGTH) return "";
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])];
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return "";
  const trimmed = parts.map((part) => part.replace(/^0+(?=[0-9])/, ""));
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
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
