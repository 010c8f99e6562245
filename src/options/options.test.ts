import { describe, expect, it } from "vitest";
import { UsageError } from "../base/start-error.ts";
import { parseApiServerOptions } from "./api-server-options.ts";
import { serverGates } from "./feature-gate-table.ts";

const failure = (...args: string[]) => {
  try {
    parseApiServerOptions(args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no failure";
};

describe("the flags of the API server", () => {
  it("have upstream's defaults where upstream has the flag", () => {
    expect(parseApiServerOptions([])).toMatchObject({
      securePort: 6443,
      bindAddress: "127.0.0.1",
      requestTimeoutMs: 60_000,
      maxRequestsInflight: 400,
      maxMutatingRequestsInflight: 200,
      eventTtlMs: 3_600_000,
      watchHistoryWindowMs: 300_000,
      listSnapshotRetentionMs: 75_000,
      authenticationTokenWebhookVersion: "v1beta1",
      authenticationTokenWebhookCacheTtlMs: 120_000,
      authorizationWebhookCacheAuthorizedTtlMs: 300_000,
      serviceNodePortRange: { first: 30_000, last: 32_767 },
      oidcSigningAlgs: ["RS256"],
      oidcUsernameClaim: "sub",
      serviceAccountLookup: true,
    });
  });

  it.each([
    [["--service-node-port-range=31000-31019"], { serviceNodePortRange: { first: 31_000, last: 31_019 } }],
    [["--service-node-port-range=31000+9"], { serviceNodePortRange: { first: 31_000, last: 31_009 } }],
    [["--service-cluster-ip-range=10.96.0.0/16,fd00::/108"], { serviceClusterIpRange: ["10.96.0.0/16", "fd00::/108"] }],
    [
      ["--oidc-issuer-url=https://i", "--oidc-client-id=c", "--oidc-required-claim=a=b", "--oidc-required-claim=c=d"],
      {
        oidcRequiredClaim: new Map([
          ["a", "b"],
          ["c", "d"],
        ]),
      },
    ],
    [["--authorization-mode=Node,RBAC"], { authorizationMode: ["Node", "RBAC"] }],
    [["--shutdown-delay-duration=4s"], { shutdownDelayDurationMs: 4_000 }],
    [["--show-hidden-metrics-for-version=1.33"], { showHiddenMetricsForVersion: "1.33" }],
    [["--show-hidden-metrics-for-version="], { showHiddenMetricsForVersion: "" }],
    [["--authentication-config=f", "--anonymous-auth"], { authenticationConfig: "f", anonymousAuth: true }],
    [["--service-account-max-token-expiration=2h"], { serviceAccountMaxTokenExpirationMs: 7_200_000 }],
  ])("%j", (args, expected) => {
    expect(parseApiServerOptions(args)).toMatchObject(expected);
  });

  it.each([
    [
      ["--authentication-config=f", "--oidc-username-prefix=-"],
      /--authentication-config and --oidc-username-prefix exclude each other/,
    ],
    [["--oidc-issuer-url=https://i"], /--oidc-issuer-url needs both --oidc-issuer-url and --oidc-client-id/],
    [["--oidc-groups-claim=g"], /--oidc-groups-claim needs both/],
    [
      ["--oidc-issuer-url=http://i", "--oidc-client-id=c"],
      /--oidc-issuer-url: "http:\/\/i" is not a URL that begins with https/,
    ],
    [
      ["--oidc-issuer-url=https://i", "--oidc-client-id=c", "--oidc-signing-algs=HS256"],
      /--oidc-signing-algs: "HS256" is not one of RS256/,
    ],
    [
      ["--oidc-issuer-url=https://i", "--oidc-client-id=c", "--service-account-issuer=https://i"],
      /--oidc-issuer-url must differ/,
    ],
    [
      ["--authorization-config=f", "--authorization-mode=RBAC"],
      /--authorization-config and --authorization-mode exclude/,
    ],
    [
      ["--authorization-config=f", "--authorization-webhook-version=v1"],
      /--authorization-config and --authorization-webhook-version exclude/,
    ],
    [["--authorization-mode=ABAC"], /ABAC needs --authorization-policy-file/],
    [["--authorization-mode=Webhook"], /Webhook needs --authorization-webhook-config-file/],
    [["--authorization-policy-file=f"], /--authorization-policy-file needs ABAC in --authorization-mode/],
    [["--authorization-mode=RBAC,RBAC"], /RBAC is given twice/],
    [["--authorization-mode=Rbac"], /"Rbac" is not one of AlwaysAllow/],
    [["--authorization-mode="], /--authorization-mode is empty/],
    [["--authentication-token-webhook-version=v2"], /"v2" is not one of v1beta1, v1/],
    [["--requestheader-username-headers=X"], /needs --requestheader-client-ca-file/],
    [["--requestheader-client-ca-file=f"], /needs --requestheader-username-headers/],
    [
      ["--requestheader-client-ca-file=f", "--requestheader-username-headers= "],
      /--requestheader-username-headers is empty/,
    ],
    [["--service-account-issuer=https://i", "--service-account-issuer=https://i"], /given twice/],
    [["--service-account-issuer=a:b"], /not a URL/],
    [["--service-account-jwks-uri=https://k"], /needs --service-account-issuer/],
    [["--service-account-max-token-expiration=1m"], /between 1 hour/],
    [["--tls-cert-file=f"], /--tls-cert-file needs --tls-private-key-file/],
    [["--etcd-keyfile=f"], /--etcd-keyfile needs --etcd-certfile/],
    [["--etcd-servers=localhost:2379"], /"localhost:2379" is not a URL/],
    [["--service-cluster-ip-range=10.0.0.0/16,10.1.0.0/16"], /one of IPv4 and one of IPv6/],
    [["--service-cluster-ip-range=10.0.0.0"], /not a network/],
    [["--service-node-port-range=5-1"], /not a range of ports/],
    [["--service-node-port-range=0-100"], /not a range of ports/],
    [["--bind-address=localhost"], /not an IP address/],
    [["--request-timeout=soon"], /not a duration/],
    [["--enable-admission-plugins=Nope"], /"Nope" is not an admission plug-in/],
    [
      ["--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=NodeRestriction"],
      /exclude each other for NodeRestriction/,
    ],
    [["--feature-gates=APIResponseCompression"], /missing bool value for feature gate APIResponseCompression/],
    [["--show-hidden-metrics-for-version=1.2"], /write 1\.33/],
    [["--coordinated-leadership-lease-duration=10s"], /each must be longer than the next/],
    [
      ["--coordinated-leadership-retry-period=9s"],
      /each must be longer than the next, the deadline by more than a fifth/,
    ],
    [["serve"], /unexpected argument "serve"/],
    [["--profiling", "false"], /unexpected argument "false"/],
  ])("refuse %j", (args, message) => {
    expect(failure(...args)).toMatch(message);
  });
});

describe("the feature gates of the API server", () => {
  it.each([
    ["CBORServingAndStorage", false],
    ["APIResponseCompression", true],
    ["WatchList", true],
    ["MutatingAdmissionPolicy", false],
    ["ConsistentListFromCache", true],
    ["KMSv1", false],
    ["InformerResourceVersion", false],
    ["InOrderInformers", true],
    ["WatchListClient", false],
    ["ContextualLogging", true],
  ] as const)("%s is %s by default", (gate, expected) => {
    expect(serverGates(new Map(), "platform").enabled(gate)).toBe(expected);
  });

  it("have one that upstream switches on and the documents do not", () => {
    const preferSame = (dialect: "platform" | "kubernetes") =>
      serverGates(new Map(), dialect).enabled("PreferSameTrafficDistribution");
    expect([preferSame("platform"), preferSame("kubernetes")]).toEqual([false, true]);
  });

  it("switch the takeover of declarative validation off with declarative validation", () => {
    const settings = new Map([
      ["DeclarativeValidation", "false"],
      ["DeclarativeValidationTakeover", "true"],
    ]);
    expect(serverGates(settings, "platform").enabled("DeclarativeValidationTakeover")).toBe(false);
  });
});
