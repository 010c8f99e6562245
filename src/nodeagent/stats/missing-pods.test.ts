import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ContainerStats, PodSandboxStats } from "../cri/stats-messages.ts";
import { withMissingPods } from "./missing-pods.ts";

const pod = (uid: string) => ({ metadata: { name: `name-${uid}`, namespace: "n", uid }, spec: {} }) as unknown as Pod;
const container = (uid: string, name: string, cpu: number, memory?: number) =>
  ({
    attributes: { labels: { "pod-uid": uid }, metadata: { name } },
    cpu: { timestamp: cpu, usageCoreNanoSeconds: { value: cpu } },
    memory: { timestamp: 5, ...(memory === undefined ? {} : { workingSetBytes: { value: memory } }) },
  }) as unknown as ContainerStats;
const sandbox = (uid: string, linux?: object) =>
  ({ attributes: { metadata: { uid, name: `name-${uid}`, namespace: "n" } }, linux }) as unknown as PodSandboxStats;

describe("what pods use", () => {
  it("is what their containers use where the runtime tells nothing of a pod", () => {
    const containers = [container("a", "one", 3, 10), container("a", "two", 4), container("unknown", "x", 1)];
    expect(withMissingPods({ sandboxes: [], containers }, [pod("a"), pod("b")], "pod-uid")).toMatchObject([
      {
        attributes: { metadata: { uid: "a", name: "name-a", namespace: "n" } },
        linux: {
          cpu: { timestamp: 4, usageCoreNanoSeconds: { value: 7 } },
          memory: { timestamp: 5, workingSetBytes: { value: 10 }, rssBytes: undefined },
          containers: [containers[0], containers[1]],
        },
      },
    ]);
  });

  it("is what the runtime tells, with the containers that it tells of elsewhere", () => {
    const whole = sandbox("a", { cpu: { timestamp: 9 }, containers: [container("a", "own", 1)] });
    const bare = sandbox("b");
    const containers = [container("a", "one", 3), container("b", "two", 4)];
    const [first, second, ...more] = withMissingPods(
      { sandboxes: [whole, bare], containers },
      [pod("a"), pod("b")],
      "pod-uid",
    );
    expect(first).toBe(whole);
    expect(second?.linux?.containers).toEqual([containers[1]]);
    expect(more).toEqual([]);
  });
});
