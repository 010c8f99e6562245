// What controllers do moves the metrics that upstream has for it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { Metrics } from "../base/metrics.ts";
import { attachDetachController } from "./attach-detach/attach-detach-controller.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";
import { cronJobController } from "./cronjob/cronjob-controller.ts";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice-controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { jobController } from "./job/job-controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle-controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/ttl-after-finished-controller.ts";

const metrics = new Metrics({ release: "1.34" });
const template = (labels: Record<string, string>, spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
let world: ControllersInProcess;

beforeAll(async () => {
  let isLosing = false;
  world = await controllersInProcess({
    definitions: [
      attachDetachController,
      cronJobController,
      endpointSliceController,
      garbageCollector,
      horizontalPodAutoscalerController,
      jobController,
      nodeLifecycleController,
      ttlAfterFinishedController,
    ],
    serverFlags: ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
    metrics,
    // The garbage collector asks now and then which kinds there are.
    fault({ path }) {
      if (!isLosing || path !== "/apis") return undefined;
      isLosing = false;
      return 500;
    },
  });
  isLosing = true;
  await volumes(world);
  await jobs(world);
  await services(world);
  await autoscaler(world);
}, 60_000);

afterAll(() => world.close());

it.each([
  ["attachdetach_controller_total_volumes", 'state="desired_state_of_world"'],
  ["attachdetach_controller_total_volumes", 'state="actual_state_of_world"'],
  ["attach_detach_controller_attachdetach_controller_forced_detaches", 'reason="out-of-service"'],
  ["cronjob_controller_job_creation_skew_duration_seconds_count", ""],
  ["endpoint_slice_controller_changes", 'operation="create"'],
  ["endpoint_slice_controller_desired_endpoint_slices", ""],
  ["endpoint_slice_controller_endpoints_added_per_sync_count", ""],
  ["endpoint_slice_controller_endpoints_desired", ""],
  ["endpoint_slice_controller_endpoints_removed_per_sync_count", ""],
  ["endpoint_slice_controller_endpointslices_changed_per_sync_sum", 'traffic_distribution="PreferClose"'],
  ["endpoint_slice_controller_num_endpoint_slices", ""],
  ["endpoint_slice_controller_services_count_by_traffic_distribution", 'traffic_distribution="PreferClose"'],
  ["endpoint_slice_controller_syncs", 'result="success"'],
  ["garbagecollector_controller_resources_sync_error_total", ""],
  ["horizontal_pod_autoscaler_controller_metric_computation_duration_seconds_count", 'metric_type="Resource"'],
  ["horizontal_pod_autoscaler_controller_metric_computation_total", 'error="internal"'],
  ["horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_count", 'error="internal"'],
  ["horizontal_pod_autoscaler_controller_reconciliations_total", 'error="spec"'],
  ["job_controller_job_finished_indexes_total", 'status="succeeded"'],
  ["job_controller_job_pods_creation_total", 'reason="new"'],
  ["job_controller_job_pods_finished_total", 'result="succeeded"'],
  ["job_controller_job_sync_duration_seconds_count", 'action="pods_created"'],
  ["job_controller_job_syncs_total", 'action="tracking"'],
  ["job_controller_jobs_by_external_controller_total", 'controller_name="acme.io/own"'],
  ["job_controller_jobs_finished_total", 'result="succeeded"'],
  ["job_controller_pod_failures_handled_by_failure_policy_total", 'action="FailJob"'],
  ["job_controller_terminated_pods_tracking_finalizer_total", 'event="add"'],
  ["job_controller_terminated_pods_tracking_finalizer_total", 'event="delete"'],
  ["node_collector_unhealthy_nodes_in_zone", ""],
  ["node_collector_update_all_nodes_health_duration_seconds_count", ""],
  ["node_collector_update_node_health_duration_seconds_count", ""],
  ["node_collector_zone_size", ""],
  ["ttl_after_finished_controller_job_deletion_duration_seconds_count", ""],
  ["workqueue_adds_total", 'name="job-controller"'],
  ["workqueue_queue_duration_seconds_count", 'name="job-controller"'],
  ["workqueue_work_duration_seconds_count", 'name="job-controller"'],
])("%s{%s} moves", async (name, label) => {
  await world.eventually(async () => {
    const lines = (await metrics.text()).split("\n").filter((line) => /^\w+/.exec(line)?.[0] === name);
    const moved = lines.filter((line) => line.includes(label) && Number(line.slice(line.lastIndexOf(" "))) > 0);
    expect(moved, lines.join("\n")).not.toEqual([]);
  });
});

it.each(["workqueue_depth", "workqueue_longest_running_processor_seconds", "workqueue_unfinished_work_seconds"])(
  "%s is there",
  async (name) => expect(await metrics.text()).toContain(`${name}{name="job-controller"} `),
);

/** One that a pod uses and one whose pod is gone, on a node that is out of service and still uses both. */
async function volumes({ client, eventually }: ControllersInProcess): Promise<void> {
  const { names } = client;
  const annotations = { [names.managedAttachAnnotation]: "true" };
  await client.core.v1.nodes().create({ metadata: { name: "n", annotations } });
  for (const name of ["used", "left"]) {
    const size = { storage: "1Gi" };
    const claim = await client.core.v1.persistentVolumeClaims("default").create({
      metadata: { name },
      spec: { volumeName: name, storageClassName: "", accessModes: ["ReadWriteOnce"], resources: { requests: size } },
    });
    await client.core.v1.persistentVolumes().create({
      metadata: { name },
      spec: {
        capacity: size,
        accessModes: ["ReadWriteOnce"],
        csi: { driver: "disk.acme.io", volumeHandle: name },
        claimRef: { namespace: "default", name, uid: claim.metadata.uid },
      },
    });
    const volume = { name: "v", persistentVolumeClaim: { claimName: name } };
    await client.core.v1.pods("default").create({
      metadata: { name },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes: [volume] },
    });
  }
  const attachments = client.storage.v1.volumeAttachments();
  await eventually(async () => expect((await attachments.list()).items).toHaveLength(2));
  for (const { metadata } of (await attachments.list()).items)
    await attachments.status.patch(metadata.name, { merge: { status: { attached: true } } });
  const volumesInUse = ["used", "left"].map((name) => `${names.csiVolumePrefix}disk.acme.io^${name}`);
  await client.core.v1.nodes().status.patch("n", { merge: { status: { volumesInUse } } });
  const taints = [{ key: names.outOfServiceTaint, effect: "NoExecute" as const }];
  await client.core.v1.nodes().patch("n", { merge: { spec: { taints } } });
  await client.core.v1.pods("default").delete("left", { gracePeriodSeconds: 0 });
}

