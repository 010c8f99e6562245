// The schema of Ingress.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typedLocalObjectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Ingress = ObjectOf<typeof ingressSchema>;

export const ingressSchema = objectSchema(
  "networking.v1.Ingress",
  { doc: "Routes HTTP from outside to services." },
  () => ({
    spec: s.of(ingressSpec, { proto: 2, optional: true, doc: "How requests are to be routed." }),
    status: s.of(ingressStatus, { proto: 3, optional: true, doc: "Where the controller serves these routes." }),
  }),
);

export type IngressSpec = ObjectOf<typeof ingressSpec>;

export const ingressSpec = s.struct(
  "networking.v1.IngressSpec",
  { doc: "The rules by which requests are routed." },
  () => ({
    ingressClassName: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "IngressClass whose controller serves this object; when not set, the default class of the cluster, if there is one.",
    }),
    defaultBackend: s.of(ingressBackend, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Gets the requests that no rule matches. Without rules it gets all and must be set.",
    }),
    tls: s.list(ingressTLS, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Certificates to serve and the hosts they are for; all on port 443, told apart by the host name in the handshake.",
    }),
    rules: s.list(ingressRule, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Routes by host and path. Without any, all requests go to defaultBackend.",
    }),
  }),
);

export type IngressBackend = ObjectOf<typeof ingressBackend>;

export const ingressBackend = s.struct(
  "networking.v1.IngressBackend",
  { doc: "What answers requests: either a service or another object." },
  () => ({
    service: s.of(ingressServiceBackend, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The service that answers; excludes resource.",
    }),
    resource: s.of(typedLocalObjectReference, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "An object in the same namespace that answers, of a kind the controller knows; excludes service.",
    }),
  }),
);

export type IngressServiceBackend = ObjectOf<typeof ingressServiceBackend>;

export const ingressServiceBackend = s.struct(
  "networking.v1.IngressServiceBackend",
  { doc: "A service and one of its ports." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of a service in the namespace of the Ingress." }),
    port: s.of(serviceBackendPort, { proto: 2, optional: true, doc: "Which port of the service gets the requests." }),
  }),
);

export type ServiceBackendPort = ObjectOf<typeof serviceBackendPort>;

export const serviceBackendPort = s.struct(
  "networking.v1.ServiceBackendPort",
  { mapType: "atomic", doc: "A port of a service, given either by name or by number." },
  () => ({
    name: s.string({ proto: 1, optional: true, doc: "Name of the port in the service; excludes number." }),
    number: s.int32({
      proto: 2,
      optional: true,
      doc: "Number of the port in the service, from 1 to 65535; excludes name.",
    }),
  }),
);

export type IngressTLS = ObjectOf<typeof ingressTLS>;

export const ingressTLS = s.struct(
  "networking.v1.IngressTLS",
  { doc: "A certificate and the hosts that it is served for." },
  () => ({
    hosts: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Host names that the certificate covers; when empty, the controller decides, often for all hosts.",
    }),
    secretName: s.string({
      proto: 2,
      optional: true,
      doc: "Secret with the certificate and key. When not set, the host name of the handshake alone selects the route.",
    }),
  }),
);

export type IngressRule = ObjectOf<typeof ingressRule>;

export const ingressRule = s.struct("networking.v1.IngressRule", { doc: "The routes of one host." }, () => ({
  host: s.string({
    proto: 1,
    optional: true,
    doc: "Host that requests must name, without port; *.example.com stands for one label before the dot. Not set: every host.",
  }),
  ingressRuleValue: s.inline(ingressRuleValue, { proto: 2, protoName: "ingressRuleValue" }),
}));

export type IngressRuleValue = ObjectOf<typeof ingressRuleValue>;

export const ingressRuleValue = s.struct(
  "networking.v1.IngressRuleValue",
  { doc: "The routes of a rule, by protocol." },
  () => ({
    http: s.of(httpIngressRuleValue, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Routes for HTTP. When not set, all requests to the host go to the default backend.",
    }),
  }),
);

export type HTTPIngressRuleValue = ObjectOf<typeof httpIngressRuleValue>;

export const httpIngressRuleValue = s.struct(
  "networking.v1.HTTPIngressRuleValue",
  { doc: "Routes of HTTP requests by their paths." },
  () => ({
    paths: s.list(httpIngressPath, {
      proto: 1,
      listType: "atomic",
      doc: "Paths with their backends. When several match, the longest wins, and an exact path wins over a prefix.",
    }),
  }),
);

export type HTTPIngressPath = ObjectOf<typeof httpIngressPath>;

export const httpIngressPath = s.struct(
  "networking.v1.HTTPIngressPath",
  { doc: "A path, how it is compared, and the backend of the requests that match." },
  () => ({
    path: s.string({
      proto: 1,
      optional: true,
      doc: "Path to compare with that of a request; must start with / for the types Exact and Prefix.",
    }),
    pathType: s.enumOf(["Exact", "ImplementationSpecific", "Prefix"], {
      alias: "PathType",
      proto: 3,
      pointer: true,
      doc: "Exact compares the whole path, Prefix its leading elements between slashes, ImplementationSpecific is up to the class.",
    }),
    backend: s.of(ingressBackend, { proto: 2, doc: "Gets the requests that match." }),
  }),
);

export type IngressStatus = ObjectOf<typeof ingressStatus>;

export const ingressStatus = s.struct(
  "networking.v1.IngressStatus",
  { doc: "What the controller reports about an Ingress." },
  () => ({
    loadBalancer: s.of(ingressLoadBalancerStatus, {
      proto: 1,
      optional: true,
      doc: "Under which addresses the routes can be reached from outside.",
    }),
  }),
);

export type IngressLoadBalancerStatus = ObjectOf<typeof ingressLoadBalancerStatus>;

export const ingressLoadBalancerStatus = s.struct(
  "networking.v1.IngressLoadBalancerStatus",
  { doc: "The entry points of a load balancer." },
  () => ({
    ingress: s.list(ingressLoadBalancerIngress, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Addresses or host names on which requests come in.",
    }),
  }),
);

export type IngressLoadBalancerIngress = ObjectOf<typeof ingressLoadBalancerIngress>;

export const ingressLoadBalancerIngress = s.struct(
  "networking.v1.IngressLoadBalancerIngress",
  { doc: "One entry point of a load balancer." },
  () => ({
    ip: s.string({ proto: 1, optional: true, doc: "Set by load balancers that are reached by an IP address." }),
    hostname: s.string({ proto: 2, optional: true, doc: "Set by load balancers that are reached by a DNS name." }),
    ports: s.list(ingressPortStatus, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "The ports that are open there, with their problems.",
    }),
  }),
);

export type IngressPortStatus = ObjectOf<typeof ingressPortStatus>;

export const ingressPortStatus = s.struct(
  "networking.v1.IngressPortStatus",
  { doc: "How a port of a load balancer is." },
  () => ({
    port: s.int32({ proto: 1, doc: "Number of the port." }),
    protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
      alias: "Protocol",
      proto: 2,
      doc: "Transport protocol of the port: TCP, UDP or SCTP.",
    }),
    error: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Why the port does not work, as a CamelCase word, with a domain in front for reasons of a provider. Not set: it works.",
    }),
  }),
);
