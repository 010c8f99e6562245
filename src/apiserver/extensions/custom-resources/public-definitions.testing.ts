// Reduced forms, written for these tests, of definitions that many clusters have: the features that each of them leans on.

export interface PublicDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly kind: string; readonly [key: string]: unknown };
    readonly scope?: string;
    readonly versions: readonly Record<string, unknown>[];
  };
  /** Without type and metadata. */
  readonly good: Record<string, unknown>;
  /** What must be there after defaulting. */
  readonly becomes: Record<string, unknown>;
  readonly bad: readonly (readonly [object: Record<string, unknown>, message: RegExp])[];
}

const text = { type: "string" };
const integer = { type: "integer" };
const flag = { type: "boolean" };
const duration = {
  type: "string",
  pattern: "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
};
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: unknown, more: Record<string, unknown> = {}) => ({ type: "array", items, ...more });
const map = (values: unknown, more: Record<string, unknown> = {}) => ({
  type: "object",
  additionalProperties: values,
  ...more,
});
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const rule = (text: string, message?: string, more: Record<string, unknown> = {}) => ({
  rule: text,
  ...(message === undefined ? {} : { message }),
  ...more,
});
const conditions = list(
  object(
    {
      type: text,
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: text,
      message: text,
      lastTransitionTime: { type: "string", format: "date-time" },
    },
    { required: ["type", "status"] },
  ),
  { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
);
const version = (name: string, spec: unknown, more: Record<string, unknown> = {}) => ({
  name,
  served: true,
  storage: true,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: object(
      {
        apiVersion: text,
        kind: text,
        metadata: { type: "object" },
        spec,
        status: object({ conditions, replicas: integer, selector: text }),
      },
      { required: ["spec"] },
    ),
  },
  ...more,
});

