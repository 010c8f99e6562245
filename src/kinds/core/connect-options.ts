// What requests to pods, nodes and services may ask for (log, exec, attach, port-forward, proxy).

import { s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { typeMeta } from "../meta/object-meta.ts";

export type PodExecOptions = ObjectOf<typeof podExecOptionsSchema>;

export const podExecOptionsSchema = s.struct("core.v1.PodExecOptions", () => ({
  typeMeta: s.inline(typeMeta),
  stdin: s.boolean({ proto: 1, optional: true }),
  stdout: s.boolean({ proto: 2, optional: true }),
  stderr: s.boolean({ proto: 3, optional: true }),
  tty: s.boolean({ proto: 4, optional: true }),
  container: s.string({ proto: 5, optional: true }),
  command: s.list("string", { proto: 6, listType: "atomic" }),
}));

export type PodAttachOptions = ObjectOf<typeof podAttachOptionsSchema>;

export const podAttachOptionsSchema = s.struct("core.v1.PodAttachOptions", () => ({
  typeMeta: s.inline(typeMeta),
  stdin: s.boolean({ proto: 1, optional: true }),
  stdout: s.boolean({ proto: 2, optional: true }),
  stderr: s.boolean({ proto: 3, optional: true }),
  tty: s.boolean({ proto: 4, optional: true }),
  container: s.string({ proto: 5, optional: true }),
}));

export type PodPortForwardOptions = ObjectOf<typeof podPortForwardOptionsSchema>;

export const podPortForwardOptionsSchema = s.struct("core.v1.PodPortForwardOptions", () => ({
  typeMeta: s.inline(typeMeta),
  ports: s.list("int32", { proto: 1, optional: true, listType: "atomic" }),
}));

export type PodProxyOptions = ObjectOf<typeof podProxyOptionsSchema>;

export const podProxyOptionsSchema = s.struct("core.v1.PodProxyOptions", () => ({
  typeMeta: s.inline(typeMeta),
  path: s.string({ proto: 1, optional: true }),
}));

export type NodeProxyOptions = ObjectOf<typeof nodeProxyOptionsSchema>;

export const nodeProxyOptionsSchema = s.struct("core.v1.NodeProxyOptions", () => ({
  typeMeta: s.inline(typeMeta),
  path: s.string({ proto: 1, optional: true }),
}));

export type ServiceProxyOptions = ObjectOf<typeof serviceProxyOptionsSchema>;

export const serviceProxyOptionsSchema = s.struct("core.v1.ServiceProxyOptions", () => ({
  typeMeta: s.inline(typeMeta),
  path: s.string({ proto: 1, optional: true }),
}));

export type PodLogOptions = ObjectOf<typeof podLogOptionsSchema>;

export const podLogOptionsSchema = s.struct("core.v1.PodLogOptions", () => ({
  typeMeta: s.inline(typeMeta),
  container: s.string({ proto: 1, optional: true }),
  follow: s.boolean({ proto: 2, optional: true }),
  previous: s.boolean({ proto: 3, optional: true }),
  sinceSeconds: s.int64({ proto: 4, optional: true, pointer: true }),
  sinceTime: s.time({ proto: 5, optional: true, pointer: true }),
  timestamps: s.boolean({ proto: 6, optional: true }),
  tailLines: s.int64({ proto: 7, optional: true, pointer: true }),
  limitBytes: s.int64({ proto: 8, optional: true, pointer: true }),
  insecureSkipTLSVerifyBackend: s.boolean({ proto: 9, optional: true }),
  stream: s.string({ proto: 10, optional: true, pointer: true, gate: "PodLogsQuerySplitStreams" }),
}));

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
