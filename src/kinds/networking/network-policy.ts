// NetworkPolicy: who may talk to which pods.

import { append } from "../../base/append.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { portNameProblems, portNumberProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateLabelSelectorInSteps } from "../meta/selector-validation.ts";
import { cidrWarnings, isStrictSubset, readCidr, validateLegacyCidr } from "./ip-fields.ts";

export type NetworkPolicy = ObjectOf<typeof networkPolicySchema>;

const networkPolicySchema = objectSchema("networking.v1.NetworkPolicy", "Who may talk to which pods.", () => ({
  spec: opt.of(networkPolicySpec, 2, "The pods concerned and the traffic they may have."),
}));

export const networkPolicy = defineKind({
  group: "networking",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  scope: "Namespaced",
  judgedInSteps: true,
  shortNames: ["netpol"],
  schema: networkPolicySchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Pod-Selector", type: "string", cell: (policy) => selectorCell(policy.spec.podSelector) },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        for (const port of rule.ports ?? []) port.protocol ??= "TCP";
      if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
    },
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicyUpdate,
    warn: warnAboutNetworkPolicy,
  },
});

const networkPolicySpec = s.struct("networking.v1.NetworkPolicySpec", "Which pods, and who may talk to them.", () => ({
  podSelector: shown.of(
    labelSelector,
    1,
    "Pods of this namespace that the policy isolates; an empty selector takes all of them.",
  ),
  ingress: opt.atomic(
    networkPolicyIngressRule,
    2,
    "Traffic that may come in to the selected pods. With type Ingress and no rule here, none may.",
  ),
  egress: opt.atomic(
    networkPolicyEgressRule,
    3,
    "Traffic that the selected pods may send. With type Egress and no rule here, none may be sent.",
  ),
  policyTypes: opt.atomic(
    s.enumValue(["Egress", "Ingress"]),
    4,
    "Directions the policy governs. When not set: Ingress, and Egress as well if there are egress rules.",
    { alias: "PolicyType" },
  ),
}));

const networkPolicyIngressRule = s.struct(
  "networking.v1.NetworkPolicyIngressRule",
  "Lets in traffic that matches one of the ports and one of the senders.",
  () => ({
    ports: opt.atomic(networkPolicyPort, 1, "Ports of the selected pods that may be reached; when empty, all."),
    from: opt.atomic(networkPolicyPeer, 2, "Who may send; when empty, everyone."),
  }),
);

type NetworkPolicyPort = ObjectOf<typeof networkPolicyPort>;

const networkPolicyPort = s.struct(
  "networking.v1.NetworkPolicyPort",
  "A port, or a range of ports, of one protocol.",
  () => ({
    protocol: ptr.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 1, "TCP (the default), UDP or SCTP."),
    port: ptr.intOrString(
      2,
      "Number of a port, or the name of a port of the pods. When not set, all ports of the protocol.",
    ),
    endPort: ptr.int32(3, "Last port of a range that starts at port, which must then be a number and not greater."),
  }),
);

type NetworkPolicyPeer = ObjectOf<typeof networkPolicyPeer>;

const networkPolicyPeer = s.struct(
  "networking.v1.NetworkPolicyPeer",
  "The other end of a connection: pods found by labels, or a block of addresses.",
  () => ({
    podSelector: ptr.of(
      labelSelector,
      1,
      "Pods by their labels, in the namespaces of namespaceSelector; without that, in the namespace of the policy.",
    ),
    namespaceSelector: ptr.of(
      labelSelector,
      2,
      "Namespaces by their labels, empty for all. Without podSelector every pod in them is meant.",
    ),
    ipBlock: ptr.of(ipBlock, 3, "A range of addresses; excludes both selectors."),
  }),
);

type IPBlock = ObjectOf<typeof ipBlock>;

const ipBlock = s.struct("networking.v1.IPBlock", "A range of addresses with parts left out.", () => ({
  cidr: s.string(1, "The range, such as 192.168.1.0/24 or 2001:db8::/64."),
  except: opt.atomic("string", 2, "Ranges inside cidr that do not belong to the block."),
}));

const networkPolicyEgressRule = s.struct(
  "networking.v1.NetworkPolicyEgressRule",
  "Lets out traffic that matches one of the ports and one of the receivers.",
  () => ({
    ports: opt.atomic(networkPolicyPort, 1, "Ports of the receivers that may be reached; when empty, all."),
    to: opt.atomic(networkPolicyPeer, 2, "Who may be reached; when empty, everyone."),
  }),
);

const MAX_POLICY_TYPES = 2;
const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const POLICY_TYPES = ["Ingress", "Egress"];

/** So many rules, peers, ports and parts of them are judged in one step. */
const JUDGED_PER_STEP = 250;

function validateNetworkPolicy(policy: NetworkPolicy, context: HookContext): Steps<FieldError[]> {
  return validateSpec(policy, context, new Set());
}

function* validateNetworkPolicyUpdate(
  policy: NetworkPolicy,
  old: NetworkPolicy,
  context: HookContext,
): Steps<FieldError[]> {
  const known = new Set<string>();
  const pace = new Pace(JUDGED_PER_STEP);
  for (const { peers } of rulesOf(old)) {
    if (pace.due()) yield;
    for (const { ipBlock } of peers) {
      if (pace.due()) yield;
      if (!ipBlock) continue;
      known.add(ipBlock.cidr);
      for (const inner of ipBlock.except ?? []) known.add(inner);
    }
  }
  yield;
  const errors = yield* validateSpec(policy, context, known);
  // Upstream judges an update as an object and as a change: what is wrong stands there twice.
  return [...errors, ...errors];
}

