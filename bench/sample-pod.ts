// A Pod as a Deployment makes it and a node reports it, about 4 KiB in JSON: the yardstick of the codec benchmarks.

const at = "2025-06-01T08:30:00Z";

export const samplePod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: {
    name: "web-6d4cf56db6-x7k2p",
    generateName: "web-6d4cf56db6-",
    namespace: "shop",
    uid: "5c2bb3a5-7f3e-4a55-9f0e-0d3d6c2f8b11",
    resourceVersion: "183745",
    generation: 1,
    creationTimestamp: at,
    labels: { app: "web", "pod-template-hash": "6d4cf56db6", tier: "front" },
    annotations: { "example.com/scrape": "true", "example.com/port": "9102" },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web-6d4cf56db6",
        uid: "b6f1c0de-3c57-44f9-8f0e-9a4bb8a1c0aa",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      {
        manager: "controller-manager",
        operation: "Update",
        apiVersion: "v1",
        time: at,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": {
            "f:annotations": { ".": {}, "f:example.com/port": {}, "f:example.com/scrape": {} },
            "f:generateName": {},
            "f:labels": { ".": {}, "f:app": {}, "f:pod-template-hash": {}, "f:tier": {} },
            "f:ownerReferences": { ".": {}, 'k:{"uid":"b6f1c0de-3c57-44f9-8f0e-9a4bb8a1c0aa"}': {} },
          },
          "f:spec": {
            "f:containers": {
              'k:{"name":"web"}': {
                ".": {},
                "f:env": { ".": {}, 'k:{"name":"LOG_LEVEL"}': { ".": {}, "f:name": {}, "f:value": {} } },
                "f:image": {},
                "f:imagePullPolicy": {},
                "f:name": {},
                "f:ports": {
                  ".": {},
                  'k:{"containerPort":8080,"protocol":"TCP"}': {
                    ".": {},
                    "f:containerPort": {},
                    "f:name": {},
                    "f:protocol": {},
                  },
                },
                "f:resources": { ".": {}, "f:limits": {}, "f:requests": {} },
              },
            },
            "f:dnsPolicy": {},
            "f:restartPolicy": {},
            "f:terminationGracePeriodSeconds": {},
          },
        },
      },
    ],
  },
  spec: {
    volumes: [
      { name: "config", configMap: { name: "web-config", defaultMode: 420 } },
      {
        name: "token",
        projected: {
          sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: "web",
        image: "registry.example.com/shop/web:1.42.0",
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        env: [
          { name: "LOG_LEVEL", value: "info" },
          { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
        ],
        resources: { limits: { cpu: "500m", memory: "512Mi" }, requests: { cpu: "100m", memory: "256Mi" } },
        volumeMounts: [
          { name: "config", readOnly: true, mountPath: "/etc/web" },
          { name: "token", readOnly: true, mountPath: "/var/run/secrets/token" },
        ],
        readinessProbe: {
          httpGet: { path: "/ready", port: 8080, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "web",
    serviceAccount: "web",
    nodeName: "node-17",
    securityContext: { runAsNonRoot: true },
    schedulerName: "default-scheduler",
    tolerations: [
      { key: "node.example.com/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "node.example.com/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  },
  status: {
    phase: "Running",
    conditions: [
      { type: "Initialized", status: "True", lastProbeTime: null, lastTransitionTime: at },
      { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: at },
      { type: "ContainersReady", status: "True", lastProbeTime: null, lastTransitionTime: at },
      { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: at },
    ],
    hostIP: "10.0.0.17",
    podIP: "10.244.3.9",
    podIPs: [{ ip: "10.244.3.9" }],
    startTime: at,
    containerStatuses: [
      {
        name: "web",
        state: { running: { startedAt: at } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: "registry.example.com/shop/web:1.42.0",
        imageID:
          "registry.example.com/shop/web@sha256:8f4c0b1de2c7a94a8b3f1e0d5a6c7b8e9f00112233445566778899aabbccddee",
        containerID: "containerd://1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        started: true,
      },
    ],
    qosClass: "Burstable",
  },
};

/** As somebody creates it; the label `tenth` is one of so many. */
export function newPodText(serial: number, tenths: number): string {
  const { metadata, spec, kind, apiVersion } = samplePod;
  const { labels, annotations } = metadata;
  const { nodeName: _, ...rest } = spec as typeof spec & { readonly nodeName?: string };
  const named = { name: `pod-${serial}`, labels: { ...labels, tenth: `${serial % tenths}` }, annotations };
  return JSON.stringify({ kind, apiVersion, metadata: named, spec: { ...rest, serviceAccountName: "default" } });
}
