// The schema of Ingress.

import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { INSIDE } from "../../schema/check-fields.ts";
import { typedLocalObjectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { portStatusMembers } from "./port-status.ts";

export type Ingress = ObjectOf<typeof ingressSchema>;

export const ingressSchema = objectSchema("networking.v1.Ingress", "Routes HTTP from outside to services.", () => ({
  spec: opt.of(ingressSpec, 2, "How requests are to be routed."),
  status: opt.of(ingressStatus, 3, "Where the controller serves these routes."),
}));

export const ingressSpec = s.struct("networking.v1.IngressSpec", "The rules by which requests are routed.", () => ({
  ingressClassName: ptr.string(
    4,
    "IngressClass whose controller serves this object; when not set, the default class of the cluster, if there is one.",
    { must: { strict: true, form: dns1123SubdomainProblems } },
  ),
  defaultBackend: ptr.of(
    ingressBackend,
    1,
    "Gets the requests that no rule matches. Without rules it gets all and must be set.",
  ),
  tls: opt.atomic(
    ingressTLS,
    2,
    "Certificates to serve and the hosts they are for; all on port 443, told apart by the host name in the handshake.",
  ),
  rules: opt.atomic(ingressRule, 3, "Routes by host and path. Without any, all requests go to defaultBackend."),
}));

export type IngressBackend = ObjectOf<typeof ingressBackend>;

const ingressBackend = s.struct(
  "networking.v1.IngressBackend",
  "What answers requests: either a service or another object.",
  () => ({
    service: ptr.of(ingressServiceBackend, 4, "The service that answers; excludes resource."),
    resource: ptr.of(
      typedLocalObjectReference,
      3,
      "An object in the same namespace that answers, of a kind the controller knows; excludes service.",
    ),
  }),
);

export type IngressServiceBackend = ObjectOf<typeof ingressServiceBackend>;

const ingressServiceBackend = s.struct(
  "networking.v1.IngressServiceBackend",
  "A service and one of its ports.",
  () => ({
    name: s.string(1, "Name of a service in the namespace of the Ingress."),
    port: opt.of(serviceBackendPort, 2, "Which port of the service gets the requests."),
  }),
);

const serviceBackendPort = s.struct(
  "networking.v1.ServiceBackendPort",
  "A port of a service, given either by name or by number.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the port in the service; excludes number."),
    number: opt.int32(2, "Number of the port in the service, from 1 to 65535; excludes name."),
  }),
);

export type IngressTLS = ObjectOf<typeof ingressTLS>;

const ingressTLS = s.struct("networking.v1.IngressTLS", "A certificate and the hosts that it is served for.", () => ({
  hosts: opt.atomic(
    "string",
    1,
    "Host names that the certificate covers; when empty, the controller decides, often for all hosts.",
  ),
  secretName: opt.string(
    2,
    "Secret with the certificate and key. When not set, the host name of the handshake alone selects the route.",
  ),
}));

export type IngressRule = ObjectOf<typeof ingressRule>;

const ingressRule = s.struct("networking.v1.IngressRule", "The routes of one host.", () => ({
  host: opt.string(
    1,
    "Host that requests must name, without port; *.example.com stands for one label before the dot. Not set: every host.",
  ),
  ingressRuleValue: s.inline(ingressRuleValue, 2),
}));

const ingressRuleValue = s.struct("networking.v1.IngressRuleValue", "The routes of a rule, by protocol.", () => ({
  http: ptr.of(
    httpIngressRuleValue,
    1,
    "Routes for HTTP. When not set, all requests to the host go to the default backend.",
  ),
}));

const httpIngressRuleValue = s.struct(
  "networking.v1.HTTPIngressRuleValue",
  "Routes of HTTP requests by their paths.",
  () => ({
    paths: s.atomic(
      httpIngressPath,
      1,
      "Paths with their backends. When several match, the longest wins, and an exact path wins over a prefix.",
    ),
  }),
);

export type HTTPIngressPath = ObjectOf<typeof httpIngressPath>;

const httpIngressPath = s.struct(
  "networking.v1.HTTPIngressPath",
  "A path, how it is compared, and the backend of the requests that match.",
  () => ({
    path: opt.string(1, "Path to compare with that of a request; must start with / for the types Exact and Prefix."),
    pathType: s.enumOf(
      "PathType",
      ["Exact", "ImplementationSpecific", "Prefix"],
      3,
      "Exact compares the whole path, Prefix its leading elements between slashes, ImplementationSpecific is up to the class.",
      { pointer: true },
    ),
    backend: s.of(ingressBackend, 2, "Gets the requests that match."),
  }),
);

const ingressStatus = s.struct("networking.v1.IngressStatus", "What the controller reports about an Ingress.", () => ({
  loadBalancer: opt.of(ingressLoadBalancerStatus, 1, "Under which addresses the routes can be reached from outside."),
}));

const ingressLoadBalancerStatus = s.struct(
  "networking.v1.IngressLoadBalancerStatus",
  "The entry points of a load balancer.",
  () => ({
    ingress: opt.atomic(ingressLoadBalancerIngress, 1, "Addresses or host names on which requests come in."),
  }),
);

export type IngressLoadBalancerIngress = ObjectOf<typeof ingressLoadBalancerIngress>;

export const ingressLoadBalancerIngress = s.struct(
  "networking.v1.IngressLoadBalancerIngress",
  "One entry point of a load balancer.",
  () => ({
    ip: opt.string(1, "Set by load balancers that are reached by an IP address."),
    hostname: opt.string(2, "Set by load balancers that are reached by a DNS name."),
    ports: opt.atomic(ingressPortStatus, 4, "The ports that are open there, with their problems.", { must: INSIDE }),
  }),
);

const ingressPortStatus = s.struct("networking.v1.IngressPortStatus", "How a port of a load balancer is.", () =>
  portStatusMembers({
    port: "Number of the port.",
    protocol: "Transport protocol of the port: TCP, UDP or SCTP.",
    error:
      "Why the port does not work, as a CamelCase word, with a domain in front for reasons of a provider. Not set: it works.",
  }),
);
