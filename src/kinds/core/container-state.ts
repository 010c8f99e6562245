// What a container does: it waits, runs or has ended.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type ContainerState = ObjectOf<typeof containerState>;

export const containerState = s.struct(
  "core.v1.ContainerState",
  { doc: "What a container does; exactly one member is set, and `waiting` if none is." },
  () => ({
    waiting: s.of(containerStateWaiting, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The container does not run yet.",
    }),
    running: s.of(containerStateRunning, { proto: 2, optional: true, pointer: true, doc: "The container runs." }),
    terminated: s.of(containerStateTerminated, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The container has ended.",
    }),
  }),
);

export type ContainerStateWaiting = ObjectOf<typeof containerStateWaiting>;

export const containerStateWaiting = s.struct(
  "core.v1.ContainerStateWaiting",
  { doc: "A container that does not run yet." },
  () => ({
    reason: s.string({ proto: 1, optional: true, doc: "Why, in one word for programs, such as `ImagePullBackOff`." }),
    message: s.string({ proto: 2, optional: true, doc: "Why, for people." }),
  }),
);

export type ContainerStateRunning = ObjectOf<typeof containerStateRunning>;

export const containerStateRunning = s.struct(
  "core.v1.ContainerStateRunning",
  { doc: "A container that runs." },
  () => ({
    startedAt: s.time({ proto: 1, required: false, doc: "When it was last started." }),
  }),
);

export type ContainerStateTerminated = ObjectOf<typeof containerStateTerminated>;

export const containerStateTerminated = s.struct(
  "core.v1.ContainerStateTerminated",
  { doc: "A container that has ended." },
  () => ({
    exitCode: s.int32({ proto: 1, doc: "Exit code of the container." }),
    signal: s.int32({ proto: 2, optional: true, doc: "Signal that ended the container." }),
    reason: s.string({
      proto: 3,
      optional: true,
      doc: "Why, in one word for programs, such as `Completed` or `OOMKilled`.",
    }),
    message: s.string({ proto: 4, optional: true, doc: "Last message of the container." }),
    startedAt: s.time({ proto: 5, required: false, doc: "When this run started." }),
    finishedAt: s.time({ proto: 6, required: false, doc: "When this run ended." }),
    containerID: s.string({ proto: 7, optional: true, doc: "Identity of the container, as `<runtime>://<id>`." }),
  }),
);
