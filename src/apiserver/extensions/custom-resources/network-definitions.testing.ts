// Reduced forms, written for these tests, of definitions that many clusters have: certificates, traffic, monitoring, policies.

import {
  duration,
  integer,
  list,
  map,
  object,
  open,
  type PublicDefinition,
  rule,
  text,
  version,
} from "./definition-parts.testing.ts";

export const NETWORK_DEFINITIONS: readonly PublicDefinition[] = [
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
                    messageExpression: "'the priorities of the rules are not sorted'",
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
        /the priorities of the rules are not sorted/,
      ],
    ],
  },
];
