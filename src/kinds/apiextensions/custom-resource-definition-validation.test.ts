import { describe, expect, it } from "vitest";
import { cloneJson } from "../../base/json.ts";
import { atOnce } from "../../base/steps.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import { namesFor } from "../../meta/names.ts";
import type { HookContext } from "../define-kind.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { validateDefinition, validateDefinitionUpdate } from "./custom-resource-definition-validation.ts";
import { versionErrors } from "./definition-version-validation.ts";

const context: HookContext = { names: namesFor("kubernetes"), gateEnabled: () => true, nowMs: 0 };
const GOOD = {
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    conversion: { strategy: "None" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { a: { type: "string" }, o: { type: "object" } } } },
          },
        },
      },
    ],
  },
  status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
};
type Changed = ReturnType<typeof JSON.parse>;

const judge = (change: (definition: Changed) => void): string[] => {
  const definition = cloneJson(GOOD) as Changed;
  change(definition);
  return atOnce(validateDefinition(definition as CustomResourceDefinition, context)).map(fieldErrorText);
};

describe("a new definition", () => {
  it("that is right passes", () => {
    expect(judge(() => undefined)).toEqual([]);
  });

  const webhook = (clientConfig: unknown, versions: unknown = ["v1"]) => ({
    strategy: "Webhook",
    webhook: { clientConfig, conversionReviewVersions: versions },
  });
  const version = (d: Changed) => d.spec.versions[0];
  it.each<[string, (definition: Changed) => void, RegExp]>([
    [
      "is named after plural and group",
      (d) => {
        d.metadata.name = "x.example.com";
      },
      /metadata.name: Invalid value: "x.example.com": must be spec.names.plural\+"."\+spec.group/,
    ],
    [
      "has a group with a dot",
      (d) => {
        d.spec.group = "x";
        d.metadata.name = "foos.x";
      },
      /spec.group: Invalid value: "x": should be a domain with at least one dot/,
    ],
    [
      "has a scope",
      (d) => {
        d.spec.scope = "";
      },
      /spec.scope: Required value/,
    ],
    [
      "has a known scope",
      (d) => {
        d.spec.scope = "Galaxy";
      },
      /spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"/,
    ],
    [
      "has one stored version",
      (d) => {
        version(d).storage = false;
      },
      /spec.versions: Invalid value: .*: must have exactly one version marked as storage version/,
    ],
    [
      "has each version once",
      (d) => {
        d.spec.versions.push({ ...version(d), storage: false });
      },
      /must contain unique version names/,
    ],
    [
      "has a schema",
      (d) => {
        delete version(d).schema;
      },
      /spec.versions\[0\].schema.openAPIV3Schema: Required value/,
    ],
    [
      "has a structural schema",
      (d) => {
        version(d).schema.openAPIV3Schema.properties.x = {};
      },
      /spec.validation.openAPIV3Schema.properties\[x\].type: Required value/,
    ],
    [
      "has no dependencies, not even empty ones",
      (d) => {
        version(d).schema.openAPIV3Schema.properties.x = { type: "object", dependencies: {} };
      },
      /spec.validation.openAPIV3Schema.properties\[x\].dependencies: Forbidden: dependencies is not supported/,
    ],
    [
      "says where it differs between versions",
      (d) => {
        d.spec.versions.push({
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "string" } },
        });
      },
      /spec.versions\[1\].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root/,
    ],
    [
      "has another list kind",
      (d) => {
        d.spec.names.listKind = "Foo";
      },
      /spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same/,
    ],
    [
      "has short names of letters",
      (d) => {
        d.spec.names.shortNames = ["A"];
      },
      /spec.names.shortNames\[0\]: Invalid value: "A"/,
    ],
    [
      "warns only about what is deprecated",
      (d) => {
        version(d).deprecationWarning = "x";
      },
      /spec.versions\[0\].deprecationWarning: Invalid value: "x": can only be set for deprecated versions/,
    ],
    [
      "warns shortly",
      (d) => {
        version(d).deprecated = true;
        version(d).deprecationWarning = "x".repeat(257);
      },
      /must be <= 256 characters long/,
    ],
    [
      "warns in characters that can be printed, and counts bytes up to others",
      (d) => {
        version(d).deprecated = true;
        version(d).deprecationWarning = "éè\n";
      },
      /deprecationWarning: .* must only contain printable UTF-8 characters; non-printable character found at index 4/,
    ],
    [
      "has columns of known types",
      (d) => {
        version(d).additionalPrinterColumns = [{ name: "a", type: "map", jsonPath: ".a" }];
      },
      /spec.additionalPrinterColumns\[0\].type: Invalid value: "map": must be one of boolean,date,integer,number,string/,
    ],
    [
      "has columns with paths",
      (d) => {
        version(d).additionalPrinterColumns = [{ name: "a", type: "string", jsonPath: "a" }];
      },
      /JSONPath: Invalid value: "a": must be a simple json path starting with \./,
    ],
    [
      "scales in its spec",
      (d) => {
        version(d).subresources = { scale: { specReplicasPath: ".x.y", statusReplicasPath: ".status.r" } };
      },
      /specReplicasPath: Invalid value: ".x.y": should be a json path under .spec/,
    ],
    [
      "selects fields that are there",
      (d) => {
        version(d).selectableFields = [{ jsonPath: ".spec.b" }];
      },
      /selectableFields\[0\].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field/,
    ],
    [
      "selects fields by a path that begins with a dot",
      (d) => {
        version(d).selectableFields = [{ jsonPath: "spec.b" }];
      },
      /jsonPath: Invalid value: "spec.b": is an invalid path: expected \[ or . but got: spec$/,
    ],
    [
      "selects fields by their names",
      (d) => {
        version(d).selectableFields = [{ jsonPath: "..b" }];
      },
      /jsonPath: Invalid value: "..b": is an invalid path: does not refer to a valid field/,
    ],
    [
      "selects fields of versions that have a schema",
      (d) => {
        d.spec.versions.push({ name: "v9", served: true, storage: false, selectableFields: [{ jsonPath: ".a" }] });
      },
      /spec.versions\[\d\].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included/,
    ],
    [
      "stores one version of a name",
      (d) => {
        d.spec.versions.push({ ...version(d), storage: true });
      },
      /status.storedVersions: Invalid value: \[.*\]: must have the storage version/,
    ],
    [
      "selects simple fields",
      (d) => {
        version(d).selectableFields = [{ jsonPath: ".spec.o" }];
      },
      /must point to a field of type string, boolean or integer/,
    ],
    [
      "selects a field once",
      (d) => {
        version(d).selectableFields = [{ jsonPath: ".spec.a" }, { jsonPath: ".spec.a" }];
      },
      /selectableFields\[1\].jsonPath: Duplicate value: ".spec.a"/,
    ],
    [
      "does not keep unknown fields everywhere",
      (d) => {
        d.spec.preserveUnknownFields = true;
      },
      /spec.preserveUnknownFields: Invalid value: true: cannot set to true/,
    ],
    [
      "names its webhook",
      (d) => {
        d.spec.conversion = webhook(undefined);
      },
      /spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook/,
    ],
    [
      "has one address of its webhook",
      (d) => {
        d.spec.conversion = webhook({});
      },
      /exactly one of url or service is required/,
    ],
    [
      "has a webhook with TLS",
      (d) => {
        d.spec.conversion = webhook({ url: "http://x/" });
      },
      /'https' is the only allowed URL scheme/,
    ],
    [
      "has a webhook without secrets in its address",
      (d) => {
        d.spec.conversion = webhook({ url: "https://u:p@x/" });
      },
      /user information is not permitted in the URL/,
    ],
    [
      "speaks a known review version",
      (d) => {
        d.spec.conversion = webhook({ url: "https://x/" }, ["v9"]);
      },
      /conversionReviewVersions: Invalid value: \["v9"\]: must include at least one of v1, v1beta1/,
    ],
    [
      "has no webhook without use",
      (d) => {
        d.spec.conversion = { ...webhook({ url: "https://x/" }), strategy: "None" };
      },
      /should not be set when strategy is not set to Webhook/,
    ],
    [
      "has defaults that its rules allow",
      (d) => {
        version(d).schema.openAPIV3Schema.properties.n = {
          type: "integer",
          default: 0,
          "x-kubernetes-validations": [{ rule: "self > 0" }],
        };
      },
      /properties\[n\].default: Invalid value: "integer": failed rule: self > 0/,
    ],
    [
      "in a protected group is approved",
      (d) => {
        d.spec.group = "x.k8s.io";
        d.metadata.name = "foos.x.k8s.io";
      },
      /metadata.annotations\[api-approved.kubernetes.io\]: Required value: protected groups must have approval annotation/,
    ],
  ])("%s", (_what, change, message) => {
    expect(judge(change).join("\n")).toMatch(message);
  });

  it("selects at most eight fields", () => {
    const found = judge((d) => {
      const properties: Record<string, unknown> = {};
      for (let i = 0; i < 9; i += 1) properties[`f${i}`] = { type: "string" };
      version(d).schema.openAPIV3Schema.properties.spec.properties = properties;
      version(d).selectableFields = Object.keys(properties).map((name) => ({ jsonPath: `.spec.${name}` }));
    });
    expect(found).toEqual(["spec.selectableFields: Too many: 9: must have at most 8 items"]);
  });
});

