import { describe, expect, it } from "vitest";
import type { StorageClass } from "../../kinds/storage/storage-class.ts";
import { namesFor } from "../../meta/names.ts";
import { boundClaim, boundStatus, boundVolume } from "./bound.ts";
import { judgeClaim } from "./judge-claim.ts";
import { judgeVolume, type VolumeStep } from "./judge-volume.ts";
import { bestVolume, type Claim, mismatch, type Volume } from "./match-volume.ts";
import { reclaimOf } from "./reclaim-volume.ts";
import { reference, testClaim, testVolume } from "./volumes.testing.ts";

const names = namesFor("kubernetes");
const COMPLETED = { annotations: { [names.bindCompletedAnnotation]: "yes" } };
const storage = (size: string) => ({ resources: { requests: { storage: size } } });
const sized = (name: string, size: string, spec: object = {}) =>
  testVolume(name, { spec: { capacity: { storage: size }, ...spec } });

describe("a claim", () => {
  const volumes = [
    sized("big", "10Gi"),
    sized("small", "2Gi"),
    sized("shared", "1Gi", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }),
    testVolume("block", { spec: { volumeMode: "Block" } }),
    testVolume("gold", { metadata: { labels: { tier: "gold" } }, spec: { storageClassName: "labelled" } }),
    testVolume("new", { spec: { storageClassName: "fresh" }, status: { phase: "Pending" } }),
    testVolume("used", { spec: { storageClassName: "used" }, status: { phase: "Released" } }),
    testVolume("other", { spec: { storageClassName: "taken", claimRef: reference("else", "u") } }),
    testVolume("going", {
      metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" },
      spec: { storageClassName: "going" },
    }),
    testVolume("reserved going", {
      metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" },
      spec: { capacity: { storage: "50Gi" }, claimRef: reference("old") },
    }),
    testVolume("reserved", { spec: { storageClassName: "late", claimRef: reference("res") } }),
    testVolume("late", { spec: { storageClassName: "late" } }),
  ];
  const cases: [what: string, claim: Claim, isWaiting: boolean, found: string | undefined][] = [
    ["gets the smallest that is large enough", testClaim("c"), false, "small"],
    ["gets a larger one when it asks for more", testClaim("c", { spec: storage("3Gi") }), false, "big"],
    ["gets none that is too small", testClaim("c", { spec: storage("100Gi") }), false, undefined],
    ["may be open to many only there", testClaim("c", { spec: { accessModes: ["ReadWriteMany"] } }), false, "shared"],
    ["for a device gets a device", testClaim("c", { spec: { volumeMode: "Block" } }), false, "block"],
    [
      "looks at labels",
      testClaim("c", { spec: { storageClassName: "labelled", selector: { matchLabels: { tier: "silver" } } } }),
      false,
      undefined,
    ],
    ["gets what nobody has looked at yet", testClaim("c", { spec: { storageClassName: "fresh" } }), false, "new"],
    ["leaves alone what was another's", testClaim("c", { spec: { storageClassName: "used" } }), false, undefined],
    ["leaves alone what is another's", testClaim("c", { spec: { storageClassName: "taken" } }), false, undefined],
    ["leaves alone what is going", testClaim("c", { spec: { storageClassName: "going" } }), false, undefined],
    ["gets what is kept for it", testClaim("res", { spec: { storageClassName: "late" } }), true, "reserved"],
    ["gets what is kept for it, of whatever class", testClaim("res"), false, "reserved"],
    ["leaves alone what is kept for it and going", testClaim("old", { spec: storage("20Gi") }), false, undefined],
    ["waits for its first consumer", testClaim("c", { spec: { storageClassName: "late" } }), true, undefined],
  ];
  it.each(cases)("%s", (_what, claim, isWaiting, found) => {
    expect(bestVolume(claim, volumes, isWaiting, names)?.metadata.name).toBe(found);
  });

  const mismatches: [volume: Volume, why: string | undefined][] = [
    [testVolume("v"), undefined],
    [sized("v", "1Mi"), "requested PV is too small"],
    [testVolume("v", { spec: { storageClassName: "x" } }), "storageClassName does not match"],
    [testVolume("v", { spec: { volumeAttributesClassName: "x" } }), "volumeAttributesClassName does not match"],
    [testVolume("v", { spec: { volumeMode: "Block" } }), "incompatible volumeMode"],
    [testVolume("v", { spec: { accessModes: ["ReadOnlyMany"] } }), "incompatible accessMode"],
    [testVolume("v", { metadata: { deletionTimestamp: "x" } }), 'the volume is marked for deletion "v"'],
  ];
  it.each(mismatches)("and a volume fit or not: %j is %s", (volume, why) => {
    expect(mismatch(volume, testClaim("c"), names)).toBe(why);
  });
});

