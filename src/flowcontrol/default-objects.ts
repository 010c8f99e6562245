// The FlowSchemas and PriorityLevelConfigurations that every cluster has. The mandatory ones are what flow control cannot
// do without; the suggested ones may be changed by whoever takes them over.

import type { FlowSchemaSpec } from "../kinds/flowcontrol/flow-schema-spec.ts";
import { CATCH_ALL, CATCH_ALL_LEVEL, EXEMPT, MANDATORY_SCHEMAS } from "../kinds/flowcontrol/mandatory.ts";
import type { PriorityLevelConfigurationSpec } from "../kinds/flowcontrol/priority-level-spec.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { SERVICE_ACCOUNTS_GROUP } from "../meta/service-account-user.ts";
import { AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from "../meta/user.ts";

export interface DefaultObject {
  readonly mandatory: boolean;
  readonly object: ApiObject;
}

interface DefaultObjects {
  readonly flowschemas: readonly DefaultObject[];
  readonly prioritylevelconfigurations: readonly DefaultObject[];
}

export function defaultFlowObjects(names: Names): DefaultObjects {
  const make = (kind: string, specs: ReadonlyMap<string, object>, mandatory: boolean): DefaultObject[] =>
    [...specs].map(([name, spec]) => ({
      mandatory,
      object: {
        apiVersion: `${names.group("flowcontrol.apiserver")}/v1`,
        kind,
        metadata: { name, annotations: { [names.flowControlAutoupdateAnnotation]: "true" } },
        spec,
      } as unknown as ApiObject,
    }));
  return {
    prioritylevelconfigurations: [
      ...make("PriorityLevelConfiguration", MANDATORY_LEVELS, true),
      ...make("PriorityLevelConfiguration", SUGGESTED_LEVELS, false),
    ],
    flowschemas: [
      ...make("FlowSchema", MANDATORY_SCHEMAS, true),
      ...make("FlowSchema", suggestedSchemas(names), false),
    ],
  };
}

const MANDATORY_LEVELS: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  [EXEMPT, { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [CATCH_ALL, CATCH_ALL_LEVEL],
]);

const SUGGESTED_LEVELS: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ["system", queuing({ shares: 30, lendablePercent: 33, queues: 64, handSize: 6 })],
  ["node-high", queuing({ shares: 40, lendablePercent: 25, queues: 64, handSize: 6 })],
  ["leader-election", queuing({ shares: 10, lendablePercent: 0, queues: 16, handSize: 4 })],
  ["workload-high", queuing({ shares: 40, lendablePercent: 50, queues: 128, handSize: 6 })],
  ["workload-low", queuing({ shares: 100, lendablePercent: 90, queues: 128, handSize: 6 })],
  ["global-default", queuing({ shares: 20, lendablePercent: 50, queues: 128, handSize: 6 })],
]);

interface LevelNumbers {
  readonly shares: number;
  readonly lendablePercent: number;
  readonly queues: number;
  readonly handSize: number;
}

function queuing({ shares, lendablePercent, queues, handSize }: LevelNumbers): PriorityLevelConfigurationSpec {
  return {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
      lendablePercent,
    },
  };
}

type Rules = NonNullable<FlowSchemaSpec["rules"]>[number];
type Subjects = NonNullable<Rules["subjects"]>;

const group = (...list: string[]): Subjects => list.map((name) => ({ kind: "Group", group: { name } }));
const user = (...list: string[]): Subjects => list.map((name) => ({ kind: "User", user: { name } }));
const anything: Pick<Rules, "resourceRules" | "nonResourceRules"> = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const CONTROLLER_MANAGER = "kube-controller-manager";
const SCHEDULER = "kube-scheduler";
const NODES_GROUP = "system:nodes";

function suggestedSchemas(names: Names): ReadonlyMap<string, FlowSchemaSpec> {
  const everybody = group(UNAUTHENTICATED_GROUP, AUTHENTICATED_GROUP);
  const systemAccounts: Subjects = [
    { kind: "ServiceAccount", serviceAccount: { namespace: names.systemNamespace, name: "*" } },
  ];
  const leases = (verbs: string[]) => ({
    verbs,
    apiGroups: [names.group("coordination")],
    resources: ["leases"],
    namespaces: ["*"],
  });
  const schema = (level: string, matchingPrecedence: number, by: "ByUser" | "ByNamespace", rule: Rules) => ({
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    distinguisherMethod: { type: by },
    rules: [rule],
  });
  return new Map<string, FlowSchemaSpec>([
    [
      "probes",
      {
        priorityLevelConfiguration: { name: EXEMPT },
        matchingPrecedence: 2,
        rules: [
          {
            subjects: everybody,
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
          },
        ],
      },
    ],
    [
      "system-leader-election",
      schema("leader-election", 100, "ByUser", {
        subjects: [...user(`system:${CONTROLLER_MANAGER}`, `system:${SCHEDULER}`), ...systemAccounts],
        resourceRules: [leases(["get", "create", "update"])],
      }),
    ],
    [
      "system-node-high",
      schema("node-high", 400, "ByUser", {
        subjects: group(NODES_GROUP),
        resourceRules: [
          {
            verbs: ["*"],
            apiGroups: [""],
            resources: ["nodes", "nodes/status"],
            clusterScope: true,
            namespaces: ["*"],
          },
          leases(["*"]),
        ],
      }),
    ],
    ["system-nodes", schema("system", 500, "ByUser", { subjects: group(NODES_GROUP), ...anything })],
    ...[CONTROLLER_MANAGER, SCHEDULER].map((name): [string, FlowSchemaSpec] => [
      name,
      schema("workload-high", 800, "ByNamespace", { subjects: user(`system:${name}`), ...anything }),
    ]),
    [
      `${names.systemNamespace}-service-accounts`,
      schema("workload-high", 900, "ByNamespace", { subjects: systemAccounts, ...anything }),
    ],
    [
      "service-accounts",
      schema("workload-low", 9000, "ByUser", { subjects: group(SERVICE_ACCOUNTS_GROUP), ...anything }),
    ],
    ["global-default", schema("global-default", 9900, "ByUser", { subjects: everybody, ...anything })],
  ]);
}
