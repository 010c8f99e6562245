// What requests to pods, nodes and services may ask for (log, exec, attach, port-forward, proxy).

import { opt, ptr, s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { typeMeta } from "../meta/object-meta.ts";

const podExecOptionsSchema = s.struct(
  "core.v1.PodExecOptions",
  "How a command is run in a container of a pod.",
  () => ({
    typeMeta: s.inline(typeMeta),
    stdin: opt.boolean(1, "Whether the client sends the standard input of the command. Not set means no."),
    stdout: opt.boolean(2, "Whether the client gets the standard output of the command."),
    stderr: opt.boolean(3, "Whether the client gets the standard error of the command."),
    tty: opt.boolean(4, "Whether the command runs in a terminal. Not set means no."),
    container: opt.string(5, "The container in which it runs. May be left out when the pod has only one."),
    command: s.atomic("string", 6, "The program and its arguments. No shell is involved."),
  }),
);

const podAttachOptionsSchema = s.struct(
  "core.v1.PodAttachOptions",
  "How a client attaches to the running process of a container.",
  () => ({
    typeMeta: s.inline(typeMeta),
    stdin: opt.boolean(1, "Whether the client sends the standard input of the process. Not set means no."),
    stdout: opt.boolean(2, "Whether the client gets the standard output of the process."),
    stderr: opt.boolean(
      3,
      "Whether the client gets the standard error of the process; with a terminal it comes with the output.",
    ),
    tty: opt.boolean(4, "Whether the process has been given a terminal. Not set means no."),
    container: opt.string(5, "The container to attach to. May be left out when the pod has only one."),
  }),
);

const podPortForwardOptionsSchema = s.struct(
  "core.v1.PodPortForwardOptions",
  "Which ports of a pod are forwarded to the client.",
  () => ({
    typeMeta: s.inline(typeMeta),
    ports: opt.atomic("int32", 1, "Ports to forward. Needed over WebSocket; over SPDY each stream names its own."),
  }),
);

const podProxyOptionsSchema = s.struct("core.v1.PodProxyOptions", "How a request is passed on to a pod.", () => ({
  typeMeta: s.inline(typeMeta),
  path: opt.string(1, "Path of the request as the pod sees it."),
}));

const nodeProxyOptionsSchema = s.struct("core.v1.NodeProxyOptions", "How a request is passed on to a node.", () => ({
  typeMeta: s.inline(typeMeta),
  path: opt.string(1, "Path of the request as the node agent sees it."),
}));

const serviceProxyOptionsSchema = s.struct(
  "core.v1.ServiceProxyOptions",
  "How a request is passed on to a service.",
  () => ({
    typeMeta: s.inline(typeMeta),
    path: opt.string(1, "Path of the request as the service sees it."),
  }),
);

export type PodLogOptions = ObjectOf<typeof podLogOptionsSchema>;

const podLogOptionsSchema = s.struct(
  "core.v1.PodLogOptions",
  "Which part of the log of a container is read, and how.",
  () => ({
    typeMeta: s.inline(typeMeta),
    container: opt.string(1, "The container whose log is read. May be left out when the pod has only one."),
    follow: opt.boolean(2, "Whether the answer goes on with new lines until the container ends. Not set means no."),
    previous: opt.boolean(
      3,
      "Whether to read the log of the container's run before the last restart. Not set means no.",
    ),
    sinceSeconds: ptr.int64(4, "Only lines of the last so many seconds. Not together with `sinceTime`."),
    sinceTime: ptr.time(5, "Only lines from this time on. Not together with `sinceSeconds`."),
    timestamps: opt.boolean(6, "Whether each line starts with its time in RFC 3339. Not set means no."),
    tailLines: ptr.int64(7, "Only so many lines at the end of the log; 0 for none. Not set means all of it."),
    limitBytes: ptr.int64(
      8,
      "The answer ends after about so many bytes, perhaps within a line. Not set means no limit.",
    ),
    insecureSkipTLSVerifyBackend: opt.boolean(
      9,
      "Whether the certificate of the node agent is left unchecked. The log may then come from someone else.",
    ),
    stream: ptr.string(
      10,
      "`All`, `Stdout` or `Stderr`; not set means `All`. One stream alone cannot be combined with `tailLines`.",
      { gate: "PodLogsQuerySplitStreams" },
    ),
  }),
);

export const podExecOptions = defineBody({
  group: "",
  version: "v1",
  kind: "PodExecOptions",
  scope: "Namespaced",
  schema: podExecOptionsSchema,
});
export const podAttachOptions = defineBody({
  group: "",
  version: "v1",
  kind: "PodAttachOptions",
  scope: "Namespaced",
  schema: podAttachOptionsSchema,
});
export const podPortForwardOptions = defineBody({
  group: "",
  version: "v1",
  kind: "PodPortForwardOptions",
  scope: "Namespaced",
  schema: podPortForwardOptionsSchema,
});
export const podProxyOptions = defineBody({
  group: "",
  version: "v1",
  kind: "PodProxyOptions",
  scope: "Namespaced",
  schema: podProxyOptionsSchema,
});
export const nodeProxyOptions = defineBody({
  group: "",
  version: "v1",
  kind: "NodeProxyOptions",
  scope: "Cluster",
  schema: nodeProxyOptionsSchema,
});
export const serviceProxyOptions = defineBody({
  group: "",
  version: "v1",
  kind: "ServiceProxyOptions",
  scope: "Namespaced",
  schema: serviceProxyOptionsSchema,
});
export const podLogOptions = defineBody({
  group: "",
  version: "v1",
  kind: "PodLogOptions",
  scope: "Namespaced",
  schema: podLogOptionsSchema,
});