describe("what a claim does next", () => {
  const classes: Record<string, Partial<StorageClass>> = {
    dyn: { provisioner: "acme.io/csi" },
    wait: { provisioner: "acme.io/csi", volumeBindingMode: "WaitForFirstConsumer" },
    none: { provisioner: names.noProvisioner },
  };
  const volumes: Record<string, Volume> = {
    free: testVolume("free", { spec: { storageClassName: "free" } }),
    tiny: sized("tiny", "1Mi"),
    mine: testVolume("mine", { spec: { claimRef: reference("m", "uid-m") } }),
    kept: testVolume("kept", { spec: { storageClassName: "elsewhere", claimRef: reference("k") } }),
    yours: testVolume("yours", { spec: { claimRef: reference("d", "uid-d") } }),
  };
  const judge = (claim: Claim, pods: string[] = [], defaultClass?: string) => {
    const step = judgeClaim(
      claim,
      {
        volume: (name) => volumes[name],
        volumesOf: (name) => Object.values(volumes).filter(({ spec }) => spec.storageClassName === name),
        volumesFor: ({ metadata }) =>
          Object.values(volumes).filter(({ spec }) => spec.claimRef?.name === metadata.name),
        storageClass: (name) => classes[name] as StorageClass | undefined,
        defaultClass,
        waitingPods: () => pods,
      },
      names,
    );
    if (step.type === "bind") return `bind ${step.volume.metadata.name}`;
    if (step.type === "take class") return `take class ${step.className}`;
    if (step.said === undefined) return step.type;
    return `${step.type} ${step.said.type} ${step.said.reason}: ${step.said.message}`;
  };
  const of = (className: string | undefined, metadata: object = {}) =>
    testClaim("c", { metadata, spec: { storageClassName: className } });
  const FIRST = "wait Normal WaitForFirstConsumer: waiting for first consumer to be created before binding";
  const cases: [claim: Claim, step: string, pods?: string[], defaultClass?: string][] = [
    [of("free"), "bind free"],
    [testClaim("k", { spec: { storageClassName: "dyn" } }), "bind kept"],
    [of("absent"), 'wait Warning ProvisioningFailed: storageclass.storage.k8s.io "absent" not found'],
    [of("none"), "wait Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner"],
    [
      of(""),
      "wait Normal FailedBinding: no persistent volumes available for this claim and no storage class is set",
      [],
      "dyn",
    ],
    [of(undefined), "take class dyn", [], "dyn"],
    [of("wait"), FIRST],
    [of("wait"), "wait Normal WaitForPodScheduled: waiting for pod p to be scheduled", ["p"]],
    [of("wait"), "wait Normal WaitForPodScheduled: waiting for pods p,q to be scheduled", ["p", "q"]],
    [testClaim("c", { spec: { volumeName: "absent" } }), "wait"],
    [
      testClaim("c", { spec: { volumeName: "tiny" } }),
      'wait Warning VolumeMismatch: Cannot bind to requested volume "tiny": requested PV is too small',
    ],
    [testClaim("m", { spec: { volumeName: "mine" } }), "bind mine"],
    [
      testClaim("c", { spec: { volumeName: "yours" } }),
      'wait Warning FailedBinding: volume "yours" already bound to a different claim.',
    ],
    [testClaim("m", { metadata: COMPLETED, spec: { volumeName: "mine" } }), "bind mine"],
    [
      testClaim("c", { metadata: COMPLETED, spec: { volumeName: "yours" } }),
      "lost Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly",
    ],
    [
      testClaim("c", { metadata: COMPLETED, spec: { volumeName: "absent" } }),
      "lost Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    ],
    [
      testClaim("c", { metadata: COMPLETED }),
      "lost Warning ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    ],
  ];
  it.each(cases)("%j: %s", (claim, step, pods, defaultClass) => expect(judge(claim, pods, defaultClass)).toBe(step));

  it.each([[of("dyn")], [of("wait", { annotations: { [names.selectedNodeAnnotation]: "n" } })]])(
    "%j asks the provisioner of its class",
    (claim) => {
      expect(judge(claim)).toMatch(/^provision Normal ExternalProvisioning: .* external provisioner 'acme.io\/csi' or/);
    },
  );
});

describe("a volume", () => {
  const claim = testClaim("c");
  const boundTo = (volumeName: string) => testClaim("c", { spec: { volumeName } });
  const kept = (parts: Parameters<typeof testVolume>[1] = {}, uid: string | undefined = "uid-c") =>
    testVolume("v", { ...parts, spec: { claimRef: reference("c", uid), ...parts.spec } });
  const phase = (name: "Available" | "Bound" | "Released"): VolumeStep => ({ type: "phase", phase: name });
  const byController = { annotations: { [names.boundByControllerAnnotation]: "yes" } };
  const made = { annotations: { [names.provisionedByAnnotation]: "acme.io/csi" } };
  const cases: [what: string, volume: Volume, claim: Claim | undefined, step: VolumeStep][] = [
    ["of nobody is free", testVolume("v"), undefined, phase("Available")],
    [
      "kept for one who may come is free",
      testVolume("v", { spec: { claimRef: reference("c") } }),
      undefined,
      phase("Available"),
    ],
    [
      "kept for one who is there is to be bound",
      testVolume("v", { spec: { claimRef: reference("c") } }),
      claim,
      { type: "ask claim" },
    ],
    ["whose claim is gone is released", kept(), undefined, phase("Released")],
    ["whose claim was made anew is released", kept({}, "old"), claim, phase("Released")],
    ["whose claim does not know it yet is to be bound", kept(), claim, { type: "ask claim" }],
    ["of another mode cannot be bound", kept({ spec: { volumeMode: "Block" } }), claim, { type: "mismatch" }],
    ["whose claim has it is bound", kept(), boundTo("v"), phase("Bound")],
    ["whose claim has another is free", kept({ metadata: byController }), boundTo("w"), { type: "free", wholly: true }],
    ["that a user kept for the claim stays kept", kept(), boundTo("w"), { type: "free", wholly: false }],
    [
      "that was made for the claim is not given to others",
      kept({ metadata: made, spec: { persistentVolumeReclaimPolicy: "Delete" } }),
      boundTo("w"),
      phase("Released"),
    ],
  ];
  it.each(cases)("%s", (_what, volume, of, step) => expect(judgeVolume(volume, of, names)).toEqual(step));
});

describe("a volume and a claim that are bound", () => {
  it("name each other, and say who chose", () => {
    const volume = boundVolume(testVolume("v"), testClaim("c"), names);
    expect(volume?.metadata.annotations).toEqual({ [names.boundByControllerAnnotation]: "yes" });
    expect(volume?.spec.claimRef).toEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      namespace: "ns",
      name: "c",
      uid: "uid-c",
      resourceVersion: "1",
    });
    const claim = boundClaim(testClaim("c"), testVolume("v"), names);
    expect(claim?.spec.volumeName).toBe("v");
    expect(claim?.metadata.annotations).toEqual({
      [names.boundByControllerAnnotation]: "yes",
      [names.bindCompletedAnnotation]: "yes",
    });
  });

  it("keep the user's choice as the user's", () => {
    const kept = testVolume("v", { spec: { claimRef: reference("c") } });
    expect(boundVolume(kept, testClaim("c"), names)?.metadata.annotations).toBeUndefined();
    const chosen = boundClaim(testClaim("c", { spec: { volumeName: "v" } }), testVolume("v"), names);
    expect(chosen?.metadata.annotations).toEqual({ [names.bindCompletedAnnotation]: "yes" });
  });

  it("are not written again", () => {
    const volume = testVolume("v", { spec: { claimRef: reference("c", "uid-c") } });
    expect(boundVolume(volume, testClaim("c"), names)).toBeUndefined();
    expect(
      boundClaim(testClaim("c", { metadata: COMPLETED, spec: { volumeName: "v" } }), volume, names),
    ).toBeUndefined();
  });

  it("have the size of the volume from then on", () => {
    const first = boundStatus(testClaim("c"), testVolume("v"));
    expect(first).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "5Gi" } });
    const grown = sized("v", "9Gi");
    expect(boundStatus(testClaim("c", { status: first }), grown).capacity).toEqual({ storage: "5Gi" });
  });
});

