// How names, label keys and values, port names and their like must look, in upstream's words.
// Each check takes a text and answers what is wrong with it, nothing when all is well.

import { append } from "../base/append.ts";

export type NameFormat = "dns1123Subdomain" | "dns1123Label" | "dns1035Label" | "pathSegment";

/** The checks that kinds choose for the names of their objects. */
export function nameProblems(format: NameFormat, name: string): string[] {
  switch (format) {
    case "dns1123Subdomain":
      return dns1123SubdomainProblems(name);
    case "dns1123Label":
      return dns1123LabelProblems(name);
    case "dns1035Label":
      return dns1035LabelProblems(name);
    case "pathSegment":
      return pathSegmentProblems(name);
  }
}

/** The same for metadata.generateName, whose generated end makes a final dash or dot good. */
export function generateNameProblems(format: NameFormat, prefix: string): string[] {
  return format === "pathSegment" ? forbiddenParts(prefix) : nameProblems(format, maskTrailingDash(prefix));
}

export function dns1123LabelProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63));
  if (!DNS1123_LABEL.test(value)) {
    // A dotted name is good elsewhere, so the pattern alone would not say what to change.
    problems.push(isSubdomain(value) ? "must not contain dots" : DNS1123_LABEL_MESSAGE);
  }
  return problems;
}

export function dns1123SubdomainProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253));
  if (!isSubdomain(value)) problems.push(DNS1123_SUBDOMAIN_MESSAGE);
  return problems;
}

/** A subdomain that also allows underscores, for host names that DNS itself would take. */
export function dns1123SubdomainWithUnderscoreProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253));
  if (value === "" || NOT_IN_SUBDOMAIN_WITH_UNDERSCORE.test(value)) {
    problems.push(
      patternMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN_WITH_UNDERSCORE_TEXT,
        "example.com",
      ),
    );
  }
  return problems;
}

export function dns1035LabelProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63));
  if (!DNS1035_LABEL.test(value)) {
    problems.push(
      patternMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS1035_LABEL_TEXT,
        "my-name",
        "abc-123",
      ),
    );
  }
  return problems;
}

export function wildcardSubdomainProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253));
  if (!value.startsWith("*.") || !isSubdomain(value.slice(2))) {
    problems.push(
      patternMessage(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        `\\*\\.${DNS1123_SUBDOMAIN_TEXT}`,
        "*.example.com",
      ),
    );
  }
  return problems;
}

/** A domain of at least two parts; one final dot is allowed. */
export function fullyQualifiedDomainProblems(value: string): string[] {
  if (value === "") return ["must be non-empty"];
  const name = value.endsWith(".") ? value.slice(0, -1) : value;
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return problems;
  const parts = name.split(".");
  if (parts.length < 2) return ["should be a domain with at least two segments separated by dots"];
  return parts.flatMap(dns1123LabelProblems);
}

/** A domain of at least three parts: the name of a group that somebody owns. */
export function fullyQualifiedNameProblems(value: string): string[] {
  if (value === "") return ["must be non-empty"];
  const problems = dns1123SubdomainProblems(value);
  if (problems.length > 0) return problems;
  return value.split(".").length < 3 ? ["should be a domain with at least three segments separated by dots"] : [];
}

/** A domain, a slash and a path: example.com/signer. */
export function domainPrefixedPathProblems(value: string): string[] {
  if (value === "") return ["must be non-empty"];
  const slash = value.indexOf("/");
  if (slash <= 0 || slash === value.length - 1) {
    return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  }
  const problems = dns1123SubdomainProblems(value.slice(0, slash));
  const path = value.slice(slash + 1);
  const legal = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path);
  if (!legal) problems.push(patternMessage("Invalid path", DOMAIN_PATH_TEXT));
  return problems;
}

