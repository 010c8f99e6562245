// Probes of a container and what happens around its life.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { STOP_SIGNALS } from "./stop-signals.ts";

export type Probe = ObjectOf<typeof probe>;

export const probe = s.struct("core.v1.Probe", { doc: "A check of a container, done again and again." }, () => ({
  probeHandler: s.inline(probeHandler, { proto: 1, protoName: "handler" }),
  initialDelaySeconds: s.int32({
    proto: 2,
    optional: true,
    doc: "Seconds from the start of the container to the first check. Not set, none.",
  }),
  timeoutSeconds: s.int32({
    proto: 3,
    optional: true,
    doc: "Seconds after which an unanswered check counts as failed; at least 1. Not set, 1.",
  }),
  periodSeconds: s.int32({
    proto: 4,
    optional: true,
    doc: "Seconds from one check to the next; at least 1. Not set, 10.",
  }),
  successThreshold: s.int32({
    proto: 5,
    optional: true,
    doc: "Successes in a row that end a failure. Not set, 1, which liveness and startup probes require.",
  }),
  failureThreshold: s.int32({
    proto: 6,
    optional: true,
    doc: "Failures in a row that count as a failure; at least 1. Not set, 3.",
  }),
  terminationGracePeriodSeconds: s.int64({
    proto: 7,
    optional: true,
    pointer: true,
    doc: "Seconds to end when the probe has failed, instead of the pod's; at least 1. Not for readiness probes.",
  }),
}));

export type ProbeHandler = ObjectOf<typeof probeHandler>;

export const probeHandler = s.struct(
  "core.v1.ProbeHandler",
  { doc: "How a container is checked; exactly one member is set." },
  () => ({
    exec: s.of(execAction, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Runs a command in the container; exit code 0 is success.",
    }),
    httpGet: s.of(httpGetAction, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Sends an HTTP request; answers from 200 to 399 are success.",
    }),
    tcpSocket: s.of(tcpSocketAction, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Opens a connection; that it opens is success.",
    }),
    grpc: s.of(grpcAction, { proto: 4, optional: true, pointer: true, doc: "Calls the health service of gRPC." }),
  }),
);

export type Lifecycle = ObjectOf<typeof lifecycle>;

export const lifecycle = s.struct("core.v1.Lifecycle", { doc: "What is done around the life of a container." }, () => ({
  postStart: s.of(lifecycleHandler, {
    proto: 1,
    optional: true,
    pointer: true,
    doc: "Done right after the start, beside the program. When it fails, the container is restarted.",
  }),
  preStop: s.of(lifecycleHandler, {
    proto: 2,
    optional: true,
    pointer: true,
    doc: "Done before the container is stopped on request, within the grace period; not when it ends by itself.",
  }),
  stopSignal: s.enumOf(STOP_SIGNALS, {
    alias: "Signal",
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Signal by which the container is stopped. Not set, the one that image or runtime name. Needs `os.name` in the pod.",
  }),
}));

export type LifecycleHandler = ObjectOf<typeof lifecycleHandler>;

export const lifecycleHandler = s.struct(
  "core.v1.LifecycleHandler",
  { doc: "What is done at one moment of a container's life; exactly one member is set." },
  () => ({
    exec: s.of(execAction, { proto: 1, optional: true, pointer: true, doc: "Runs a command in the container." }),
    httpGet: s.of(httpGetAction, { proto: 2, optional: true, pointer: true, doc: "Sends an HTTP request." }),
    tcpSocket: s.of(tcpSocketAction, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Not supported as a handler; kept for old clients, it fails when it is run.",
    }),
    sleep: s.of(sleepAction, {
      proto: 4,
      optional: true,
      pointer: true,
      gate: "PodLifecycleSleepAction",
      doc: "Waits for a while.",
    }),
  }),
);

export type ExecAction = ObjectOf<typeof execAction>;

export const execAction = s.struct("core.v1.ExecAction", { doc: "A command that is run in a container." }, () => ({
  command: s.list("string", {
    proto: 1,
    optional: true,
    listType: "atomic",
    doc: "Program and arguments, started in `/` without a shell.",
  }),
}));

export type HTTPGetAction = ObjectOf<typeof httpGetAction>;

export const httpGetAction = s.struct("core.v1.HTTPGetAction", { doc: "An HTTP request to a container." }, () => ({
  path: s.string({ proto: 1, optional: true, doc: "Path of the request. Not set, `/`." }),
  port: s.intOrString({ proto: 2, doc: "Number from 1 to 65535, or name of a port of the container." }),
  host: s.string({
    proto: 3,
    optional: true,
    doc: "Host to which the request goes. Not set, the pod; to change the Host header use `httpHeaders`.",
  }),
  scheme: s.enumOf(["HTTP", "HTTPS"], {
    alias: "URIScheme",
    proto: 4,
    optional: true,
    doc: "`HTTP`, also when not set, or `HTTPS`; certificates are not checked.",
  }),
  httpHeaders: s.list(httpHeader, {
    proto: 5,
    optional: true,
    listType: "atomic",
    doc: "Headers of the request; the same name may come several times.",
  }),
}));

export type HTTPHeader = ObjectOf<typeof httpHeader>;

export const httpHeader = s.struct("core.v1.HTTPHeader", { doc: "A header of an HTTP request." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the header; letter case does not matter." }),
  value: s.string({ proto: 2, doc: "Value of the header." }),
}));

export type TCPSocketAction = ObjectOf<typeof tcpSocketAction>;

export const tcpSocketAction = s.struct("core.v1.TCPSocketAction", { doc: "A connection to a container." }, () => ({
  port: s.intOrString({ proto: 1, doc: "Number from 1 to 65535, or name of a port of the container." }),
  host: s.string({ proto: 2, optional: true, doc: "Host to connect to. Not set, the pod." }),
}));

export type GRPCAction = ObjectOf<typeof grpcAction>;

export const grpcAction = s.struct("core.v1.GRPCAction", { doc: "A call of the health service of gRPC." }, () => ({
  port: s.int32({ proto: 1, doc: "Port of the service, from 1 to 65535." }),
  service: s.string({
    proto: 2,
    required: false,
    pointer: true,
    default: "",
    doc: "Name of the service in the health request. Not set, empty: the server as a whole.",
  }),
}));

export type SleepAction = ObjectOf<typeof sleepAction>;

export const sleepAction = s.struct("core.v1.SleepAction", { doc: "A pause." }, () => ({
  seconds: s.int64({ proto: 1, doc: "How long, in seconds; no longer than the grace period of the pod." }),
}));