describe("a volume that its claim has left", () => {
  const why = (spec: object, annotations = {}, deletesFolders = false) => {
    const reclaim = reclaimOf(testVolume("v", { metadata: { annotations }, spec }), names, deletesFolders);
    if (reclaim.type === "fail") return `${reclaim.reason}: ${reclaim.message}`;
    return reclaim.type === "leave" ? undefined : reclaim;
  };
  const deleted = { persistentVolumeReclaimPolicy: "Delete" };
  it.each<[what: string, spec: object, annotations: object, failure: string | undefined]>([
    ["stays when it is to be kept", { persistentVolumeReclaimPolicy: "Retain", nfs: {} }, {}, undefined],
    ["is deleted by who has made it", deleted, { [names.provisionedByAnnotation]: "acme.io/csi" }, undefined],
    ["is deleted by its driver", { ...deleted, csi: { driver: "acme.io" } }, {}, undefined],
    [
      "cannot be deleted on a host",
      { ...deleted, hostPath: { path: "/data" } },
      {},
      "VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data",
    ],
    [
      "is not deleted from the manager's machine",
      { ...deleted, hostPath: { path: "/tmp/x" } },
      {},
      "VolumeFailedDelete: host_path deleter is not enabled: /tmp/x stays as it is",
    ],
    [
      "cannot be deleted over the network",
      { ...deleted, nfs: { server: "s", path: "/" } },
      {},
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    [
      "cannot be deleted where nobody knows how",
      { ...deleted, local: { path: "/d" } },
      {},
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no volume plugin matched',
    ],
    [
      "cannot be emptied without its driver",
      { persistentVolumeReclaimPolicy: "Recycle", local: { path: "/data" } },
      {},
      "VolumeFailedRecycle: No recycler plugin found for the volume!",
    ],
  ])("%s", (_what, spec, annotations, failure) => {
    expect(why(spec, annotations)).toBe(failure);
  });

  it("is deleted with its folder below /tmp where that is allowed, and nowhere else", () => {
    const at = (path: string) => why({ ...deleted, hostPath: { path } }, {}, true);
    expect(at("/tmp/x/y")).toEqual({ type: "delete folder", path: "/tmp/x/y" });
    for (const path of ["/tmp/", "/tmp", "/data/tmp/x", "/tmp//"])
      expect(at(path)).toBe(
        `VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided ${path}`,
      );
  });

  it.each<[source: object, storage: string, seconds: number]>([
    [{ hostPath: { path: "/data" } }, "1Gi", 60],
    [{ hostPath: { path: "/data" } }, "10Gi", 300],
    [{ nfs: { server: "s", path: "/" } }, "1Gi", 300],
    [{ nfs: { server: "s", path: "/" } }, "100Gi", 3000],
  ])("is emptied by a pod: %j of %s within %i s", (source, storage, seconds) => {
    const spec = { persistentVolumeReclaimPolicy: "Recycle", capacity: { storage }, ...source };
    expect(why(spec)).toMatchObject({
      type: "empty",
      pod: {
        metadata: { name: "recycler-for-v", namespace: "default" },
        spec: { activeDeadlineSeconds: seconds, restartPolicy: "Never", volumes: [{ name: "vol", ...source }] },
      },
    });
  });
});
