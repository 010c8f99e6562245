// Which volumes are attached: the rule.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";
import { namesFor } from "../../meta/names.ts";
import { attachableVolume, planAttachments } from "./attachments.ts";

const names = namesFor("platform");
const meta = (name: string) => ({ name, uid: name, resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" });
const volume = (name: string, mode = "ReadWriteOnce") =>
  attachableVolume(
    {
      metadata: meta(name),
      spec: { csi: { driver: "disk.acme.io", volumeHandle: `h-${name}` }, accessModes: [mode] },
    } as unknown as Stored<PersistentVolume>,
    "n",
    names,
  )!;
const data = volume("data");
const attachment = (name = data.attachment, attached = true, more: object = {}) =>
  ({
    metadata: { ...meta(name), ...more },
    spec: { attacher: "disk.acme.io", nodeName: "n", source: { persistentVolumeName: "data" } },
    status: { attached },
  }) as Stored<VolumeAttachment>;
const node = (status: object = {}, spec: object = {}) =>
  ({
    metadata: meta("n"),
    spec,
    status: { conditions: [{ type: "Ready", status: "True" }], ...status },
  }) as unknown as Stored<Node>;
const INUSE = { volumesInUse: [data.uniqueName] };
const SICK = { conditions: [{ type: "Ready", status: "Unknown" }] };

interface Given {
  readonly node?: Stored<Node> | undefined;
  readonly wanted?: (typeof data)[];
  readonly existing?: Stored<VolumeAttachment>[];
  readonly holders?: string[];
  readonly unwantedMs?: number;
}
const plan = ({ wanted = [], existing = [], holders = [], unwantedMs = 0, ...rest }: Given) =>
  planAttachments({
    node: "node" in rest ? rest.node : node(),
    wanted: new Map(wanted.map((each) => [each.attachment, each])),
    existing,
    volumeOf: () => data,
    holdersOf: () => holders,
    unwantedMs: () => unwantedMs,
    names,
  });

it("a volume of a driver has the names that upstream's drivers know", () => {
  expect(data).toMatchObject({ uniqueName: "platform.io/csi/disk.acme.io^h-data", isExclusive: true });
  expect(data.attachment).toMatch(/^csi-[0-9a-f]{64}$/);
  expect(volume("shared", "ReadWriteMany").isExclusive).toBe(false);
});

describe("volumes", () => {
  const cases: [string, Given, attach: number, blocked: number, detach: number][] = [
    ["are attached when pods want them", { wanted: [data] }, 1, 0, 0],
    ["not twice", { wanted: [data], existing: [attachment()] }, 0, 0, 0],
    ["not while another node has them", { wanted: [data], holders: ["other"] }, 0, 1, 0],
    ["unless several may", { wanted: [volume("data", "ReadOnlyMany")], holders: ["other"] }, 1, 0, 0],
    ["not to a node that is gone", { node: undefined, wanted: [data] }, 0, 0, 0],
    ["are detached when nobody wants them", { existing: [attachment()] }, 0, 0, 1],
    ["not while the node uses them", { node: node(INUSE), existing: [attachment()] }, 0, 0, 0],
    ["but from a node that is gone", { node: undefined, existing: [attachment()] }, 0, 0, 1],
    [
      "not at once from one that is not heard of",
      { node: node({ ...INUSE, ...SICK }), existing: [attachment()], unwantedMs: 1_000 },
      0,
      0,
      0,
    ],
    [
      "but after six minutes",
      { node: node({ ...INUSE, ...SICK }), existing: [attachment()], unwantedMs: 360_000 },
      0,
      0,
      1,
    ],
    [
      "and at once from one that is out of service",
      {
        node: node(INUSE, { taints: [{ key: names.outOfServiceTaint, effect: "NoExecute" }] }),
        existing: [attachment()],
      },
      0,
      0,
      1,
    ],
    [
      "once is enough",
      { existing: [attachment(undefined, true, { deletionTimestamp: "2030-01-01T00:00:00Z" })] },
      0,
      0,
      0,
    ],
    ["that others attach are theirs", { existing: [attachment("by-hand")] }, 0, 0, 0],
  ];
  it.each(cases)("%s", (_what, given, attach, blocked, detach) => {
    const planned = plan(given);
    expect([planned.attach.length, planned.blocked.length, planned.detach.length]).toEqual([attach, blocked, detach]);
  });

  it("that a silent node uses are looked at again in time", () => {
    expect(plan({ node: node({ ...INUSE, ...SICK }), existing: [attachment()], unwantedMs: 60_000 }).nextMs).toBe(
      300_000,
    );
  });

  const told = [{ name: data.uniqueName, devicePath: "" }];
  it.each([
    ["the node is told when they are attached", node(), [attachment()], told],
    ["not before", node(), [attachment(undefined, false)], undefined],
    ["not again", node({ volumesAttached: told }), [attachment()], undefined],
    ["and when they are gone", node({ volumesAttached: told }), [], []],
    [
      "and as soon as they are to go",
      node({ volumesAttached: told }),
      [attachment(undefined, true, { deletionTimestamp: "2030-01-01T00:00:00Z" })],
      [],
    ],
  ])("%s", (_what, given, existing, expected) => {
    expect(plan({ node: given, wanted: [data], existing }).volumesAttached).toEqual(expected);
  });

  it("are taken from what the node is told before they are detached", () => {
    const planned = plan({ node: node({ volumesAttached: told }), existing: [attachment()] });
    expect(planned).toMatchObject({ detach: [{}], volumesAttached: [] });
  });
});
