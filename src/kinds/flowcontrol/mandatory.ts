// The flow schemas and priority levels that must always be there: nothing can lock the server's owners out, and no
// request is without a level. Requirements: document 1, "Flow control".

import type { FlowSchemaSpec } from "./flow-schema-spec.ts";
import type { PriorityLevelConfigurationSpec } from "./priority-level-spec.ts";

export const EXEMPT = "exempt";
export const CATCH_ALL = "catch-all";

const ANYTHING = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const groups = (...names: string[]) => names.map((name) => ({ kind: "Group", group: { name } }));

export const MANDATORY_SCHEMAS: ReadonlyMap<string, FlowSchemaSpec> = new Map<string, FlowSchemaSpec>([
  [
    EXEMPT,
    {
      priorityLevelConfiguration: { name: EXEMPT },
      matchingPrecedence: 1,
      rules: [{ subjects: groups("system:masters"), ...ANYTHING }],
    },
  ],
  [
    CATCH_ALL,
    {
      priorityLevelConfiguration: { name: CATCH_ALL },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: groups("system:unauthenticated", "system:authenticated"), ...ANYTHING }],
    },
  ],
]);

export const CATCH_ALL_LEVEL: PriorityLevelConfigurationSpec = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
};