describe("a changed definition", () => {
  const established = [{ type: "Established", status: "True", reason: "", message: "", lastTransitionTime: "" }];
  const change = (edit: (definition: Changed) => void, conditions: unknown = established): string[] => {
    const old = cloneJson(GOOD) as Changed;
    old.status.conditions = conditions;
    const definition = cloneJson(old) as Changed;
    edit(definition);
    return atOnce(
      validateDefinitionUpdate(definition as CustomResourceDefinition, old as CustomResourceDefinition, context),
    ).map(fieldErrorText);
  };

  it.each<[string, (definition: Changed) => void, string[]]>([
    [
      "may change its schema",
      (d) => {
        d.spec.versions[0].schema.openAPIV3Schema.description = "x";
      },
      [],
    ],
    [
      "keeps its scope",
      (d) => {
        d.spec.scope = "Cluster";
      },
      ['spec.scope: Invalid value: "Cluster": field is immutable'],
    ],
    [
      "keeps its kind",
      (d) => {
        d.spec.names.kind = "Bar";
      },
      ['spec.names.kind: Invalid value: "Bar": field is immutable'],
    ],
    [
      "keeps its group",
      (d) => {
        d.spec.group = "b.example.com";
      },
      ['spec.group: Invalid value: "b.example.com": field is immutable'],
    ],
  ])("%s", (_what, edit, errors) => {
    expect(change(edit)).toEqual(errors);
  });

  it("may change scope and kind until it is established", () => {
    expect(
      change((d) => {
        d.spec.scope = "Cluster";
        d.spec.names.kind = "Bar";
      }, null),
    ).toEqual([]);
  });

  it("is not locked up by rules that it broke before", () => {
    const old = cloneJson(GOOD) as Changed;
    old.spec.versions[0].schema.openAPIV3Schema.properties.x = {};
    const relabelled = { ...cloneJson(old), metadata: { ...old.metadata, labels: { a: "b" } } };
    expect(
      atOnce(
        validateDefinitionUpdate(relabelled as CustomResourceDefinition, old as CustomResourceDefinition, context),
      ),
    ).toEqual([]);
  });
});

it("very many mistakes are told with turns for others between them", () => {
  const { spec } = cloneJson(GOOD) as Changed;
  const mistakes = Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "x" }]);
  spec.versions[0].schema.openAPIV3Schema.properties.spec.properties = Object.fromEntries(mistakes);
  let told = 0;
  let inOneTurn = 0;
  let most = 0;
  for (const found of versionErrors(spec, undefined, context, false)) {
    inOneTurn = found === undefined ? 0 : inOneTurn + 1;
    most = Math.max(most, inOneTurn);
    if (found !== undefined) told += 1;
  }
  expect(told).toBeGreaterThanOrEqual(5_000);
  expect(most).toBeLessThan(2_000);
});
