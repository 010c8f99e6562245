// Flags: what the API server listens on, speaks, and how it starts and stops.

import { boolFlag, choiceFlag, integerFlag, listFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import { cidrElementProblem, durationFlag, ipFlag, MAX_PORT, portRangeFlag } from "../meta/flag-values.ts";
import { DIALECTS } from "../meta/names.ts";

export const servingFlags = {
  dialect: choiceFlag({
    default: "platform",
    choices: DIALECTS,
    doc: "The names that the API uses for groups, labels and namespaces.",
  }),
  bindAddress: ipFlag({ default: "127.0.0.1", doc: "The address to listen on; 0.0.0.0 or :: for all." }),
  securePort: integerFlag({ default: 6443, min: 0, max: MAX_PORT, doc: "The HTTPS port; 0 picks a free one." }),
  workers: integerFlag({
    default: undefined,
    min: 0,
    max: 1024,
    doc: "How many processes serve; 0 is one per core. One when not set and there are fewer than four cores, else one less than cores.",
  }),
  advertiseAddress: ipFlag({
    default: undefined,
    doc: "The address under which others reach this server; the bind address when not set.",
  }),
  externalHostname: textFlag({
    default: undefined,
    doc: "A further host name for the generated certificate and the kubeconfig.",
  }),
  certDir: pathFlag({
    default: undefined,
    doc: "The folder of generated certificates and keys; <data-dir>/pki when not set.",
  }),
  tlsCertFile: pathFlag({
    default: undefined,
    doc: "PEM file with the serving certificate and its intermediates. Read again when it changes.",
  }),
  tlsPrivateKeyFile: pathFlag({ default: undefined, doc: "PEM file with the key of --tls-cert-file." }),
  tlsMinVersion: choiceFlag({
    default: "VersionTLS12",
    choices: ["VersionTLS12", "VersionTLS13"],
    doc: "The oldest TLS version that is spoken.",
  }),
  tlsCipherSuites: listFlag({ doc: "OpenSSL names of the cipher suites for TLS 1.2; Node's when not set." }),
  requestTimeoutMs: durationFlag({
    default: "1m0s",
    min: "1ms",
    doc: "How long a request other than a watch may take.",
  }),
  minRequestTimeoutSeconds: integerFlag({
    default: 1800,
    doc: "Watches without a timeout of their own end after this many seconds or up to twice as many.",
  }),
  enablePriorityAndFairness: boolFlag({
    default: true,
    doc: "Give requests seats by priority levels and in fair turns; otherwise two plain limits hold.",
  }),
  maxRequestsInflight: integerFlag({
    default: 400,
    doc: "Seats for requests, together with those of writing requests; the limit of reading ones (0 for none) without priority and fairness.",
  }),
  maxMutatingRequestsInflight: integerFlag({
    default: 200,
    doc: "Further seats for requests; the limit of writing ones (0 for none) without priority and fairness.",
  }),
  livezGracePeriodMs: durationFlag({
    default: "0s",
    doc: "How long after its start /livez counts unfinished start hooks as healthy.",
  }),
  shutdownDelayDurationMs: durationFlag({
    default: "0s",
    doc: "How long to go on serving after SIGTERM, with /readyz failing, before draining.",
  }),
  serviceClusterIpRange: listFlag({
    default: ["10.0.0.0/24"],
    maxLength: 2,
    replaces: true,
    problem: cidrElementProblem,
    placeholder: "CIDR[,CIDR]",
    doc: "The network of Service addresses; two of different families for dual stack.",
  }),
  serviceNodePortRange: portRangeFlag({
    default: { first: 30_000, last: 32_767 },
    doc: "The ports of NodePort Services.",
  }),
} as const;

export const processFlags = {
  profiling: boolFlag({ default: true, doc: "Serve profiles below /debug/pprof/." }),
  showHiddenMetricsForVersion: textFlag({
    default: undefined,
    placeholder: "X.Y",
    doc: "Show the metrics that this release hides; takes the previous minor release only.",
  }),
  v: integerFlag({
    default: 0,
    min: 0,
    max: 10,
    short: "v",
    doc: "How much is logged: 4 for debugging, 6 for everything.",
  }),
} as const;
