// Probes of a container and what happens around its life.

import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { NOT_NEGATIVE } from "../../../schema/check-fields.ts";
import { STOP_SIGNALS } from "./stop-signals.ts";

export type Probe = ObjectOf<typeof probe>;

export const probe = s.struct("core.v1.Probe", "A check of a container, done again and again.", () => ({
  probeHandler: s.inline(probeHandler, 1, "handler"),
  initialDelaySeconds: opt.int32(2, "Seconds from the start of the container to the first check. Not set, none.", {
    must: NOT_NEGATIVE,
  }),
  timeoutSeconds: opt.int32(3, "Seconds after which an unanswered check counts as failed; at least 1. Not set, 1.", {
    must: NOT_NEGATIVE,
  }),
  periodSeconds: opt.int32(4, "Seconds from one check to the next; at least 1. Not set, 10.", { must: NOT_NEGATIVE }),
  successThreshold: opt.int32(
    5,
    "Successes in a row that end a failure. Not set, 1, which liveness and startup probes require.",
    { must: NOT_NEGATIVE },
  ),
  failureThreshold: opt.int32(6, "Failures in a row that count as a failure; at least 1. Not set, 3.", {
    must: NOT_NEGATIVE,
  }),
  terminationGracePeriodSeconds: ptr.int64(
    7,
    "Seconds to end when the probe has failed, instead of the pod's; at least 1. Not for readiness probes.",
  ),
}));

export type ProbeHandler = ObjectOf<typeof probeHandler>;

const probeHandler = s.struct("core.v1.ProbeHandler", "How a container is checked; exactly one member is set.", () => ({
  exec: ptr.of(execAction, 1, "Runs a command in the container; exit code 0 is success."),
  httpGet: ptr.of(httpGetAction, 2, "Sends an HTTP request; answers from 200 to 399 are success."),
  tcpSocket: ptr.of(tcpSocketAction, 3, "Opens a connection; that it opens is success."),
  grpc: ptr.of(grpcAction, 4, "Calls the health service of gRPC."),
}));

export type Lifecycle = ObjectOf<typeof lifecycle>;

export const lifecycle = s.struct("core.v1.Lifecycle", "What is done around the life of a container.", () => ({
  postStart: ptr.of(
    lifecycleHandler,
    1,
    "Done right after the start, beside the program. When it fails, the container is restarted.",
  ),
  preStop: ptr.of(
    lifecycleHandler,
    2,
    "Done before the container is stopped on request, within the grace period; not when it ends by itself.",
  ),
  stopSignal: ptr.enumOf(
    "Signal",
    STOP_SIGNALS,
    3,
    "Signal by which the container is stopped. Not set, the one that image or runtime name. Needs `os.name` in the pod.",
    { gate: "ContainerStopSignals" },
  ),
}));

export type LifecycleHandler = ObjectOf<typeof lifecycleHandler>;

const lifecycleHandler = s.struct(
  "core.v1.LifecycleHandler",
  "What is done at one moment of a container's life; exactly one member is set.",
  () => ({
    exec: ptr.of(execAction, 1, "Runs a command in the container."),
    httpGet: ptr.of(httpGetAction, 2, "Sends an HTTP request."),
    tcpSocket: ptr.of(tcpSocketAction, 3, "Not supported as a handler; kept for old clients, it fails when it is run."),
    sleep: ptr.of(sleepAction, 4, "Waits for a while.", { gate: "PodLifecycleSleepAction" }),
  }),
);

const execAction = s.struct("core.v1.ExecAction", "A command that is run in a container.", () => ({
  command: opt.atomic("string", 1, "Program and arguments, started in `/` without a shell."),
}));

export type HTTPGetAction = ObjectOf<typeof httpGetAction>;

const httpGetAction = s.struct("core.v1.HTTPGetAction", "An HTTP request to a container.", () => ({
  path: opt.string(1, "Path of the request. Not set, `/`."),
  port: s.intOrString(2, "Number from 1 to 65535, or name of a port of the container."),
  host: opt.string(3, "Host to which the request goes. Not set, the pod; to change the Host header use `httpHeaders`."),
  scheme: opt.enumOf(
    "URIScheme",
    ["HTTP", "HTTPS"],
    4,
    "`HTTP`, also when not set, or `HTTPS`; certificates are not checked.",
  ),
  httpHeaders: opt.atomic(httpHeader, 5, "Headers of the request; the same name may come several times."),
}));

const httpHeader = s.struct("core.v1.HTTPHeader", "A header of an HTTP request.", () => ({
  name: s.string(1, "Name of the header; letter case does not matter."),
  value: s.string(2, "Value of the header."),
}));

const tcpSocketAction = s.struct("core.v1.TCPSocketAction", "A connection to a container.", () => ({
  port: s.intOrString(1, "Number from 1 to 65535, or name of a port of the container."),
  host: opt.string(2, "Host to connect to. Not set, the pod."),
}));

const grpcAction = s.struct("core.v1.GRPCAction", "A call of the health service of gRPC.", () => ({
  port: s.int32(1, "Port of the service, from 1 to 65535."),
  service: shown.string(2, "Name of the service in the health request. Not set, empty: the server as a whole.", {
    pointer: true,
    default: "",
  }),
}));

const sleepAction = s.struct("core.v1.SleepAction", "A pause.", () => ({
  seconds: s.int64(1, "How long, in seconds; no longer than the grace period of the pod."),
}));
