// What stateful sets must say and keep.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, createWarnings, updateErrors } from "../validation.testing.ts";
import { type StatefulSet, statefulSet } from "./stateful-set.ts";

type Spec = NonNullable<Draft<StatefulSet>["spec"]>;

const podSpec = { containers: [{ name: "main", image: "i", volumeMounts: [{ name: "data", mountPath: "/d" }] }] };
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
};
const draft = (spec: Partial<Spec> = {}): Draft<StatefulSet> => ({
  metadata: { name: "s" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" } }, spec: podSpec },
    volumeClaimTemplates: [claim],
    ...spec,
  },
});
const odd = <T>(value: unknown): T => value as T;

describe("StatefulSet", () => {
  const rows: [string, Draft<StatefulSet>, string[]][] = [
    ["nothing wrong: its pods may mount its claims", draft(), []],
    [
      "a claim that asks for nothing",
      draft({ volumeClaimTemplates: [{ metadata: { name: "data" } }] }),
      [
        "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
        "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
      ],
    ],
    [
      "an unknown order",
      draft({ podManagementPolicy: odd("X") }),
      ["spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      "a partition for what is deleted",
      draft({ updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }),
      [
        'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      ],
    ],
    [
      "an unknown retention",
      draft({ persistentVolumeClaimRetentionPolicy: { whenScaled: "X" } }),
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "X": supported values: "Retain", "Delete"',
      ],
    ],
    [
      "a start below zero",
      draft({ ordinals: { start: -1 } }),
      ["spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(statefulSet, value)).toEqual(expected);
  });

  it("changes nothing but what its pods and their number need", () => {
    expect(
      updateErrors(statefulSet, draft({ replicas: 3, minReadySeconds: 5, ordinals: { start: 1 } }), draft()),
    ).toEqual([]);
    expect(updateErrors(statefulSet, draft({ serviceName: "other" }), draft())).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  it("is warned about a limit that keeps everything", () => {
    expect(createWarnings(statefulSet, draft({ revisionHistoryLimit: -1 }))).toEqual([
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]);
  });
});