async function jobs({ client, clock, eventually }: ControllersInProcess): Promise<void> {
  const all = client.batch.v1.jobs("default");
  const task = template({}, { restartPolicy: "Never" as const });
  const rule = { action: "FailJob" as const, onExitCodes: { operator: "In" as const, values: [3] } };
  await all.create({
    metadata: { name: "good" },
    spec: { completions: 1, completionMode: "Indexed", ttlSecondsAfterFinished: 1, template: task },
  });
  await all.create({ metadata: { name: "bad" }, spec: { podFailurePolicy: { rules: [rule] }, template: task } });
  await all.create({ metadata: { name: "other" }, spec: { managedBy: "acme.io/own", template: task } });
  await client.batch.v1.cronJobs("default").create({
    metadata: { name: "c" },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: task } } },
  });
  const pods = client.core.v1.pods("default");
  const podOf = async (job: string) => {
    const { items } = await pods.list({ labelSelector: `job-name=${job}` });
    expect(items).toHaveLength(1);
    return items[0]!.metadata.name;
  };
  const good = await eventually(() => podOf("good"));
  await pods.status.patch(good, { merge: { status: { phase: "Succeeded" } } });
  const terminated = { exitCode: 3, reason: "Error" };
  const containerStatuses = [
    { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state: { terminated } },
  ];
  const bad = await eventually(() => podOf("bad"));
  await pods.status.patch(bad, { merge: { status: { phase: "Failed", containerStatuses } } });
  await eventually(async () => expect((await all.get("bad")).status.conditions?.at(-1)?.type).toBe("Failed"));
  await clock.advance(61_000);
}

async function services({ client }: ControllersInProcess): Promise<void> {
  await client.core.v1.services("default").create({
    metadata: { name: "s" },
    spec: { selector: { app: "s" }, ports: [{ port: 80 }], trafficDistribution: "PreferClose" },
  });
  const pods = client.core.v1.pods("default");
  await pods.create({ metadata: { name: "s", labels: { app: "s" } }, spec: { ...template({}).spec, nodeName: "n" } });
  const conditions = [{ type: "Ready", status: "True" as const }];
  const status = { phase: "Running" as const, podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], conditions };
  await pods.status.patch("s", { merge: { status } });
}

/** One whose metric nobody serves, and one that points at nothing that exists. */
async function autoscaler({ client, clock, eventually }: ControllersInProcess): Promise<void> {
  const labels = { app: "r" };
  await client.apps.v1.replicaSets("default").create({
    metadata: { name: "r" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: template(labels) },
  });
  const all = client.autoscaling.v2.horizontalPodAutoscalers("default");
  for (const [name, kind] of [
    ["a", "ReplicaSet"],
    ["b", "Nothing"],
  ] as const)
    await all.create({
      metadata: { name },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind, name: "r" }, maxReplicas: 3 },
    });
  await eventually(async () => {
    await clock.advance(1_000);
    const { items } = await all.list();
    expect(items.every(({ status }) => status.conditions !== undefined)).toBe(true);
  });
}