function* warnAboutNetworkPolicy(
  policy: NetworkPolicy,
  _old: NetworkPolicy | undefined,
  context: HookContext,
): Steps<string[]> {
  const warnings: string[] = [];
  const pace = new Pace(JUDGED_PER_STEP);
  for (const { peers, peersAt } of rulesOf(policy)) {
    if (pace.due()) yield;
    const ofPeers = flatMapInSteps(peers, pace, ({ ipBlock }, index) =>
      ipBlock ? blockWarnings(ipBlock, `${peersAt}[${index}].ipBlock`, context, pace) : [],
    );
    append(warnings, yield* ofPeers);
  }
  return warnings;
}

function* blockWarnings({ cidr, except }: IPBlock, field: string, context: HookContext, pace: Pace): Steps<string[]> {
  const warnings = cidrWarnings(cidr, `${field}.cidr`, context);
  const ofParts = flatMapInSteps(except ?? [], pace, (inner, index) =>
    cidrWarnings(inner, `${field}.except[${index}]`, context),
  );
  append(warnings, yield* ofParts);
  return warnings;
}

function* validateSpec({ spec }: NetworkPolicy, context: HookContext, known: ReadonlySet<string>): Steps<FieldError[]> {
  const pace = new Pace(JUDGED_PER_STEP);
  const errors = yield* validateLabelSelectorInSteps(spec.podSelector, "spec.podSelector", pace);
  for (const { ports, portsAt, peers, peersAt } of rulesOf({ spec })) {
    if (pace.due()) yield;
    const ofPorts = flatMapInSteps(ports, pace, (port, index) => validatePort(port, `${portsAt}[${index}]`));
    append(errors, yield* ofPorts);
    const ofPeers = flatMapInSteps(peers, pace, (peer, index) =>
      validatePeer(peer, `${peersAt}[${index}]`, { context, known, pace }),
    );
    append(errors, yield* ofPeers);
  }
  const types = spec.policyTypes ?? [];
  if (types.length > MAX_POLICY_TYPES) {
    return [...errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")];
  }
  types.forEach((type, index) => {
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES));
  });
  return errors;
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  }
  const wrongEnd = (value: unknown, detail: string) => errors.push(invalid(`${field}.endPort`, value, detail));
  if (port === undefined || port === null) {
    if (endPort !== undefined) wrongEnd(endPort, "may not be specified when `port` is not specified");
    return errors;
  }
  const problems = typeof port === "number" ? portNumberProblems(port) : portNameProblems(port);
  for (const problem of problems) errors.push(invalid(`${field}.port`, port, problem));
  if (endPort === undefined) return errors;
  if (typeof port !== "number") {
    wrongEnd(endPort, "may not be specified when `port` is non-numeric");
    return errors;
  }
  // Upstream shows the port here, not its end.
  if (endPort < port) wrongEnd(port, "must be greater than or equal to `port`");
  for (const problem of portNumberProblems(endPort)) wrongEnd(endPort, problem);
  return errors;
}

interface Judging {
  readonly context: HookContext;
  /** Ranges that stand in the stored policy. */
  readonly known: ReadonlySet<string>;
  readonly pace: Pace;
}

function* validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  field: string,
  judging: Judging,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const selectors = { podSelector, namespaceSelector };
  for (const [name, selector] of Object.entries(selectors)) {
    if (selector) append(errors, yield* validateLabelSelectorInSteps(selector, `${field}.${name}`, judging.pace));
  }
  if (ipBlock) append(errors, yield* validateBlock(ipBlock, `${field}.ipBlock`, judging));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(field, "must specify a peer"));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbiddenField(field, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

function* validateBlock(block: IPBlock, field: string, { context, known, pace }: Judging): Steps<FieldError[]> {
  if (block.cidr === "") return [required(`${field}.cidr`)];
  const errors = validateLegacyCidr(block.cidr, `${field}.cidr`, context, known);
  const outer = readCidr(block.cidr);
  if (outer === undefined) return errors;
  const ofParts = flatMapInSteps(block.except ?? [], pace, (text, index) => {
    const at = `${field}.except[${index}]`;
    const found = validateLegacyCidr(text, at, context, known);
    const inner = readCidr(text);
    if (inner !== undefined && !isStrictSubset(inner, outer)) {
      found.push(invalid(at, text, "must be a strict subset of `cidr`"));
    }
    return found;
  });
  append(errors, yield* ofParts);
  return errors;
}

interface AnyRule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly portsAt: string;
  readonly peers: readonly NetworkPolicyPeer[];
  readonly peersAt: string;
}

/** The rules of both directions, with the paths of their lists. One at a time: there may be very many. */
function* rulesOf({ spec }: Pick<NetworkPolicy, "spec">): Generator<AnyRule> {
  for (const [index, { ports, from }] of (spec.ingress ?? []).entries()) {
    const at = `spec.ingress[${index}]`;
    yield { ports: ports ?? [], portsAt: `${at}.ports`, peers: from ?? [], peersAt: `${at}.from` };
  }
  for (const [index, { ports, to }] of (spec.egress ?? []).entries()) {
    const at = `spec.egress[${index}]`;
    yield { ports: ports ?? [], portsAt: `${at}.ports`, peers: to ?? [], peersAt: `${at}.to` };
  }
}
