// The schema of NetworkPolicy.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type NetworkPolicy = ObjectOf<typeof networkPolicySchema>;

export const networkPolicySchema = objectSchema("networking.v1.NetworkPolicy", "Who may talk to which pods.", () => ({
  spec: opt.of(networkPolicySpec, 2, "The pods concerned and the traffic they may have."),
}));

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

export type NetworkPolicyPort = ObjectOf<typeof networkPolicyPort>;

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

export type NetworkPolicyPeer = ObjectOf<typeof networkPolicyPeer>;

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

export type IPBlock = ObjectOf<typeof ipBlock>;

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
