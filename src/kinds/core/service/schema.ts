// The schema of Service.

import { portNameProblems, portNumberProblems, qualifiedNameProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { INSIDE } from "../../../schema/check-fields.ts";
import { condition } from "../../meta/condition.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { portStatusMembers } from "../../networking/port-status.ts";

export type Service = ObjectOf<typeof serviceSchema>;

export const serviceSchema = objectSchema("core.v1.Service", "A stable address for a set of pods.", () => ({
  spec: opt.of(serviceSpec, 2, "What the service shall be."),
  status: opt.of(serviceStatus, 3, "What became of the service."),
}));

export type ServiceSpec = ObjectOf<typeof serviceSpec>;

const serviceSpec = s.struct("core.v1.ServiceSpec", "What a service shall be.", () => ({
  ports: opt.listBy(
    ["port", "protocol"],
    servicePort,
    1,
    "Ports of the service. Required unless it is headless or an `ExternalName`.",
  ),
  selector: opt.map(
    "string",
    2,
    "Labels of the pods to which traffic goes. Empty, someone else keeps the endpoints. Without meaning for `ExternalName`.",
    { mapType: "atomic" },
  ),
  clusterIP: opt.string(
    3,
    "Address in the cluster, given by the server if not set; `None` for a headless service. The first of `clusterIPs`.",
  ),
  clusterIPs: opt.atomic("string", 18, "Addresses in the cluster, at most one per family; the first is `clusterIP`."),
  type: opt.enumOf(
    "ServiceType",
    ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
    4,
    "`ClusterIP`, `NodePort` (also a port of every node), `LoadBalancer` (also an address outside) or `ExternalName`. Not set, `ClusterIP`.",
  ),
  externalIPs: opt.atomic(
    "string",
    5,
    "Further addresses for which nodes accept traffic to this service. That it gets to them is up to you.",
  ),
  sessionAffinity: opt.enumOf(
    "ServiceAffinity",
    ["ClientIP", "None"],
    7,
    "`ClientIP` sends a client to the same pod for a time, `None` to any. Not set, `None`.",
  ),
  loadBalancerIP: opt.string(8, "Address that the load balancer shall have, where it can choose. Deprecated."),
  loadBalancerSourceRanges: opt.atomic(
    "string",
    9,
    "Ranges of clients that the load balancer lets in, where it can do that. Not set, all.",
  ),
  externalName: opt.string(10, "DNS name for which the service is an alias. Required for the type `ExternalName`."),
  externalTrafficPolicy: opt.enumOf(
    "ServiceExternalTrafficPolicy",
    ["Cluster", "Local"],
    11,
    "Traffic from outside: `Local` stays on the node and keeps the client's address, `Cluster`, the default, goes anywhere.",
  ),
  healthCheckNodePort: opt.int32(
    12,
    "Port at which nodes say whether they have endpoints. Given by the server for load balancers with the `Local` policy.",
  ),
  publishNotReadyAddresses: opt.boolean(
    13,
    "Whether pods count as ready whether they are or not, for those that find each other by DNS. Not set means no.",
  ),
  sessionAffinityConfig: ptr.of(sessionAffinityConfig, 14, "Settings of the session affinity."),
  ipFamilies: opt.atomic(
    s.enumValue(["", "IPv4", "IPv6"]),
    19,
    "Families of addresses, `IPv4` and `IPv6`; the first is that of `clusterIP` and cannot be changed. Not set, the server chooses.",
    { alias: "IPFamily" },
  ),
  ipFamilyPolicy: ptr.enumOf(
    "IPFamilyPolicy",
    ["PreferDualStack", "RequireDualStack", "SingleStack"],
    17,
    "`SingleStack`, `PreferDualStack` (two families where the cluster has them) or `RequireDualStack`. Not set, `SingleStack`.",
  ),
  allocateLoadBalancerNodePorts: ptr.boolean(
    20,
    "Whether a load balancer's ports get ports of nodes too. Not set, yes for the type `LoadBalancer`.",
  ),
  loadBalancerClass: ptr.string(
    21,
    "Which implementation serves the load balancer. Not set, that of the cloud provider. Cannot be changed once set.",
  ),
  internalTrafficPolicy: ptr.enumOf(
    "ServiceInternalTrafficPolicy",
    ["Cluster", "Local"],
    22,
    "Traffic from the cluster: `Local` goes to endpoints on the same node only, `Cluster`, also when not set, to all.",
  ),
  trafficDistribution: ptr.string(
    23,
    "Which endpoints are preferred: `PreferSameZone`, its old name `PreferClose`, or `PreferSameNode`. Not set, no preference.",
    { gate: "ServiceTrafficDistribution" },
  ),
}));

export type ServicePort = ObjectOf<typeof servicePort>;

export const servicePort = s.struct("core.v1.ServicePort", "One port of a service.", () => ({
  name: opt.string(1, "Unique in the service; a DNS label. May be left out when there is only one port."),
  protocol: opt.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 2, "`TCP`, `UDP` or `SCTP`. Not set, `TCP`.", {
    default: "TCP",
    must: { filled: true, listed: true },
  }),
  appProtocol: ptr.string(
    6,
    "What is spoken on the port, such as `http`, as a hint for proxies. Names without a domain are those of IANA.",
    { must: { strict: true, form: qualifiedNameProblems } },
  ),
  port: s.int32(3, "Port of the service, from 1 to 65535.", { must: { amount: portNumberProblems } }),
  targetPort: shown.intOrString(
    4,
    "Port of the pods: a number, or the name of a container port. Not set, the same as `port`.",
    { must: { strict: true, amount: portNumberProblems, form: portNameProblems } },
  ),
  nodePort: opt.int32(5, "Port of every node, for `NodePort` and `LoadBalancer`. Not set, the server gives one."),
}));

