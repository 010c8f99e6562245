import { expect, it } from "vitest";
import { deadContainers, deadSandboxes } from "./dead-containers.ts";
import { run, runtimePod, sandbox } from "./runtime-pod.testing.ts";

it("keeps the newest run of each container and the one before", () => {
  const runs = [
    run("a", "running", { restartCount: 3 }),
    run("a", "exited", { restartCount: 2 }),
    run("a", "exited", { restartCount: 1 }),
    run("a", "exited"),
    run("b", "exited"),
  ];
  expect(deadContainers(runtimePod(runs)).map(({ id }) => id)).toEqual(["a-1", "a-0"]);
});

it("keeps what runs, however old", () => {
  const runs = [run("a", "exited", { restartCount: 2 }), run("a", "exited", { restartCount: 1 }), run("a", "running")];
  expect(deadContainers(runtimePod(runs))).toEqual([]);
});

it("keeps the newest sandbox, and those with containers", () => {
  const sandboxes = [
    sandbox({ id: "s2", ready: false }),
    sandbox({ id: "s1", ready: false }),
    sandbox({ id: "s0", ready: false }),
  ];
  expect(deadSandboxes(runtimePod([run("a", "exited")], sandboxes)).map(({ id }) => id)).toEqual(["s1"]);
});
