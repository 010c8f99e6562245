// The schema of Service.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Service = ObjectOf<typeof serviceSchema>;

export const serviceSchema = objectSchema("core.v1.Service", { doc: "A stable address for a set of pods." }, () => ({
  spec: s.of(serviceSpec, { proto: 2, optional: true, doc: "What the service shall be." }),
  status: s.of(serviceStatus, { proto: 3, optional: true, doc: "What became of the service." }),
}));

export type ServiceSpec = ObjectOf<typeof serviceSpec>;

export const serviceSpec = s.struct("core.v1.ServiceSpec", { doc: "What a service shall be." }, () => ({
  ports: s.list(servicePort, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["port", "protocol"],
    patchStrategy: ["merge"],
    patchMergeKey: "port",
    doc: "Ports of the service. Required unless it is headless or an `ExternalName`.",
  }),
  selector: s.map("string", {
    proto: 2,
    optional: true,
    mapType: "atomic",
    doc: "Labels of the pods to which traffic goes. Empty, someone else keeps the endpoints. Without meaning for `ExternalName`.",
  }),
  clusterIP: s.string({
    proto: 3,
    optional: true,
    doc: "Address in the cluster, given by the server if not set; `None` for a headless service. The first of `clusterIPs`.",
  }),
  clusterIPs: s.list("string", {
    proto: 18,
    optional: true,
    listType: "atomic",
    doc: "Addresses in the cluster, at most one per family; the first is `clusterIP`.",
  }),
  type: s.enumOf(["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], {
    alias: "ServiceType",
    proto: 4,
    optional: true,
    doc: "`ClusterIP`, `NodePort` (also a port of every node), `LoadBalancer` (also an address outside) or `ExternalName`. Not set, `ClusterIP`.",
  }),
  externalIPs: s.list("string", {
    proto: 5,
    optional: true,
    listType: "atomic",
    doc: "Further addresses for which nodes accept traffic to this service. That it gets to them is up to you.",
  }),
  sessionAffinity: s.enumOf(["ClientIP", "None"], {
    alias: "ServiceAffinity",
    proto: 7,
    optional: true,
    doc: "`ClientIP` sends a client to the same pod for a time, `None` to any. Not set, `None`.",
  }),
  loadBalancerIP: s.string({
    proto: 8,
    optional: true,
    doc: "Address that the load balancer shall have, where it can choose. Deprecated.",
  }),
  loadBalancerSourceRanges: s.list("string", {
    proto: 9,
    optional: true,
    listType: "atomic",
    doc: "Ranges of clients that the load balancer lets in, where it can do that. Not set, all.",
  }),
  externalName: s.string({
    proto: 10,
    optional: true,
    doc: "DNS name for which the service is an alias. Required for the type `ExternalName`.",
  }),
  externalTrafficPolicy: s.enumOf(["Cluster", "Local"], {
    alias: "ServiceExternalTrafficPolicy",
    proto: 11,
    optional: true,
    doc: "Traffic from outside: `Local` stays on the node and keeps the client's address, `Cluster`, the default, goes anywhere.",
  }),
  healthCheckNodePort: s.int32({
    proto: 12,
    optional: true,
    doc: "Port at which nodes say whether they have endpoints. Given by the server for load balancers with the `Local` policy.",
  }),
  publishNotReadyAddresses: s.boolean({
    proto: 13,
    optional: true,
    doc: "Whether pods count as ready whether they are or not, for those that find each other by DNS. Not set means no.",
  }),
  sessionAffinityConfig: s.of(sessionAffinityConfig, {
    proto: 14,
    optional: true,
    pointer: true,
    doc: "Settings of the session affinity.",
  }),
  ipFamilies: s.list(s.enumValue(["", "IPv4", "IPv6"]), {
    alias: "IPFamily",
    proto: 19,
    optional: true,
    listType: "atomic",
    doc: "Families of addresses, `IPv4` and `IPv6`; the first is that of `clusterIP` and cannot be changed. Not set, the server chooses.",
  }),
  ipFamilyPolicy: s.enumOf(["PreferDualStack", "RequireDualStack", "SingleStack"], {
    alias: "IPFamilyPolicy",
    proto: 17,
    optional: true,
    pointer: true,
    doc: "`SingleStack`, `PreferDualStack` (two families where the cluster has them) or `RequireDualStack`. Not set, `SingleStack`.",
  }),
  allocateLoadBalancerNodePorts: s.boolean({
    proto: 20,
    optional: true,
    pointer: true,
    doc: "Whether a load balancer's ports get ports of nodes too. Not set, yes for the type `LoadBalancer`.",
  }),
  loadBalancerClass: s.string({
    proto: 21,
    optional: true,
    pointer: true,
    doc: "Which implementation serves the load balancer. Not set, that of the cloud provider. Cannot be changed once set.",
  }),
  internalTrafficPolicy: s.enumOf(["Cluster", "Local"], {
    alias: "ServiceInternalTrafficPolicy",
    proto: 22,
    optional: true,
    pointer: true,
    doc: "Traffic from the cluster: `Local` goes to endpoints on the same node only, `Cluster`, also when not set, to all.",
  }),
  trafficDistribution: s.string({
    proto: 23,
    optional: true,
    pointer: true,
    gate: "ServiceTrafficDistribution",
    doc: "Which endpoints are preferred: `PreferSameZone`, its old name `PreferClose`, or `PreferSameNode`. Not set, no preference.",
  }),
}));