const sessionAffinityConfig = s.struct("core.v1.SessionAffinityConfig", "Settings of session affinity.", () => ({
  clientIP: ptr.of(clientIPConfig, 1, "Settings of affinity by the client's address."),
}));

const clientIPConfig = s.struct("core.v1.ClientIPConfig", "Settings of affinity by the client's address.", () => ({
  timeoutSeconds: ptr.int32(1, "How long a client keeps its pod, from 1 to 86400 seconds. Not set, 10800."),
}));

const serviceStatus = s.struct("core.v1.ServiceStatus", "What became of a service.", () => ({
  loadBalancer: opt.of(loadBalancerStatus, 1, "What the load balancer has been given."),
  conditions: opt.listBy("type", condition, 2, "What is known of the service."),
}));

const loadBalancerStatus = s.struct("core.v1.LoadBalancerStatus", "Where a load balancer can be reached.", () => ({
  ingress: opt.atomic(loadBalancerIngress, 1, "Points at which traffic for the service comes in."),
}));

export type LoadBalancerIngress = ObjectOf<typeof loadBalancerIngress>;

export const loadBalancerIngress = s.struct(
  "core.v1.LoadBalancerIngress",
  "A point at which a load balancer can be reached.",
  () => ({
    ip: opt.string(1, "Its address, for load balancers that have one."),
    hostname: opt.string(2, "Its DNS name, for load balancers that have one."),
    ipMode: ptr.named(
      "LoadBalancerIPMode",
      3,
      "`VIP` when traffic arrives with the load balancer's address, `Proxy` with that of node or pod. Needs `ip`; not set, `VIP`.",
    ),
    ports: opt.atomic(portStatus, 4, "Ports of the load balancer and what is wrong with them.", { must: INSIDE }),
  }),
);

const portStatus = s.struct("core.v1.PortStatus", "The state of one port of a load balancer.", () =>
  portStatusMembers({
    port: "The port.",
    protocol: "`TCP`, `UDP` or `SCTP`.",
    error:
      "What is wrong with the port, in one word for programs; with a domain if the cloud provider defines it. Not set, nothing.",
  }),
);
