// `pctl validate`: what a server would refuse in files, without one, in both dialects.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offlineServer } from "../cmd/offline-server.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { runPctl } from "./pctl.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "validate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, ...objects: readonly unknown[]): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    objects.map((object) => (typeof object === "string" ? object : JSON.stringify(object))).join("\n---\n"),
  );
  return file;
}

async function validate(line: readonly string[], stdin = "") {
  let [out, err] = ["", ""];
  const code = await runPctl(
    ["validate", ...line],
    {
      // Nothing of a cluster is known.
      env: { HOME: folder },
      readInput: async () => Buffer.from(stdin),
      write: (text) => {
        out += Buffer.from(text).toString("utf8");
      },
      writeError: (text) => {
        err += Buffer.from(text).toString("utf8");
      },
      openInput: () => expect.unreachable(),
      inputIsTerminal: false,
      isTerminal: false,
      errorIsTerminal: false,
      interrupted: new AbortController().signal,
    },
    { offlineServer },
  );
  return { code, out, err };
}

const configMap = (name: string, data = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

describe.each(DIALECTS)("pctl validate, dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const inDialect = `--dialect=${dialect}`;
  const deployment = (replicas: number, more = {}) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { serviceAccountName: "bot", priorityClassName: "high", containers: [{ name: "c", image: "i" }] },
      },
      ...more,
    },
  });
  const definition = {
    apiVersion: `${names.group("apiextensions")}/v1`,
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: { low: { type: "integer" }, high: { type: "integer" } },
                  "x-kubernetes-validations": [{ rule: "self.low < self.high", message: "low must be below high" }],
                },
              },
            },
          },
        },
      ],
    },
  };
  const thing = (low: unknown, high: unknown) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "a" },
    spec: { low, high },
  });

  it("says so when all is well, whatever a cluster would have to have", async () => {
    const file = write("good.yaml", deployment(2), configMap("a"), {
      ...configMap("default"),
      kind: "Namespace",
      data: undefined,
    });
    expect(await validate(["-f", file, inDialect])).toEqual({
      code: 0,
      out: "3 objects: 3 valid, 0 invalid\n",
      err: "",
    });
  });

  it("names file, line, object, field and reason of what would be refused", async () => {
    const file = write("bad.yaml", configMap("a"), deployment(-1), deployment(1, { replcas: 3 }), "# nothing");
    const { code, out } = await validate(["-f", file, inDialect]);
    expect(code).toBe(1);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(
      new RegExp(
        `^${file}:3: deployment.apps/web: spec.replicas: Invalid value: -1: must be greater than or equal to 0`,
      ),
    );
    expect(lines[1]).toMatch(
      /bad\.yaml:5: deployment\.apps\/web: .*strict decoding error: unknown field "spec\.replcas"/,
    );
    expect(lines[2]).toBe("3 objects: 1 valid, 2 invalid");
  });

  it("takes definitions from files, with their expressions", async () => {
    const objects = write("things.yaml", thing(1, 2));
    const withDefinition = write("definitions/thing.yaml", definition);
    const unknown = await validate(["-f", objects, inDialect]);
    expect(unknown.code).toBe(1);
    expect(unknown.out).toContain('there is no kind "Thing" in version "example.com/v1"');
    expect((await validate(["-f", objects, "--with", dirname(withDefinition), inDialect])).code).toBe(0);
    write("things.yaml", thing(3, 2), definition);
    const broken = await validate(["-f", objects, inDialect]);
    expect([broken.code, broken.out]).toEqual([1, expect.stringContaining("low must be below high")]);
    write("things.yaml", thing("one", 2));
    expect((await validate(["-f", objects, "--with", withDefinition, inDialect])).out).toContain("spec.low");
  });

  it("takes policies from files, with their bindings and parameters", async () => {
    const apiVersion = `${names.group("admissionregistration")}/v1`;
    const policy = {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "few" },
      spec: {
        failurePolicy: "Fail",
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        matchConstraints: {
          resourceRules: [
            { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
          ],
        },
        validations: [
          { expression: "object.spec.replicas <= int(params.data.max)", message: "so many replicas are too many" },
        ],
      },
    };
    const binding = {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "few" },
      spec: {
        policyName: "few",
        validationActions: ["Deny"],
        paramRef: { name: "limits", namespace: "default", parameterNotFoundAction: "Deny" },
      },
    };
    const policies = write("policies.yaml", binding, policy, configMap("limits", { max: "3" }));
    const file = write("web.yaml", deployment(3));
    expect((await validate(["-f", file, "--with", policies, inDialect])).code).toBe(0);
    write("web.yaml", deployment(4));
    const { code, out } = await validate(["-f", file, "--with", policies, inDialect]);
    expect([code, out]).toEqual([1, expect.stringContaining("so many replicas are too many")]);
  });

  it("reports for machines", async () => {
    const manifest = JSON.stringify({ ...deployment(-1), metadata: { name: "web" } });
    const { code, out } = await validate(
      ["-f", "-", "-o", "json", inDialect],
      `${JSON.stringify(configMap("a"))}\n---\n${manifest}`,
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      dialect,
      valid: 1,
      invalid: 1,
      objects: [
        {
          source: "standard input",
          line: 1,
          apiVersion: "v1",
          kind: "ConfigMap",
          name: "a",
          valid: true,
          errors: [],
          warnings: [],
        },
        {
          source: "standard input",
          line: 3,
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: "web",
          valid: false,
          errors: [{ reason: "Invalid", field: "spec.replicas", message: expect.stringContaining("must be greater") }],
          warnings: [],
        },
      ],
    });
  });

  it("finds an object that stands twice", async () => {
    const file = write("twice.yaml", configMap("a"), configMap("a"));
    expect((await validate(["-f", file, inDialect])).out).toContain(
      ":3: configmap/a: the same object stands in the files twice",
    );
  });

  it("speaks as the files do", async () => {
    const role = {
      apiVersion: `${names.group("rbac.authorization")}/v1`,
      kind: "Role",
      metadata: { name: "r" },
      rules: [],
    };
    const file = write("role.json", role);
    expect((await validate(["-f", file])).code).toBe(0);
  });

  it.each<[string, readonly string[], string]>([
    ["no file", [], "error: must specify -f\n"],
    ["a file that is not there", ["-f", "/none/at/all"], 'error: the path "/none/at/all" does not exist\n'],
    ["no object", ["-f", "-"], "error: there is no object in the files\n"],
    ["an unknown flag", ["--bogus"], "error: unknown option '--bogus' (see pctl validate --help)\n"],
    ["an unknown dialect", ["-f", "-", "--dialect=x"], 'error: --dialect: "x" is none of platform, kubernetes\n'],
  ])("cannot check %s: exit code 2", async (_, line, err) => {
    expect(await validate(line, line[2] === undefined ? "" : JSON.stringify(configMap("a")))).toEqual({
      code: 2,
      out: "",
      err,
    });
  });
});
