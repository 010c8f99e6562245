// The schema of NetworkPolicy.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type NetworkPolicy = ObjectOf<typeof networkPolicySchema>;

export const networkPolicySchema = objectSchema(
  "networking.v1.NetworkPolicy",
  { doc: "Who may talk to which pods." },
  () => ({
    spec: s.of(networkPolicySpec, {
      proto: 2,
      optional: true,
      doc: "The pods concerned and the traffic they may have.",
    }),
  }),
);

export type NetworkPolicySpec = ObjectOf<typeof networkPolicySpec>;

export const networkPolicySpec = s.struct(
  "networking.v1.NetworkPolicySpec",
  { doc: "Which pods, and who may talk to them." },
  () => ({
    podSelector: s.of(labelSelector, {
      proto: 1,
      required: false,
      doc: "Pods of this namespace that the policy isolates; an empty selector takes all of them.",
    }),
    ingress: s.list(networkPolicyIngressRule, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Traffic that may come in to the selected pods. With type Ingress and no rule here, none may.",
    }),
    egress: s.list(networkPolicyEgressRule, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Traffic that the selected pods may send. With type Egress and no rule here, none may be sent.",
    }),
    policyTypes: s.list(s.enumValue(["Egress", "Ingress"]), {
      alias: "PolicyType",
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Directions the policy governs. When not set: Ingress, and Egress as well if there are egress rules.",
    }),
  }),
);

export type NetworkPolicyIngressRule = ObjectOf<typeof networkPolicyIngressRule>;

export const networkPolicyIngressRule = s.struct(
  "networking.v1.NetworkPolicyIngressRule",
  { doc: "Lets in traffic that matches one of the ports and one of the senders." },
  () => ({
    ports: s.list(networkPolicyPort, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Ports of the selected pods that may be reached; when empty, all.",
    }),
    from: s.list(networkPolicyPeer, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Who may send; when empty, everyone.",
    }),
  }),
);

export type NetworkPolicyPort = ObjectOf<typeof networkPolicyPort>;

export const networkPolicyPort = s.struct(
  "networking.v1.NetworkPolicyPort",
  { doc: "A port, or a range of ports, of one protocol." },
  () => ({
    protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
      alias: "Protocol",
      proto: 1,
      optional: true,
      pointer: true,
      doc: "TCP (the default), UDP or SCTP.",
    }),
    port: s.intOrString({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Number of a port, or the name of a port of the pods. When not set, all ports of the protocol.",
    }),
    endPort: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Last port of a range that starts at port, which must then be a number and not greater.",
    }),
  }),
);

export type NetworkPolicyPeer = ObjectOf<typeof networkPolicyPeer>;

export const networkPolicyPeer = s.struct(
  "networking.v1.NetworkPolicyPeer",
  { doc: "The other end of a connection: pods found by labels, or a block of addresses." },
  () => ({
    podSelector: s.of(labelSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Pods by their labels, in the namespaces of namespaceSelector; without that, in the namespace of the policy.",
    }),
    namespaceSelector: s.of(labelSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Namespaces by their labels, empty for all. Without podSelector every pod in them is meant.",
    }),
    ipBlock: s.of(ipBlock, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A range of addresses; excludes both selectors.",
    }),
  }),
);

export type IPBlock = ObjectOf<typeof ipBlock>;

export const ipBlock = s.struct("networking.v1.IPBlock", { doc: "A range of addresses with parts left out." }, () => ({
  cidr: s.string({ proto: 1, doc: "The range, such as 192.168.1.0/24 or 2001:db8::/64." }),
  except: s.list("string", {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Ranges inside cidr that do not belong to the block.",
  }),
}));

export type NetworkPolicyEgressRule = ObjectOf<typeof networkPolicyEgressRule>;

export const networkPolicyEgressRule = s.struct(
  "networking.v1.NetworkPolicyEgressRule",
  { doc: "Lets out traffic that matches one of the ports and one of the receivers." },
  () => ({
    ports: s.list(networkPolicyPort, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Ports of the receivers that may be reached; when empty, all.",
    }),
    to: s.list(networkPolicyPeer, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Who may be reached; when empty, everyone.",
    }),
  }),
);
