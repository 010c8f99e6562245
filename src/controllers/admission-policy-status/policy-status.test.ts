// What type checking finds in policies. Requirements: document 1, "Expression language": typed variables are checked.

import { expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { policyStatusController } from "./policy-status-controller.ts";

it.each(DIALECTS)("policies say where they do not fit, in the dialect %s", async (dialect) => {
  const run = await controllersInProcess({ definitions: [policyStatusController], dialect });
  const { client, clock, eventually, restart, close } = run;
  const policies = client.admissionregistration.v1.validatingAdmissionPolicies();
  const install = (name: string, rule: object, spec: object) =>
    policies.create({
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [{ operations: ["CREATE"], ...rule }] },
        ...spec,
      },
    });
  const maps = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  const widgets = { apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"] };
  const checked = async (name: string, generation = 1) => {
    await clock.advance(250);
    return eventually(async () => {
      const { status } = await policies.get(name);
      expect(status?.observedGeneration).toBe(generation);
      return (status?.typeChecking?.expressionWarnings ?? []).map(({ fieldRef, warning }) => [fieldRef, warning]);
    });
  };

  await install("good", maps, { validations: [{ expression: "object.data.size() > 0" }] });
  expect(await checked("good")).toEqual([]);
  expect((await policies.get("good")).status?.typeChecking).toEqual({});

  await install("bad", maps, {
    validations: [{ expression: "object.data.size() > 0" }, { expression: "object.dota.size() > 0" }],
  });
  expect(await checked("bad")).toEqual([
    [
      "spec.validations[1].expression",
      expect.stringMatching(/^\/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'dota'/),
    ],
  ]);

  await install("params", maps, {
    paramKind: { apiVersion: "v1", kind: "Secret" },
    validations: [{ expression: "params.stringData.size() > 0" }, { expression: "params.strongData.size() > 0" }],
  });
  expect(await checked("params")).toEqual([
    ["spec.validations[1].expression", expect.stringContaining("undefined field 'strongData'")],
  ]);

  await client.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
            },
          },
        },
      ],
    },
  });
  await install("custom", widgets, {
    validations: [
      { expression: "object.spec.size > 1 && object.metadata.name != ''" },
      { expression: "object.spec.sice > 1" },
    ],
  });
  expect(await checked("custom")).toEqual([
    [
      "spec.validations[1].expression",
      expect.stringMatching(/^example.com\/v1, Kind=Widget: .*undefined field 'sice'/s),
    ],
  ]);

  await restart();
  await policies.patch("bad", { merge: { spec: { validations: [{ expression: "object.data.size() > 1" }] } } });
  expect(await checked("bad", 2)).toEqual([]);
  await close();
});
