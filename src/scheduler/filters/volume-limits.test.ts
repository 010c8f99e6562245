// Facts from upstream's own tests of the same filter, told anew.

import { describe, expect, it } from "vitest";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";
import { NO_DRIVERS, reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";
import type { VolumeLookup } from "../state/volumes.ts";

const TOO_MANY = "node(s) exceed max volume count";
const NODES = [{ name: "few" }, { name: "any" }];

/** Claims are named after their volumes; `new-…` have none yet, and are of the class of a driver. */
function lookup(limit: number | undefined, attached: readonly string[] = []): Partial<VolumeLookup> {
  const csi = (name: string) => ({ driver: name.startsWith("other") ? "other" : "disks", volumeHandle: name });
  const lookups = {
    claim(_namespace: string, name: string) {
      if (name === "gone") return undefined;
      const isNew = name.startsWith("new");
      const spec = isNew ? { storageClassName: "fast" } : { volumeName: name };
      return { metadata: { name, annotations: isNew ? {} : { bound: "yes" } }, spec, status: {} };
    },
    volume(name: string) {
      if (name === "") return undefined;
      return { metadata: { name }, spec: name.startsWith("local") ? { local: {} } : { csi: csi(name) }, status: {} };
    },
    storageClass: () => ({ provisioner: "disks", volumeBindingMode: "WaitForFirstConsumer" }),
    annotations: { bindCompleted: "bound", selectedNode: "selected", betaClass: "class" },
    drivers: {
      ...NO_DRIVERS,
      limitsOf: (node: string) => new Map(node === "few" && limit !== undefined ? [["disks", limit]] : []),
      attachmentsTo: (node: string) =>
        (node === "few" ? attached : []).map(
          (persistentVolumeName) =>
            ({ spec: { attacher: "disks", source: { persistentVolumeName } } }) as VolumeAttachment,
        ),
    },
  };
  return lookups as unknown as Partial<VolumeLookup>;
}

const using = (...claims: string[]) => ({
  spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});

describe("volumes that a node takes of a driver", () => {
  it.each<[string, wanted: string[], there: string[], lookup: Partial<VolumeLookup>, fits: boolean]>([
    ["are as many as it says", ["a"], ["b", "c"], lookup(3), true],
    ["are no more", ["a"], ["b", "c"], lookup(2), false],
    ["count together for one pod", ["a", "d"], ["b"], lookup(2), false],
    ["count once for all that use them", ["b"], ["b", "c"], lookup(2), true],
    ["count before they are made", ["new-a"], ["b", "new-c"], lookup(2), false],
    ["count once before they are made", ["new-a"], ["b", "new-a"], lookup(2), true],
    ["are not those of another driver", ["other-a"], ["b", "c"], lookup(2), true],
    ["are not counted with those of another driver", ["a"], ["other-b", "c"], lookup(2), true],
    ["are not those without a driver", ["local-a"], ["b", "c"], lookup(2), true],
    ["are as many as one likes where no limit is set", ["a"], ["b", "c"], lookup(undefined), true],
    ["may be none at all", ["a"], [], lookup(0), false],
    ["are not those of claims that are gone", ["a"], ["gone", "b"], lookup(2), true],
    ["are there while they are attached, though no pod uses them", ["a"], ["b"], lookup(2, ["c"]), false],
    ["are not counted twice when they are attached and used", ["a"], ["b"], lookup(2, ["b"]), true],
  ])("%s", (_what, wanted, there, volumes, fits) => {
    const cluster = testCluster(NODES, { few: [using(...there)] }, volumes);
    expect(reasonsByNode(testPod(using(...wanted)), cluster)).toEqual({ few: fits ? "" : TOO_MANY, any: "" });
  });
});