export const PUBLIC_DEFINITIONS: readonly PublicDefinition[] = [
  {
    spec: {
      group: "certs.example.com",
      names: { plural: "certificates", kind: "Certificate", shortNames: ["cert", "certs"], categories: ["certs"] },
      versions: [
        version(
          "v1",
          object(
            {
              secretName: text,
              duration: text,
              dnsNames: list(text),
              usages: list({ type: "string", enum: ["signing", "digital signature", "server auth", "client auth"] }),
              issuerRef: object(
                { name: text, kind: { type: "string", default: "Issuer" }, group: text },
                { required: ["name"] },
              ),
              privateKey: object({
                algorithm: { type: "string", enum: ["RSA", "ECDSA", "Ed25519"] },
                size: integer,
                rotationPolicy: { type: "string", enum: ["Never", "Always"], default: "Always" },
              }),
            },
            { required: ["issuerRef", "secretName"] },
          ),
          {
            additionalPrinterColumns: [
              { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: "Secret", type: "string", jsonPath: ".spec.secretName" },
            ],
          },
        ),
      ],
    },
    good: {
      spec: {
        secretName: "tls",
        issuerRef: { name: "ca" },
        dnsNames: ["a.example.com"],
        usages: ["server auth"],
        privateKey: {},
      },
    },
    becomes: { spec: { issuerRef: { name: "ca", kind: "Issuer" }, privateKey: { rotationPolicy: "Always" } } },
    bad: [
      [{ spec: { issuerRef: { name: "ca" } } }, /spec.secretName: Required value/],
      [
        { spec: { secretName: "s", issuerRef: { name: "ca" }, usages: ["bogus"] } },
        /spec.usages\[0\]: Unsupported value: "bogus"/,
      ],
    ],
  },
  {
    spec: {
      group: "gateway.example.com",
      names: { plural: "gateways", kind: "Gateway", shortNames: ["gtw"] },
      versions: [
        version(
          "v1",
          object(
            {
              gatewayClassName: { type: "string", minLength: 1, maxLength: 253 },
              listeners: list(
                object(
                  {
                    name: { type: "string", minLength: 1, maxLength: 253 },
                    hostname: { type: "string", maxLength: 253 },
                    port: { type: "integer", format: "int32", minimum: 1, maximum: 65535 },
                    protocol: { type: "string", maxLength: 255 },
                    tls: object(
                      {
                        mode: { type: "string", enum: ["Terminate", "Passthrough"], default: "Terminate" },
                        certificateRefs: list(object({ name: text }, { required: ["name"] }), { maxItems: 64 }),
                      },
                      {
                        "x-kubernetes-validations": [
                          rule(
                            "self.mode == 'Terminate' ? size(self.certificateRefs) > 0 : true",
                            "certificateRefs must be specified when mode is Terminate",
                          ),
                        ],
                      },
                    ),
                  },
                  { required: ["name", "port", "protocol"] },
                ),
                {
                  minItems: 1,
                  maxItems: 64,
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"],
                  "x-kubernetes-validations": [
                    rule(
                      "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
                      "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
                    ),
                    rule(
                      "self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))",
                      "Combination of port, protocol and hostname must be unique for each listener",
                    ),
                  ],
                },
              ),
            },
            { required: ["gatewayClassName", "listeners"] },
          ),
        ),
      ],
    },
    good: {
      spec: {
        gatewayClassName: "x",
        listeners: [{ name: "a", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "c" }] } }],
      },
    },
    becomes: { spec: { listeners: [{ name: "a", tls: { mode: "Terminate" } }] } },
    bad: [
      [{ spec: { gatewayClassName: "x", listeners: [] } }, /spec.listeners in body should have at least 1 items/],
      [
        {
          spec: {
            gatewayClassName: "x",
            listeners: [{ name: "a", port: 80, protocol: "HTTP", tls: { certificateRefs: [{ name: "c" }] } }],
          },
        },
        /tls must not be specified for protocols/,
      ],
      [
        {
          spec: {
            gatewayClassName: "x",
            listeners: [
              { name: "a", port: 80, protocol: "HTTP" },
              { name: "b", port: 80, protocol: "HTTP" },
            ],
          },
        },
        /must be unique for each listener/,
      ],
      [
        {
          spec: {
            gatewayClassName: "x",
            listeners: [
              { name: "a", port: 80, protocol: "HTTP" },
              { name: "a", port: 81, protocol: "HTTP" },
            ],
          },
        },
        /spec.listeners\[1\]: Duplicate value: \{"name":"a"\}/,
      ],
    ],
  },
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
        /spec.minReplicaCount: Invalid value: minReplicaCount must not be above maxReplicaCount/,
      ],
      [
        { spec: { scaleTargetRef: { name: "web" }, triggers: [{ type: "cpu", metadata: { value: 50 } }] } },
        /triggers\[0\].metadata.value in body must be of type string: "integer"/,
      ],
    ],
  },
  {
    spec: {
      group: "monitoring.example.com",
      names: { plural: "servicemonitors", kind: "ServiceMonitor", shortNames: ["smon"] },
      versions: [
        version(
          "v1",
          object(
            {
              selector: object(
                {
                  matchLabels: map(text),
                  matchExpressions: list(
                    object(
                      { key: text, operator: text, values: list(text, { "x-kubernetes-list-type": "atomic" }) },
                      { required: ["key", "operator"] },
                    ),
                    { "x-kubernetes-list-type": "atomic" },
                  ),
                },
                { "x-kubernetes-map-type": "atomic" },
              ),
              endpoints: list(
                object({
                  port: text,
                  interval: duration,
                  targetPort: { "x-kubernetes-int-or-string": true },
                  scheme: { type: "string", enum: ["http", "https"] },
                }),
              ),
              jobLabel: text,
            },
            { required: ["endpoints", "selector"] },
          ),
        ),
      ],
    },
    good: {
      spec: {
        selector: { matchLabels: { app: "x" } },
        endpoints: [{ port: "web", interval: "30s", targetPort: 80, bogus: 1 }],
      },
    },
    becomes: { spec: { endpoints: [{ port: "web", interval: "30s", targetPort: 80 }] } },
    bad: [
      [
        { spec: { selector: {}, endpoints: [{ interval: "soon" }] } },
        /spec.endpoints\[0\].interval in body should match/,
      ],
      [{ spec: { selector: {} } }, /spec.endpoints: Required value/],
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
      group: "mesh.example.com",
      names: { plural: "virtualservices", kind: "VirtualService", shortNames: ["vs"] },
      versions: [
        version(
          "v1",
          object({
            hosts: list({ type: "string", maxLength: 253 }, { maxItems: 50 }),
            http: list(
              object({
                match: list(
                  object({
                    uri: object(
                      { exact: text, prefix: text, regex: text },
                      {
                        oneOf: [
                          {
                            not: {
                              anyOf: [{ required: ["exact"] }, { required: ["prefix"] }, { required: ["regex"] }],
                            },
                          },
                          { required: ["exact"] },
                          { required: ["prefix"] },
                          { required: ["regex"] },
                        ],
                      },
                    ),
                  }),
                ),
                weight: { type: "integer", format: "int32" },
              }),
            ),
          }),
        ),
      ],
    },
    good: { spec: { hosts: ["a"], http: [{ match: [{ uri: { prefix: "/" } }, { uri: {} }] }] } },
    becomes: { spec: { hosts: ["a"] } },
    bad: [
      [
        { spec: { http: [{ match: [{ uri: { prefix: "/", exact: "/a" } }] }] } },
        /must validate one and only one schema \(oneOf\)/,
      ],
    ],
  },
  {
    spec: {
      group: "streams.example.com",
      names: { plural: "kafkatopics", kind: "KafkaTopic" },
      versions: [
        version(
          "v1beta2",
          object({
            partitions: { type: "integer", minimum: 1 },
            replicas: { type: "integer", minimum: 1, maximum: 32767 },
            config: open,
          }),
          { additionalPrinterColumns: [{ name: "Partitions", type: "integer", jsonPath: ".spec.partitions" }] },
        ),
        version("v1beta1", object({ partitions: integer, replicas: integer, config: open }), {
          storage: false,
          deprecated: true,
        }),
      ],
    },
    good: { spec: { partitions: 3, replicas: 2, config: { "retention.ms": 7200000 } } },
    becomes: { spec: { config: { "retention.ms": 7200000 } } },
    bad: [[{ spec: { partitions: 0 } }, /spec.partitions in body should be greater than or equal to 1/]],
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
  {
    spec: {
      group: "policies.example.com",
      scope: "Cluster",
      names: { plural: "clusterpolicies", kind: "ClusterPolicy", shortNames: ["cpol"] },
      versions: [
        version(
          "v1",
          object({
            rules: list(
              object(
                {
                  name: { type: "string", maxLength: 63 },
                  resource: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  priority: { type: "integer", default: 10 },
                },
                { required: ["name"] },
              ),
              {
                maxItems: 100,
                "x-kubernetes-validations": [
                  rule("self.map(r, r.priority).isSorted()", undefined, {
                    messageExpression: "'priorities are not sorted: ' + self.map(r, r.name).join(', ')",
                  }),
                ],
              },
            ),
            mode: {
              type: "string",
              enum: ["Audit", "Enforce"],
              default: "Audit",
              "x-kubernetes-validations": [rule("!(oldSelf == 'Enforce' && self == 'Audit')", "enforcement stays")],
            },
          }),
        ),
      ],
    },
    good: {
      spec: {
        rules: [{ name: "a", resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { y: 1 } } }],
      },
    },
    becomes: { spec: { mode: "Audit", rules: [{ priority: 10, resource: { spec: { y: 1 } } }] } },
    bad: [
      [
        { spec: { rules: [{ name: "a", resource: { kind: "Pod" } }] } },
        /spec.rules\[0\].resource.apiVersion: Required value/,
      ],
      [
        {
          spec: {
            rules: [
              { name: "a", priority: 5 },
              { name: "b", priority: 1 },
            ],
          },
        },
        /priorities are not sorted: a, b/,
      ],
    ],
  },
];
