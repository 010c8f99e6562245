import { describe, expect, it } from "vitest";
import { flagHelp } from "./flag-help.ts";
import {
  boolFlag,
  choiceFlag,
  integerFlag,
  listFlag,
  mapFlag,
  pathFlag,
  repeatedFlag,
  textFlag,
} from "./flag-values.ts";
import { flagName, parseFlags } from "./flags.ts";
import { UsageError } from "./start-error.ts";

const table = {
  securePort: integerFlag({ default: 6443, min: 0, max: 65_535, doc: "The port." }),
  profiling: boolFlag({ default: true, doc: "Profiles." }),
  anonymousAuth: boolFlag({ default: undefined, doc: "Anonymous." }),
  dialect: choiceFlag({ default: "a", choices: ["a", "b"], doc: "Dialect." }),
  servers: listFlag({ doc: "Servers." }),
  keyFile: repeatedFlag({ doc: "Keys." }),
  gates: mapFlag({ doc: "Gates." }),
  runtime: mapFlag({ bareValue: "true", doc: "Runtime." }),
  claim: mapFlag({ isRepeated: true, doc: "Claims." }),
  certDir: pathFlag({ default: undefined, doc: "Folder." }),
  name: textFlag({ default: "none", doc: "Name." }),
  v: integerFlag({ default: 0, max: 10, short: "v", doc: "Verbosity." }),
} as const;

const options = (...args: string[]) => parseFlags(table, args).options;
const failure = (...args: string[]) => {
  try {
    parseFlags(table, args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no failure";
};

describe("flags", () => {
  it("have their defaults when they are not given", () => {
    expect(options()).toMatchObject({
      securePort: 6443,
      profiling: true,
      anonymousAuth: undefined,
      servers: [],
      name: "none",
    });
  });

  it.each([
    [["--secure-port=1"], { securePort: 1 }],
    [["--secure-port", "2"], { securePort: 2 }],
    [["--secure_port=3"], { securePort: 3 }],
    [["--secure-port=1", "--secure-port=4"], { securePort: 4 }],
    [["--profiling=false"], { profiling: false }],
    [
      ["--claim=a=b,c", "--claim=d=e=f"],
      {
        claim: new Map([
          ["a", "b,c"],
          ["d", "e=f"],
        ]),
      },
    ],
    [["--profiling=F"], { profiling: false }],
    [["--anonymous-auth"], { anonymousAuth: true }],
    [["--dialect=b"], { dialect: "b" }],
    [["--servers=x,y"], { servers: ["x", "y"] }],
    [["--servers=x", "--servers", "y,z"], { servers: ["x", "y", "z"] }],
    [['--servers="x,y",z'], { servers: ["x,y", "z"] }],
    [['--servers="say ""hi"""'], { servers: ['say "hi"'] }],
    [["--servers="], { servers: [] }],
    [["--servers=x,,y,"], { servers: ["x", "y"] }],
    [["--key-file=a,b", "--key-file=c"], { keyFile: ["a,b", "c"] }],
    [
      ["--gates=A=true,B=false"],
      {
        gates: new Map([
          ["A", "true"],
          ["B", "false"],
        ]),
      },
    ],
    [["--gates=A=true", "--gates=A=false"], { gates: new Map([["A", "false"]]) }],
    [
      ["--runtime=apps/v1,batch/v1=false"],
      {
        runtime: new Map([
          ["apps/v1", "true"],
          ["batch/v1", "false"],
        ]),
      },
    ],
    [["--cert-dir="], { certDir: undefined }],
    [["--name=a=b"], { name: "a=b" }],
    [["--name="], { name: "" }],
    [["-v=4"], { v: 4 }],
    [["-v4"], { v: 4 }],
    [["-v", "4"], { v: 4 }],
    [["--v=4"], { v: 4 }],
  ])("%j", (args, expected) => {
    expect(options(...args)).toMatchObject(expected);
  });

  it.each([
    [["--secure-prot=1"], "unknown flag --secure-prot; did you mean --secure-port?"],
    [["--no-such-flag-at-all=1"], "unknown flag --no-such-flag-at-all"],
    [["-x"], "unknown flag -x"],
    [["--__proto__=1"], "unknown flag --__proto__"],
    [["--constructor=1"], "unknown flag --constructor"],
    [["--secure-port"], "flag --secure-port needs a value: --secure-port=NUMBER"],
    [["--secure-port=many"], 'flag --secure-port: "many" is not a whole number between 0 and 65535'],
    [["--secure-port=65536"], 'flag --secure-port: "65536" is not a whole number between 0 and 65535'],
    [["--secure-port="], 'flag --secure-port: "" is not a whole number between 0 and 65535'],
    [["--profiling=maybe"], 'flag --profiling: "maybe" is neither true nor false'],
    [["--dialect=c"], 'flag --dialect: "c" is not one of a, b'],
    [["--gates=A"], 'flag --gates: "A" has no value: write A=VALUE'],
    [["--gates==true"], 'flag --gates: "=true" has no key: write KEY=VALUE'],
    [['--servers="x'], 'flag --servers: "\\"x" has a quote that is not closed'],
  ])("refuses %j", (args, message) => {
    expect(failure(...args)).toBe(message);
  });

  it("says which flags were given, and what is no flag", () => {
    const parsed = parseFlags(table, ["save", "--profiling=true", "file", "--", "--name=x"]);
    expect([...parsed.given]).toEqual(["profiling"]);
    expect(parsed.rest).toEqual(["save", "file", "--name=x"]);
  });

  it.each([
    ["securePort", "secure-port"],
    ["requestTimeoutMs", "request-timeout"],
    ["minRequestTimeoutSeconds", "min-request-timeout"],
    ["auditLogMaxsizeMb", "audit-log-maxsize"],
  ])("the key %s is the flag --%s", (key, name) => {
    expect(flagName(key)).toBe(name);
  });

  it("print their names, values, defaults and sentences as help", () => {
    const help = flagHelp("plinth x [flags]", "Does x.", [{ title: "All", flags: table }]);
    expect(help).toContain(
      "Usage: plinth x [flags]\n\nDoes x.\n\nAll:\n  --secure-port=NUMBER\n        The port. (default 6443)\n",
    );
    expect(help).toContain("  -v, --v=NUMBER\n");
    expect(help).toContain("  --profiling\n        Profiles. (default true)\n");
  });
});
