import { describe, expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { cgroupNameOf, cgroupPath, podCgroup } from "./cgroup-names.ts";

const resources = (amounts: object) => ({ containers: [{ name: "main", resources: amounts }] });
const SAME = { cpu: "1", memory: "1Gi" };

describe("the control group of a pod", () => {
  it.each([
    [
      "Guaranteed",
      resources({ limits: SAME, requests: SAME }),
      "/kubepods/pod1-2",
      "/kubepods.slice/kubepods-pod1_2.slice",
    ],
    [
      "Burstable",
      resources({ requests: { cpu: "1" } }),
      "/kubepods/burstable/pod1-2",
      "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice",
    ],
    [
      "BestEffort",
      {},
      "/kubepods/besteffort/pod1-2",
      "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1_2.slice",
    ],
  ])("of the class %s is named by class and uid", (_, spec, cgroupfs, systemd) => {
    const name = podCgroup(podWith(spec, { uid: "1-2" }));
    expect(cgroupPath(name, "cgroupfs", [])).toBe(cgroupfs);
    expect(cgroupPath(name, "systemd", [])).toBe(systemd);
  });

  it("stands below the root that is configured", () => {
    const name = podCgroup(podWith({}, { uid: "1" }));
    expect(cgroupPath(name, "cgroupfs", cgroupNameOf("/a//b/"))).toBe("/a/b/kubepods/besteffort/pod1");
  });
});
