import { describe, expect, it, vi } from "vitest";
import {
  configMapKeyProblems,
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  fullyQualifiedDomainProblems,
  generateNameProblems,
  labelValueProblems,
  pathSegmentProblems,
  portNameProblems,
  qualifiedNameProblems,
  relaxedEnvVarNameProblems,
  wildcardSubdomainProblems,
} from "./name-formats.ts";

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

type Row = [check: (value: string) => string[], value: string, problems: string[]];

const ROWS: Row[] = [
  [dns1123LabelProblems, "a-1", []],
  [dns1123LabelProblems, "a".repeat(64), ["must be no more than 63 characters"]],
  [dns1123LabelProblems, "a.b", ["must not contain dots"]],
  [dns1123LabelProblems, "-a", [LABEL]],
  [dns1123LabelProblems, "", [LABEL]],
  [dns1123LabelProblems, "A", [LABEL]],
  [dns1123SubdomainProblems, "a.b-c.d1", []],
  [dns1123SubdomainProblems, "a..b", [SUBDOMAIN]],
  [dns1123SubdomainProblems, "a.-b", [SUBDOMAIN]],
  [dns1123SubdomainProblems, "a-.b", [SUBDOMAIN]],
  [dns1123SubdomainProblems, "a.b.", [SUBDOMAIN]],
  [dns1123SubdomainProblems, "a\n", [SUBDOMAIN]],
  [dns1123SubdomainProblems, "a".repeat(254), ["must be no more than 253 characters"]],
  [
    dns1035LabelProblems,
    "1a",
    [
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [wildcardSubdomainProblems, "*.example.com", []],
  [
    wildcardSubdomainProblems,
    "*",
    [
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [qualifiedNameProblems, "example.com/My.Name", []],
  [qualifiedNameProblems, "/a", ["prefix part must be non-empty"]],
  [qualifiedNameProblems, "a/", ["name part must be non-empty", `name part ${NAME}`]],
  [qualifiedNameProblems, "A_/x", [`prefix part ${SUBDOMAIN}`]],
  [
    qualifiedNameProblems,
    "a/b/c",
    [`a qualified name ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
  ],
  [qualifiedNameProblems, "n".repeat(64), ["name part must be no more than 63 characters"]],
  [labelValueProblems, "", []],
  [labelValueProblems, "a b", [LABEL_VALUE]],
  [configMapKeyProblems, "a b", [CONFIG_KEY]],
  [configMapKeyProblems, ".", ["must not be '.'"]],
  [configMapKeyProblems, "..x", ["must not start with '..'"]],
  [portNameProblems, "http-2", []],
  [portNameProblems, "8080", ["must contain at least one letter (a-z)"]],
  [portNameProblems, "a--b", ["must not contain consecutive hyphens"]],
  [portNameProblems, "a-", ["must not begin or end with a hyphen"]],
  [portNameProblems, "a".repeat(16), ["must be no more than 15 characters"]],
  [pathSegmentProblems, "..", ["may not be '..'"]],
  [pathSegmentProblems, "a/%", ["may not contain '/'", "may not contain '%'"]],
  [fullyQualifiedDomainProblems, "example.com.", []],
  [fullyQualifiedDomainProblems, "com", ["should be a domain with at least two segments separated by dots"]],
  [
    relaxedEnvVarNameProblems,
    "a=b",
    ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
  ],
];

describe("name formats", () => {
  it.each(ROWS)("%o finds in %j what upstream finds", (check, value, problems) => {
    expect(check(value)).toEqual(problems);
  });

  it("a generated end makes a trailing dash of a prefix good", () => {
    expect(generateNameProblems("dns1123Label", "web-")).toEqual([]);
    expect(generateNameProblems("dns1123Label", "-")).not.toEqual([]);
  });

  it("a hostile text is judged in linear time", () => {
    const hostile = `${"a-".repeat(200_000)}!`;
    expect(dns1123SubdomainProblems(hostile)).toHaveLength(2);
    expect(dns1123LabelProblems(hostile)).toHaveLength(2);
    expect(qualifiedNameProblems(hostile)).toHaveLength(2);
  });

  it("a name of millions of parts is judged without a memory of each", () => {
    const parts = `${"a.".repeat(5_000_000)}a`;
    const tooLong = ["must be no more than 253 characters"];
    expect(dns1123SubdomainProblems(parts)).toEqual(tooLong);
    expect(dns1123SubdomainWithUnderscoreProblems(parts)).toEqual(tooLong);
  });

  it("a qualified name is not taken apart further than to see that it has too many parts", () => {
    const split = vi.spyOn(String.prototype, "split");
    const problems = qualifiedNameProblems("/".repeat(1_000));
    const results = split.mock.results.map(({ value }) => (value as string[]).length);
    split.mockRestore();
    expect([problems.length, results]).toEqual([1, [3]]);
  });
});