export function qualifiedNameProblems(value: string): string[] {
  if (isGoodQualifiedName(value)) return [];
  // A third part is enough to know.
  const parts = value.split("/", 3);
  const problems: string[] = [];
  let name = parts[0] ?? "";
  if (parts.length === 2) {
    const prefix = name;
    name = parts[1] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    else
      append(
        problems,
        dns1123SubdomainProblems(prefix).map((problem) => `prefix part ${problem}`),
      );
  } else if (parts.length > 2) {
    const message = patternMessage(QUALIFIED_NAME_WORDS, QUALIFIED_NAME_TEXT, ...QUALIFIED_NAME_EXAMPLES);
    return [`a qualified name ${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (isLonger(name, 63)) problems.push(`name part ${tooLong(63)}`);
  if (!QUALIFIED_NAME.test(name)) {
    problems.push(`name part ${patternMessage(QUALIFIED_NAME_WORDS, QUALIFIED_NAME_TEXT, ...QUALIFIED_NAME_EXAMPLES)}`);
  }
  return problems;
}

/** Nearly all are good, and every object has several. */
function isGoodQualifiedName(value: string): boolean {
  const slash = value.indexOf("/");
  if (slash > 253 || value.length - slash > 64) return false;
  if (slash < 0) return QUALIFIED_NAME.test(value);
  return isSubdomain(value.slice(0, slash)) && QUALIFIED_NAME.test(value.slice(slash + 1));
}

export const labelKeyProblems = qualifiedNameProblems;

export function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63));
  if (value !== "" && !QUALIFIED_NAME.test(value)) {
    problems.push(
      patternMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${QUALIFIED_NAME_TEXT})?`,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return problems;
}

export function configMapKeyProblems(value: string): string[] {
  // One object may have thousands, and nearly all are good.
  if (GOOD_KEY.test(value)) return [];
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    problems.push(
      patternMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        "[-._a-zA-Z0-9]+",
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  }
  return [...problems, ...dotProblems(value)];
}

const GOOD_KEY = /^[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}$/;

/** The name of a port as the registry of the Internet knows them: at most 15 characters. */
export function portNameProblems(value: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 15)) problems.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function portNumberProblems(port: number | bigint): string[] {
  return port >= 1 && port <= 65535 ? [] : [rangeMessage(1, 65535)];
}

export function pathSegmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return forbiddenParts(value);
}

/** The strict form, for gates that are off: letters, digits, '_', '-' and '.'. */
export function envVarNameProblems(value: string): string[] {
  const problems: string[] = [];
  if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value)) {
    problems.push(
      patternMessage(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        "[-._a-zA-Z][-._a-zA-Z0-9]*",
        "my.env-name",
        "MY_ENV.NAME",
        "MyEnvName1",
      ),
    );
  }
  return [...problems, ...dotProblems(value)];
}

/** Printable ASCII without '='. */
export function relaxedEnvVarNameProblems(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]+$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** An identifier as the C language has them. */
export function cIdentifierProblems(value: string): string[] {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) return [];
  return [
    patternMessage(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*",
      "my_name",
      "MY_NAME",
      "MyName",
    ),
  ];
}

/** A percentage: 25%. */
export function percentProblems(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return [];
  return [
    patternMessage("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"),
  ];
}

/** The name of an HTTP header. */
export function httpHeaderNameProblems(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return [];
  return [
    patternMessage(
      "a valid HTTP header must consist of alphanumeric characters or '-'",
      "[-A-Za-z0-9]+",
      "X-Header-Name",
    ),
  ];
}

/** `must be between 1 and 65535, inclusive`. */
export function rangeMessage(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

/** `<words> (e.g. 'a',  or 'b', regex used for validation is '<pattern>')`. */
export function patternMessage(words: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${words} (regex used for validation is '${pattern}')`;
  const listed = examples.map((example) => `'${example}'`).join(",  or ");
  return `${words} (e.g. ${listed}, regex used for validation is '${pattern}')`;
}

const DNS1123_LABEL_TEXT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN_TEXT = `${DNS1123_LABEL_TEXT}(\\.${DNS1123_LABEL_TEXT})*`;
const SUBDOMAIN_WITH_UNDERSCORE_TEXT = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const DNS1035_LABEL_TEXT = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME_TEXT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const DOMAIN_PATH_TEXT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

// Written so that they run in linear time: the published patterns, which messages show, would not everywhere.
const DNS1123_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
// One that looks for a fault remembers nothing of the parts behind it, however many there are.
const NOT_IN_SUBDOMAIN = /[^-a-z0-9.]|^[-.]|[-.]$|\.[-.]|-\./;
const NOT_IN_SUBDOMAIN_WITH_UNDERSCORE = /[^-_a-z0-9.]|(?:^|\.)(?:[-.]|_[-_])|[-_.]$|[-_]\./;
const DNS1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const DNS1123_LABEL_MESSAGE = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS1123_LABEL_TEXT,
  "my-name",
  "123-abc",
);
const DNS1123_SUBDOMAIN_MESSAGE = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS1123_SUBDOMAIN_TEXT,
  "example.com",
);
const QUALIFIED_NAME_WORDS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_NAME_EXAMPLES = ["MyName", "my.name", "123-abc"];

function isSubdomain(value: string): boolean {
  return value !== "" && !NOT_IN_SUBDOMAIN.test(value);
}

function forbiddenParts(segment: string): string[] {
  return ["/", "%"].filter((part) => segment.includes(part)).map((part) => `may not contain '${part}'`);
}

function tooLong(max: number): string {
  return `must be no more than ${max} characters`;
}

function dotProblems(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

/** Limits count bytes of UTF-8. Nearly all names are short: only those near the limit need counting. */
function isLonger(value: string, maxBytes: number): boolean {
  if (value.length > maxBytes) return true;
  return value.length * 3 > maxBytes && Buffer.byteLength(value, "utf8") > maxBytes;
}
