// Probes of a container and what happens around its life.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Probe = ObjectOf<typeof probe>;

export const probe = s.struct("core.v1.Probe", { doc: "A check of a container, done again and again." }, () => ({
  probeHandler: s.inline(probeHandler, { proto: 1, protoName: "handler" }),
  initialDelaySeconds: s.int32({ proto: 2, optional: true }),
  timeoutSeconds: s.int32({ proto: 3, optional: true }),
  periodSeconds: s.int32({ proto: 4, optional: true }),
  successThreshold: s.int32({ proto: 5, optional: true }),
  failureThreshold: s.int32({ proto: 6, optional: true }),
  terminationGracePeriodSeconds: s.int64({ proto: 7, optional: true, pointer: true }),
}));

export type ProbeHandler = ObjectOf<typeof probeHandler>;

export const probeHandler = s.struct("core.v1.ProbeHandler", () => ({
  exec: s.of(execAction, { proto: 1, optional: true, pointer: true }),
  httpGet: s.of(httpGetAction, { proto: 2, optional: true, pointer: true }),
  tcpSocket: s.of(tcpSocketAction, { proto: 3, optional: true, pointer: true }),
  grpc: s.of(grpcAction, { proto: 4, optional: true, pointer: true }),
}));

export type Lifecycle = ObjectOf<typeof lifecycle>;

export const lifecycle = s.struct("core.v1.Lifecycle", () => ({
  postStart: s.of(lifecycleHandler, { proto: 1, optional: true, pointer: true }),
  preStop: s.of(lifecycleHandler, { proto: 2, optional: true, pointer: true }),
  stopSignal: s.enumOf(
    [
      "SIGABRT",
      "SIGALRM",
      "SIGBUS",
      "SIGCHLD",
      "SIGCLD",
      "SIGCONT",
      "SIGFPE",
      "SIGHUP",
      "SIGILL",
      "SIGINT",
      "SIGIO",
      "SIGIOT",
      "SIGKILL",
      "SIGPIPE",
      "SIGPOLL",
      "SIGPROF",
      "SIGPWR",
      "SIGQUIT",
      "SIGRTMAX",
      "SIGRTMAX-1",
      "SIGRTMAX-10",
      "SIGRTMAX-11",
      "SIGRTMAX-12",
      "SIGRTMAX-13",
      "SIGRTMAX-14",
      "SIGRTMAX-2",
      "SIGRTMAX-3",
      "SIGRTMAX-4",
      "SIGRTMAX-5",
      "SIGRTMAX-6",
      "SIGRTMAX-7",
      "SIGRTMAX-8",
      "SIGRTMAX-9",
      "SIGRTMIN",
      "SIGRTMIN+1",
      "SIGRTMIN+10",
      "SIGRTMIN+11",
      "SIGRTMIN+12",
      "SIGRTMIN+13",
      "SIGRTMIN+14",
      "SIGRTMIN+15",
      "SIGRTMIN+2",
      "SIGRTMIN+3",
      "SIGRTMIN+4",
      "SIGRTMIN+5",
      "SIGRTMIN+6",
      "SIGRTMIN+7",
      "SIGRTMIN+8",
      "SIGRTMIN+9",
      "SIGSEGV",
      "SIGSTKFLT",
      "SIGSTOP",
      "SIGSYS",
      "SIGTERM",
      "SIGTRAP",
      "SIGTSTP",
      "SIGTTIN",
      "SIGTTOU",
      "SIGURG",
      "SIGUSR1",
      "SIGUSR2",
      "SIGVTALRM",
      "SIGWINCH",
      "SIGXCPU",
      "SIGXFSZ",
    ],
    { alias: "Signal", proto: 3, optional: true, pointer: true },
  ),
}));

export type LifecycleHandler = ObjectOf<typeof lifecycleHandler>;

export const lifecycleHandler = s.struct("core.v1.LifecycleHandler", () => ({
  exec: s.of(execAction, { proto: 1, optional: true, pointer: true }),
  httpGet: s.of(httpGetAction, { proto: 2, optional: true, pointer: true }),
  tcpSocket: s.of(tcpSocketAction, { proto: 3, optional: true, pointer: true }),
  sleep: s.of(sleepAction, { proto: 4, optional: true, pointer: true, gate: "PodLifecycleSleepAction" }),
}));

export type ExecAction = ObjectOf<typeof execAction>;

export const execAction = s.struct("core.v1.ExecAction", () => ({
  command: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
}));

export type HTTPGetAction = ObjectOf<typeof httpGetAction>;

export const httpGetAction = s.struct("core.v1.HTTPGetAction", () => ({
  path: s.string({ proto: 1, optional: true }),
  port: s.intOrString({ proto: 2 }),
  host: s.string({ proto: 3, optional: true }),
  scheme: s.enumOf(["HTTP", "HTTPS"], { alias: "URIScheme", proto: 4, optional: true }),
  httpHeaders: s.list(httpHeader, { proto: 5, optional: true, listType: "atomic" }),
}));

export type HTTPHeader = ObjectOf<typeof httpHeader>;

export const httpHeader = s.struct("core.v1.HTTPHeader", () => ({
  name: s.string({ proto: 1 }),
  value: s.string({ proto: 2 }),
}));

export type TCPSocketAction = ObjectOf<typeof tcpSocketAction>;

export const tcpSocketAction = s.struct("core.v1.TCPSocketAction", () => ({
  port: s.intOrString({ proto: 1 }),
  host: s.string({ proto: 2, optional: true }),
}));

export type GRPCAction = ObjectOf<typeof grpcAction>;

export const grpcAction = s.struct("core.v1.GRPCAction", () => ({
  port: s.int32({ proto: 1 }),
  service: s.string({ proto: 2, required: false, pointer: true, default: "" }),
}));

export type SleepAction = ObjectOf<typeof sleepAction>;

export const sleepAction = s.struct("core.v1.SleepAction", () => ({
  seconds: s.int64({ proto: 1 }),
}));
