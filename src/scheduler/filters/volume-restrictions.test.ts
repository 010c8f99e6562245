// Facts from upstream's own tests of the same filter, told anew.

import { describe, expect, it } from "vitest";
import { reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";

const DISK_TAKEN = "node(s) had no available disk";

type Volume = Readonly<Record<string, object>>;

const pod = (...volumes: Volume[]) => ({ spec: { volumes: volumes.map((each, at) => ({ name: `v${at}`, ...each })) } });
const gce = (pdName: string, readOnly = false): Volume => ({ gcePersistentDisk: { pdName, readOnly } });
const aws = (volumeID: string, readOnly = false): Volume => ({ awsElasticBlockStore: { volumeID, readOnly } });
const iscsi = (iqn: string, readOnly = false): Volume => ({ iscsi: { iqn, readOnly, targetPortal: "p", lun: 0 } });
const rbd = (monitors: string[], pool: string, image: string, readOnly = false): Volume => ({
  rbd: { monitors, pool, image, readOnly },
});

describe("disks that pods name themselves", () => {
  it.each<[string, wanted: Volume, there: Volume, isTaken: boolean]>([
    ["one that another pod writes", gce("a"), gce("a"), true],
    ["one that another pod reads", gce("a"), gce("a", true), true],
    ["one to read that another pod writes", gce("a", true), gce("a"), true],
    ["one that all read", gce("a", true), gce("a", true), false],
    ["another one", gce("a"), gce("b"), false],
    ["one of Amazon that all read", aws("a", true), aws("a", true), true],
    ["another one of Amazon", aws("a"), aws("b"), false],
    ["one of the same name elsewhere", aws("a"), gce("a"), false],
    ["one by iSCSI", iscsi("iqn.a"), iscsi("iqn.a"), true],
    ["one by iSCSI that all read", iscsi("iqn.a", true), iscsi("iqn.a", true), false],
    ["an image behind one of the monitors", rbd(["a", "b"], "p", "i"), rbd(["b", "c"], "p", "i"), true],
    ["an image that all read", rbd(["a"], "p", "i", true), rbd(["a"], "p", "i", true), false],
    ["an image behind other monitors", rbd(["a"], "p", "i"), rbd(["b"], "p", "i"), false],
    ["an image of another pool", rbd(["a"], "p", "i"), rbd(["a"], "q", "i"), false],
    ["another image", rbd(["a"], "p", "i"), rbd(["a"], "p", "j"), false],
  ])("%s", (_what, wanted, there, isTaken) => {
    const cluster = testCluster([{ name: "n" }, { name: "empty" }], { n: [pod({ emptyDir: {} }, there)] });
    expect(reasonsByNode(testPod(pod(wanted)), cluster)).toEqual({ n: isTaken ? DISK_TAKEN : "", empty: "" });
  });
});
