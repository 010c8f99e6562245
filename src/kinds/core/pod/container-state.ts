// What a container does: it waits, runs or has ended.

import { opt, ptr, s, shown } from "../../../schema/builder.ts";

export const containerState = s.struct(
  "core.v1.ContainerState",
  "What a container does; exactly one member is set, and `waiting` if none is.",
  () => ({
    waiting: ptr.of(containerStateWaiting, 1, "The container does not run yet."),
    running: ptr.of(containerStateRunning, 2, "The container runs."),
    terminated: ptr.of(containerStateTerminated, 3, "The container has ended."),
  }),
);

const containerStateWaiting = s.struct("core.v1.ContainerStateWaiting", "A container that does not run yet.", () => ({
  reason: opt.string(1, "Why, in one word for programs, such as `ImagePullBackOff`."),
  message: opt.string(2, "Why, for people."),
}));

const containerStateRunning = s.struct("core.v1.ContainerStateRunning", "A container that runs.", () => ({
  startedAt: shown.time(1, "When it was last started."),
}));

const containerStateTerminated = s.struct("core.v1.ContainerStateTerminated", "A container that has ended.", () => ({
  exitCode: s.int32(1, "Exit code of the container."),
  signal: opt.int32(2, "Signal that ended the container."),
  reason: opt.string(3, "Why, in one word for programs, such as `Completed` or `OOMKilled`."),
  message: opt.string(4, "Last message of the container."),
  startedAt: shown.time(5, "When this run started."),
  finishedAt: shown.time(6, "When this run ended."),
  containerID: opt.string(7, "Identity of the container, as `<runtime>://<id>`."),
}));
