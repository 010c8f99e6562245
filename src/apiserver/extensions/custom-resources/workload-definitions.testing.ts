// Reduced forms, written for these tests, of definitions that many clusters have: what runs, and how it is brought there.

import {
  flag,
  list,
  map,
  object,
  open,
  type PublicDefinition,
  rule,
  text,
  version,
} from "./definition-parts.testing.ts";

export const WORKLOAD_DEFINITIONS: readonly PublicDefinition[] = [
  {
    spec: {
      group: "rollouts.example.com",
      names: { plural: "rollouts", kind: "Rollout", shortNames: ["ro"] },
      versions: [
        version(
          "v1alpha1",
          object({
            replicas: { type: "integer", format: "int32" },
            selector: object({ matchLabels: map(text) }),
            template: open,
            strategy: object({
              canary: object({
                maxSurge: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
                steps: list(object({ setWeight: { type: "integer", minimum: 0, maximum: 100 }, pause: open })),
              }),
            }),
          }),
          {
            subresources: {
              status: {},
              scale: {
                specReplicasPath: ".spec.replicas",
                statusReplicasPath: ".status.replicas",
                labelSelectorPath: ".status.selector",
              },
            },
          },
        ),
      ],
    },
    good: {
      spec: {
        replicas: 3,
        template: { anything: { goes: [1] } },
        strategy: { canary: { maxSurge: "25%", steps: [{ setWeight: 20 }, { pause: { duration: "1h" } }] } },
      },
    },
    becomes: { spec: { template: { anything: { goes: [1] } }, strategy: { canary: { maxSurge: "25%" } } } },
    bad: [
      [{ spec: { strategy: { canary: { maxSurge: true } } } }, /spec.strategy.canary.maxSurge/],
      [
        { spec: { strategy: { canary: { steps: [{ setWeight: 101 }] } } } },
        /setWeight in body should be less than or equal to 100/,
      ],
      [{ spec: { replicas: -1 } }, /\.spec\.replicas: Invalid value: -1: should be a non-negative integer/],
    ],
  },
  {
    spec: {
      group: "scaling.example.com",
      names: { plural: "scaledobjects", kind: "ScaledObject", shortNames: ["so"] },
      versions: [
        version(
          "v1alpha1",
          object(
            {
              scaleTargetRef: object(
                { name: text, kind: { type: "string", default: "Deployment" } },
                { required: ["name"] },
              ),
              minReplicaCount: { type: "integer", format: "int32", minimum: 0, default: 0 },
              maxReplicaCount: { type: "integer", format: "int32", default: 100 },
              triggers: list(object({ type: text, metadata: map(text) }, { required: ["type", "metadata"] })),
            },
            {
              required: ["scaleTargetRef", "triggers"],
              "x-kubernetes-validations": [
                rule(
                  "self.minReplicaCount <= self.maxReplicaCount",
                  "minReplicaCount must not be above maxReplicaCount",
                  { fieldPath: ".minReplicaCount" },
                ),
              ],
            },
          ),
        ),
      ],
    },
    good: { spec: { scaleTargetRef: { name: "web" }, triggers: [{ type: "cpu", metadata: { value: "50" } }] } },
    becomes: { spec: { scaleTargetRef: { kind: "Deployment" }, minReplicaCount: 0, maxReplicaCount: 100 } },
    bad: [
      [
        { spec: { scaleTargetRef: { name: "web" }, triggers: [], minReplicaCount: 5, maxReplicaCount: 2 } },
        /spec.minReplicaCount: Invalid value: "object": minReplicaCount must not be above maxReplicaCount/,
      ],
      [
        { spec: { scaleTargetRef: { name: "web" }, triggers: [{ type: "cpu", metadata: { value: 50 } }] } },
        /triggers\[0\].metadata.value in body must be of type string: "integer"/,
      ],
    ],
  },
  {
    spec: {
      group: "postgres.example.com",
      names: { plural: "postgresclusters", kind: "PostgresCluster" },
      versions: [
        version(
          "v1beta1",
          object(
            {
              postgresVersion: {
                type: "integer",
                minimum: 11,
                maximum: 18,
                "x-kubernetes-validations": [rule("self >= oldSelf", "a major version is never lowered")],
              },
              instances: list(
                object(
                  {
                    name: { type: "string", pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$", default: "" },
                    replicas: { type: "integer", format: "int32", minimum: 1, default: 1 },
                    storage: {
                      "x-kubernetes-int-or-string": true,
                      anyOf: [{ type: "integer" }, { type: "string" }],
                      pattern: "^[0-9]+(Ki|Mi|Gi|Ti)?$",
                    },
                  },
                  { required: ["storage"] },
                ),
                { minItems: 1, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
              ),
              standby: object({ enabled: { type: "boolean", default: true }, host: text }),
            },
            { required: ["postgresVersion", "instances"] },
          ),
        ),
      ],
    },
    good: { spec: { postgresVersion: 16, instances: [{ storage: "1Gi" }], standby: {} } },
    becomes: { spec: { instances: [{ name: "", replicas: 1, storage: "1Gi" }], standby: { enabled: true } } },
    bad: [
      [
        { spec: { postgresVersion: 9, instances: [{ storage: "1Gi" }] } },
        /spec.postgresVersion in body should be greater than or equal to 11/,
      ],
      [{ spec: { postgresVersion: 16, instances: [{ storage: "1Gi" }, { storage: "2Gi" }] } }, /Duplicate value/],
    ],
  },
  {
    spec: {
      group: "apps.example.com",
      names: { plural: "applications", kind: "Application", shortNames: ["app", "apps"] },
      versions: [
        version(
          "v1alpha1",
          object(
            {
              project: text,
              source: object(
                {
                  repoURL: text,
                  targetRevision: text,
                  helm: object({
                    values: text,
                    parameters: list(object({ name: text, value: text, forceString: flag })),
                  }),
                },
                { required: ["repoURL"] },
              ),
              destination: object({ server: text, name: text, namespace: text }),
              syncPolicy: object({
                automated: object({ prune: flag, selfHeal: flag }),
                retry: object({ limit: { type: "integer", format: "int64" } }),
              }),
            },
            {
              required: ["project", "destination"],
              "x-kubernetes-validations": [
                rule(
                  "!(has(self.destination.server) && has(self.destination.name))",
                  "a destination has a server or a name",
                  { reason: "FieldValueForbidden", fieldPath: ".destination" },
                ),
              ],
            },
          ),
        ),
      ],
    },
    good: {
      metadata: { finalizers: ["resources-finalizer.apps.example.com"] },
      spec: { project: "default", destination: { server: "https://x" }, source: { repoURL: "https://y" } },
    },
    becomes: { spec: { project: "default" } },
    bad: [
      [
        { spec: { project: "p", destination: { server: "s", name: "n" } } },
        /spec.destination: Forbidden: a destination has a server or a name/,
      ],
    ],
  },
  {
    spec: {
      group: "pipelines.example.com",
      names: { plural: "pipelineruns", kind: "PipelineRun", shortNames: ["pr"], categories: ["pipelines"] },
      versions: [
        version(
          "v1",
          object({
            pipelineRef: object({ name: text }),
            params: list(
              object(
                { name: text, value: { "x-kubernetes-preserve-unknown-fields": true } },
                { required: ["name", "value"] },
              ),
              { "x-kubernetes-list-type": "atomic" },
            ),
            timeouts: object({ pipeline: text }),
            pipelineSpec: open,
          }),
        ),
      ],
    },
    good: {
      spec: {
        params: [
          { name: "a", value: "text" },
          { name: "b", value: ["list"] },
          { name: "c", value: { k: 1 } },
        ],
      },
    },
    becomes: { spec: { params: [{ value: "text" }, { value: ["list"] }, { value: { k: 1 } }] } },
    bad: [[{ spec: { params: [{ name: "a" }] } }, /spec.params\[0\].value: Required value/]],
  },
  {
    spec: {
      group: "backups.example.com",
      names: { plural: "schedules", kind: "Schedule" },
      versions: [
        version(
          "v1",
          object(
            {
              schedule: { type: "string", minLength: 1 },
              template: object({
                ttl: { type: "string", format: "duration" },
                includedNamespaces: list(text, { nullable: true }),
                labelSelector: { ...object({ matchLabels: map(text) }), nullable: true },
              }),
              paused: flag,
            },
            { required: ["schedule", "template"] },
          ),
        ),
      ],
    },
    good: {
      spec: { schedule: "0 1 * * *", template: { ttl: "720h0m0s", includedNamespaces: null, labelSelector: null } },
    },
    becomes: { spec: { template: { includedNamespaces: null, labelSelector: null } } },
    bad: [
      [
        { spec: { schedule: "x", template: { ttl: "long" } } },
        /spec.template.ttl in body must be of type duration: "long"/,
      ],
    ],
  },
];
