// The schema of Ingress.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typedLocalObjectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Ingress = ObjectOf<typeof ingressSchema>;

export const ingressSchema = objectSchema(
  "networking.v1.Ingress",
  { doc: "Routes HTTP from outside to services." },
  () => ({
    spec: s.of(ingressSpec, { proto: 2, optional: true }),
    status: s.of(ingressStatus, { proto: 3, optional: true }),
  }),
);

export type IngressSpec = ObjectOf<typeof ingressSpec>;

export const ingressSpec = s.struct(
  "networking.v1.IngressSpec",
  { doc: "The rules by which requests are routed." },
  () => ({
    ingressClassName: s.string({ proto: 4, optional: true, pointer: true }),
    defaultBackend: s.of(ingressBackend, { proto: 1, optional: true, pointer: true }),
    tls: s.list(ingressTLS, { proto: 2, optional: true, listType: "atomic" }),
    rules: s.list(ingressRule, { proto: 3, optional: true, listType: "atomic" }),
  }),
);

export type IngressBackend = ObjectOf<typeof ingressBackend>;

export const ingressBackend = s.struct("networking.v1.IngressBackend", () => ({
  service: s.of(ingressServiceBackend, { proto: 4, optional: true, pointer: true }),
  resource: s.of(typedLocalObjectReference, { proto: 3, optional: true, pointer: true }),
}));

export type IngressServiceBackend = ObjectOf<typeof ingressServiceBackend>;

export const ingressServiceBackend = s.struct("networking.v1.IngressServiceBackend", () => ({
  name: s.string({ proto: 1 }),
  port: s.of(serviceBackendPort, { proto: 2, optional: true }),
}));

export type ServiceBackendPort = ObjectOf<typeof serviceBackendPort>;

export const serviceBackendPort = s.struct("networking.v1.ServiceBackendPort", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true }),
  number: s.int32({ proto: 2, optional: true }),
}));

export type IngressTLS = ObjectOf<typeof ingressTLS>;

export const ingressTLS = s.struct("networking.v1.IngressTLS", () => ({
  hosts: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  secretName: s.string({ proto: 2, optional: true }),
}));

export type IngressRule = ObjectOf<typeof ingressRule>;

export const ingressRule = s.struct("networking.v1.IngressRule", { doc: "The routes of one host." }, () => ({
  host: s.string({ proto: 1, optional: true }),
  ingressRuleValue: s.inline(ingressRuleValue, { proto: 2, protoName: "ingressRuleValue" }),
}));

export type IngressRuleValue = ObjectOf<typeof ingressRuleValue>;

export const ingressRuleValue = s.struct("networking.v1.IngressRuleValue", () => ({
  http: s.of(httpIngressRuleValue, { proto: 1, optional: true, pointer: true }),
}));

export type HTTPIngressRuleValue = ObjectOf<typeof httpIngressRuleValue>;

export const httpIngressRuleValue = s.struct("networking.v1.HTTPIngressRuleValue", () => ({
  paths: s.list(httpIngressPath, { proto: 1, listType: "atomic" }),
}));

export type HTTPIngressPath = ObjectOf<typeof httpIngressPath>;

export const httpIngressPath = s.struct("networking.v1.HTTPIngressPath", () => ({
  path: s.string({ proto: 1, optional: true }),
  pathType: s.enumOf(["Exact", "ImplementationSpecific", "Prefix"], { alias: "PathType", proto: 3, pointer: true }),
  backend: s.of(ingressBackend, { proto: 2 }),
}));

export type IngressStatus = ObjectOf<typeof ingressStatus>;

export const ingressStatus = s.struct("networking.v1.IngressStatus", () => ({
  loadBalancer: s.of(ingressLoadBalancerStatus, { proto: 1, optional: true }),
}));

export type IngressLoadBalancerStatus = ObjectOf<typeof ingressLoadBalancerStatus>;

export const ingressLoadBalancerStatus = s.struct("networking.v1.IngressLoadBalancerStatus", () => ({
  ingress: s.list(ingressLoadBalancerIngress, { proto: 1, optional: true, listType: "atomic" }),
}));

export type IngressLoadBalancerIngress = ObjectOf<typeof ingressLoadBalancerIngress>;

export const ingressLoadBalancerIngress = s.struct("networking.v1.IngressLoadBalancerIngress", () => ({
  ip: s.string({ proto: 1, optional: true }),
  hostname: s.string({ proto: 2, optional: true }),
  ports: s.list(ingressPortStatus, { proto: 4, optional: true, listType: "atomic" }),
}));

export type IngressPortStatus = ObjectOf<typeof ingressPortStatus>;

export const ingressPortStatus = s.struct("networking.v1.IngressPortStatus", () => ({
  port: s.int32({ proto: 1 }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 2 }),
  error: s.string({ proto: 3, optional: true, pointer: true }),
}));