export type ServicePort = ObjectOf<typeof servicePort>;

export const servicePort = s.struct("core.v1.ServicePort", { doc: "One port of a service." }, () => ({
  name: s.string({
    proto: 1,
    optional: true,
    doc: "Unique in the service; a DNS label. May be left out when there is only one port.",
  }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
    alias: "Protocol",
    proto: 2,
    optional: true,
    default: "TCP",
    doc: "`TCP`, `UDP` or `SCTP`. Not set, `TCP`.",
  }),
  appProtocol: s.string({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "What is spoken on the port, such as `http`, as a hint for proxies. Names without a domain are those of IANA.",
  }),
  port: s.int32({ proto: 3, doc: "Port of the service, from 1 to 65535." }),
  targetPort: s.intOrString({
    proto: 4,
    required: false,
    doc: "Port of the pods: a number, or the name of a container port. Not set, the same as `port`.",
  }),
  nodePort: s.int32({
    proto: 5,
    optional: true,
    doc: "Port of every node, for `NodePort` and `LoadBalancer`. Not set, the server gives one.",
  }),
}));

export type SessionAffinityConfig = ObjectOf<typeof sessionAffinityConfig>;

export const sessionAffinityConfig = s.struct(
  "core.v1.SessionAffinityConfig",
  { doc: "Settings of session affinity." },
  () => ({
    clientIP: s.of(clientIPConfig, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Settings of affinity by the client's address.",
    }),
  }),
);

export type ClientIPConfig = ObjectOf<typeof clientIPConfig>;

export const clientIPConfig = s.struct(
  "core.v1.ClientIPConfig",
  { doc: "Settings of affinity by the client's address." },
  () => ({
    timeoutSeconds: s.int32({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "How long a client keeps its pod, from 1 to 86400 seconds. Not set, 10800.",
    }),
  }),
);

export type ServiceStatus = ObjectOf<typeof serviceStatus>;

export const serviceStatus = s.struct("core.v1.ServiceStatus", { doc: "What became of a service." }, () => ({
  loadBalancer: s.of(loadBalancerStatus, { proto: 1, optional: true, doc: "What the load balancer has been given." }),
  conditions: s.list(condition, {
    proto: 2,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "What is known of the service.",
  }),
}));

export type LoadBalancerStatus = ObjectOf<typeof loadBalancerStatus>;

export const loadBalancerStatus = s.struct(
  "core.v1.LoadBalancerStatus",
  { doc: "Where a load balancer can be reached." },
  () => ({
    ingress: s.list(loadBalancerIngress, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Points at which traffic for the service comes in.",
    }),
  }),
);

export type LoadBalancerIngress = ObjectOf<typeof loadBalancerIngress>;

export const loadBalancerIngress = s.struct(
  "core.v1.LoadBalancerIngress",
  { doc: "A point at which a load balancer can be reached." },
  () => ({
    ip: s.string({ proto: 1, optional: true, doc: "Its address, for load balancers that have one." }),
    hostname: s.string({ proto: 2, optional: true, doc: "Its DNS name, for load balancers that have one." }),
    ipMode: s.string({
      alias: "LoadBalancerIPMode",
      proto: 3,
      optional: true,
      pointer: true,
      doc: "`VIP` when traffic arrives with the load balancer's address, `Proxy` with that of node or pod. Needs `ip`; not set, `VIP`.",
    }),
    ports: s.list(portStatus, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Ports of the load balancer and what is wrong with them.",
    }),
  }),
);

export type PortStatus = ObjectOf<typeof portStatus>;

export const portStatus = s.struct("core.v1.PortStatus", { doc: "The state of one port of a load balancer." }, () => ({
  port: s.int32({ proto: 1, doc: "The port." }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 2, doc: "`TCP`, `UDP` or `SCTP`." }),
  error: s.string({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "What is wrong with the port, in one word for programs; with a domain if the cloud provider defines it. Not set, nothing.",
  }),
}));
