// What flow schemas and priority levels must say: one row per rule.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors } from "../validation.testing.ts";
import { type FlowSchema, flowSchema } from "./flow-schema.ts";
import { MANDATORY_SCHEMAS } from "./mandatory.ts";
import { type PriorityLevelConfiguration, priorityLevelConfiguration } from "./priority-level-configuration.ts";

const schemaErrors = (spec: object, name = "a") =>
  createErrors(flowSchema, {
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: "l" }, ...spec },
  } as Draft<FlowSchema>);
const levelErrors = (spec: object, name = "a") =>
  createErrors(priorityLevelConfiguration, { metadata: { name }, spec } as Draft<PriorityLevelConfiguration>);
const subjects = [{ kind: "User", user: { name: "u" } }];

describe("a flow schema", () => {
  it.each([
    [{}, []],
    [
      { priorityLevelConfiguration: {} },
      ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
    ],
    [
      { matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      { rules: [{}] },
      [
        "spec.rules[0].subjects: Required value: subjects must contain at least one value",
        "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
      ],
    ],
    [
      { rules: [{ subjects, nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a*"] }] }] },
      [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
      ],
    ],
    [
      {
        rules: [
          {
            subjects: [{ kind: "Group", user: { name: "u" } }],
            nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a/*"] }],
          },
        ],
      },
      [
        "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
        "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      ],
    ],
  ])("%j", (spec, errors) => {
    expect(schemaErrors(spec)).toEqual(errors);
  });

  it("that must be there has its fixed form", () => {
    for (const [name, spec] of MANDATORY_SCHEMAS) {
      expect(schemaErrors(spec, name)).toEqual([]);
      expect(schemaErrors({ ...spec, rules: [] }, name)).toHaveLength(1);
    }
  });
});

describe("a priority level", () => {
  const queued = (queuing: object) => ({ type: "Limited", limited: { limitResponse: { type: "Queue", queuing } } });

  it.each([
    [queued({}), []],
    [{ type: "Limited" }, ["spec.limited: Required value: must not be empty when type is Limited"]],
    [{ type: "X" }, ['spec.type: Unsupported value: "X": supported values: "Exempt", "Limited"']],
    [{ type: "Exempt" }, ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"]],
    [
      queued({ queues: 4, handSize: 5 }),
      ["spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"],
    ],
    [
      queued({ queues: 512, handSize: 8 }),
      [
        "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60",
      ],
    ],
  ])("%j", (spec, errors) => {
    expect(levelErrors(spec)).toEqual(errors);
  });
});
