// The schema of Service.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Service = ObjectOf<typeof serviceSchema>;

export const serviceSchema = objectSchema("core.v1.Service", { doc: "A stable address for a set of pods." }, () => ({
  spec: s.of(serviceSpec, { proto: 2, optional: true }),
  status: s.of(serviceStatus, { proto: 3, optional: true }),
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
  }),
  selector: s.map("string", { proto: 2, optional: true, mapType: "atomic" }),
  clusterIP: s.string({ proto: 3, optional: true }),
  clusterIPs: s.list("string", { proto: 18, optional: true, listType: "atomic" }),
  type: s.enumOf(["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], {
    alias: "ServiceType",
    proto: 4,
    optional: true,
  }),
  externalIPs: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
  sessionAffinity: s.enumOf(["ClientIP", "None"], { alias: "ServiceAffinity", proto: 7, optional: true }),
  loadBalancerIP: s.string({ proto: 8, optional: true }),
  loadBalancerSourceRanges: s.list("string", { proto: 9, optional: true, listType: "atomic" }),
  externalName: s.string({ proto: 10, optional: true }),
  externalTrafficPolicy: s.enumOf(["Cluster", "Local"], {
    alias: "ServiceExternalTrafficPolicy",
    proto: 11,
    optional: true,
  }),
  healthCheckNodePort: s.int32({ proto: 12, optional: true }),
  publishNotReadyAddresses: s.boolean({ proto: 13, optional: true }),
  sessionAffinityConfig: s.of(sessionAffinityConfig, { proto: 14, optional: true, pointer: true }),
  ipFamilies: s.list(s.enumValue(["", "IPv4", "IPv6"]), {
    alias: "IPFamily",
    proto: 19,
    optional: true,
    listType: "atomic",
  }),
  ipFamilyPolicy: s.enumOf(["PreferDualStack", "RequireDualStack", "SingleStack"], {
    alias: "IPFamilyPolicy",
    proto: 17,
    optional: true,
    pointer: true,
  }),
  allocateLoadBalancerNodePorts: s.boolean({ proto: 20, optional: true, pointer: true }),
  loadBalancerClass: s.string({ proto: 21, optional: true, pointer: true }),
  internalTrafficPolicy: s.enumOf(["Cluster", "Local"], {
    alias: "ServiceInternalTrafficPolicy",
    proto: 22,
    optional: true,
    pointer: true,
  }),
  trafficDistribution: s.string({ proto: 23, optional: true, pointer: true, gate: "ServiceTrafficDistribution" }),
}));

export type ServicePort = ObjectOf<typeof servicePort>;

export const servicePort = s.struct("core.v1.ServicePort", { doc: "One port of a service." }, () => ({
  name: s.string({ proto: 1, optional: true }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 2, optional: true, default: "TCP" }),
  appProtocol: s.string({ proto: 6, optional: true, pointer: true }),
  port: s.int32({ proto: 3 }),
  targetPort: s.intOrString({ proto: 4, required: false }),
  nodePort: s.int32({ proto: 5, optional: true }),
}));

export type SessionAffinityConfig = ObjectOf<typeof sessionAffinityConfig>;

export const sessionAffinityConfig = s.struct("core.v1.SessionAffinityConfig", () => ({
  clientIP: s.of(clientIPConfig, { proto: 1, optional: true, pointer: true }),
}));

export type ClientIPConfig = ObjectOf<typeof clientIPConfig>;

export const clientIPConfig = s.struct("core.v1.ClientIPConfig", () => ({
  timeoutSeconds: s.int32({ proto: 1, optional: true, pointer: true }),
}));

export type ServiceStatus = ObjectOf<typeof serviceStatus>;

export const serviceStatus = s.struct("core.v1.ServiceStatus", () => ({
  loadBalancer: s.of(loadBalancerStatus, { proto: 1, optional: true }),
  conditions: s.list(condition, {
    proto: 2,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type LoadBalancerStatus = ObjectOf<typeof loadBalancerStatus>;

export const loadBalancerStatus = s.struct("core.v1.LoadBalancerStatus", () => ({
  ingress: s.list(loadBalancerIngress, { proto: 1, optional: true, listType: "atomic" }),
}));

export type LoadBalancerIngress = ObjectOf<typeof loadBalancerIngress>;

export const loadBalancerIngress = s.struct("core.v1.LoadBalancerIngress", () => ({
  ip: s.string({ proto: 1, optional: true }),
  hostname: s.string({ proto: 2, optional: true }),
  ipMode: s.string({ alias: "LoadBalancerIPMode", proto: 3, optional: true, pointer: true }),
  ports: s.list(portStatus, { proto: 4, optional: true, listType: "atomic" }),
}));

export type PortStatus = ObjectOf<typeof portStatus>;

export const portStatus = s.struct("core.v1.PortStatus", () => ({
  port: s.int32({ proto: 1 }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 2 }),
  error: s.string({ proto: 3, optional: true, pointer: true }),
}));
