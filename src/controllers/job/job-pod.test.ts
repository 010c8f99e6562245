import { describe, expect, it } from "vitest";
import { jobPod, names, testJob } from "./job.testing.ts";
import { completionIndex, podOfJob } from "./job-pod.ts";

describe("the pod of a job", () => {
  it("is its template's, with an owner and a finalizer that keeps it until it is counted", () => {
    const { metadata, spec } = podOfJob(testJob(), names);
    expect(metadata).toMatchObject({ generateName: "j-", finalizers: ["batch.kubernetes.io/job-tracking"] });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "j", uid: "job", controller: true }]);
    expect(spec.hostname).toBeUndefined();
    expect(spec.containers?.[0]?.env).toBeUndefined();
  });

  it("of an index says which, in its name, labels, annotations, host name and environment", () => {
    const job = testJob({ completionMode: "Indexed" });
    job.spec.template.spec.initContainers = [
      { name: "i", image: "i", resources: {}, env: [{ name: "A", value: "b" }] },
    ];
    const { metadata, spec } = podOfJob(job, names, 3);
    expect(metadata.generateName).toBe("j-3-");
    expect(metadata.labels).toEqual({ "batch.kubernetes.io/job-completion-index": "3" });
    expect(metadata.annotations).toEqual({ "batch.kubernetes.io/job-completion-index": "3" });
    expect(spec.hostname).toBe("j-3");
    const variable = {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: {
        fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
      },
    };
    expect(spec.containers?.[0]?.env).toEqual([variable]);
    expect(spec.initContainers?.[0]?.env).toEqual([{ name: "A", value: "b" }, variable]);
    expect(job.spec.template.spec.containers?.[0]?.env).toBeUndefined();
  });

  it("leaves a variable of the same name to the user", () => {
    const job = testJob({ completionMode: "Indexed" });
    job.spec.template.spec.containers![0]!.env = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
    expect(podOfJob(job, names, 0).spec.containers?.[0]?.env).toEqual([
      { name: "JOB_COMPLETION_INDEX", value: "mine" },
    ]);
  });

  it("has a name that fits, however long the job's", () => {
    const job = testJob({ completionMode: "Indexed" });
    job.metadata.name = "x".repeat(63);
    expect(podOfJob(job, names, 12).metadata.generateName).toBe(`${"x".repeat(54)}-12-`);
  });

  const policy = { rules: [{ action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [9] } }] };
  const counts: [
    what: string,
    pod: Parameters<typeof jobPod>[1] | undefined,
    counted: string,
    ignored: string | undefined,
  ][] = [
    ["the first of its index", undefined, "0", undefined],
    ["the next after a failure", { exitCode: 1, failuresBefore: 2 }, "3", undefined],
    ["the next after one that is ignored", { exitCode: 9, failuresBefore: 2, ignoredBefore: 1 }, "2", "2"],
  ];
  it.each(counts)("%s knows how many failed before", (_what, replaced, counted, ignored) => {
    const job = testJob({ completionMode: "Indexed", backoffLimitPerIndex: 5, podFailurePolicy: policy });
    const { annotations } = podOfJob(job, names, 0, replaced && jobPod("p", { phase: "Failed", ...replaced })).metadata;
    expect(annotations[names.indexFailureCountAnnotation]).toBe(counted);
    expect(annotations[names.indexIgnoredFailureCountAnnotation]).toBe(ignored);
  });

  it.each(["", "x", "-1", "1.5", "99999999999", "0x1"])("has no index when it says %j", (index) => {
    expect(completionIndex(jobPod("p", { index }), names)).toBeUndefined();
  });
});
