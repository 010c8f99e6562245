// The schema of NetworkPolicy.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type NetworkPolicy = ObjectOf<typeof networkPolicySchema>;

export const networkPolicySchema = objectSchema(
  "networking.v1.NetworkPolicy",
  { doc: "Who may talk to which pods." },
  () => ({
    spec: s.of(networkPolicySpec, { proto: 2, optional: true }),
  }),
);

export type NetworkPolicySpec = ObjectOf<typeof networkPolicySpec>;

export const networkPolicySpec = s.struct(
  "networking.v1.NetworkPolicySpec",
  { doc: "Which pods, and who may talk to them." },
  () => ({
    podSelector: s.of(labelSelector, { proto: 1, required: false }),
    ingress: s.list(networkPolicyIngressRule, { proto: 2, optional: true, listType: "atomic" }),
    egress: s.list(networkPolicyEgressRule, { proto: 3, optional: true, listType: "atomic" }),
    policyTypes: s.list(s.enumValue(["Egress", "Ingress"]), {
      alias: "PolicyType",
      proto: 4,
      optional: true,
      listType: "atomic",
    }),
  }),
);

export type NetworkPolicyIngressRule = ObjectOf<typeof networkPolicyIngressRule>;

export const networkPolicyIngressRule = s.struct("networking.v1.NetworkPolicyIngressRule", () => ({
  ports: s.list(networkPolicyPort, { proto: 1, optional: true, listType: "atomic" }),
  from: s.list(networkPolicyPeer, { proto: 2, optional: true, listType: "atomic" }),
}));

export type NetworkPolicyPort = ObjectOf<typeof networkPolicyPort>;

export const networkPolicyPort = s.struct("networking.v1.NetworkPolicyPort", () => ({
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 1, optional: true, pointer: true }),
  port: s.intOrString({ proto: 2, optional: true, pointer: true }),
  endPort: s.int32({ proto: 3, optional: true, pointer: true }),
}));

export type NetworkPolicyPeer = ObjectOf<typeof networkPolicyPeer>;

export const networkPolicyPeer = s.struct("networking.v1.NetworkPolicyPeer", () => ({
  podSelector: s.of(labelSelector, { proto: 1, optional: true, pointer: true }),
  namespaceSelector: s.of(labelSelector, { proto: 2, optional: true, pointer: true }),
  ipBlock: s.of(ipBlock, { proto: 3, optional: true, pointer: true }),
}));

export type IPBlock = ObjectOf<typeof ipBlock>;

export const ipBlock = s.struct("networking.v1.IPBlock", () => ({
  cidr: s.string({ proto: 1 }),
  except: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
}));

export type NetworkPolicyEgressRule = ObjectOf<typeof networkPolicyEgressRule>;

export const networkPolicyEgressRule = s.struct("networking.v1.NetworkPolicyEgressRule", () => ({
  ports: s.list(networkPolicyPort, { proto: 1, optional: true, listType: "atomic" }),
  to: s.list(networkPolicyPeer, { proto: 2, optional: true, listType: "atomic" }),
}));
