// What of a pod goes with a feature gate beyond single fields: what would be left of it means nothing, or something else.

import type { GatedPart } from "../../../schema/schema.ts";
import type { Volume } from "../volumes/volume.ts";
import type { Container } from "./container.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import type { Lifecycle } from "./probe.ts";

interface PodParts {
  volumes?: Volume[];
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[] | null;
  readonly ephemeralContainers?: readonly EphemeralContainer[];
}

type AnyContainer = Container | EphemeralContainer;

const allContainers = ({ initContainers, containers, ephemeralContainers }: PodParts): readonly AnyContainer[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
];

// Without the gate a container has no policy of its own, but an init container that stays.
const ownRestartPolicies: GatedPart<PodParts> = {
  gate: "ContainerRestartRules",
  uses: (spec) => withOwnPolicy(spec).length > 0,
  drop(spec) {
    for (const container of withOwnPolicy(spec)) delete container.restartPolicy;
  },
};

const withOwnPolicy = ({ initContainers, containers, ephemeralContainers }: PodParts): readonly AnyContainer[] => [
  ...(initContainers ?? []).filter(({ restartPolicy = "Always" }) => restartPolicy !== "Always"),
  ...[...(containers ?? []), ...(ephemeralContainers ?? [])].filter(({ restartPolicy }) => restartPolicy !== undefined),
];

/** A volume goes as a whole, with its mounts. */
const imageVolumes: GatedPart<PodParts> = {
  gate: "ImageVolume",
  uses: ({ volumes }) => volumes?.some(({ image }) => image !== undefined) === true,
  drop(spec) {
    const gone = new Set(spec.volumes?.filter(({ image }) => image !== undefined).map(({ name }) => name));
    if (gone.size === 0) return;
    spec.volumes = spec.volumes?.filter(({ image }) => image === undefined) ?? [];
    if (spec.volumes.length === 0) delete spec.volumes;
    for (const container of allContainers(spec)) {
      const kept = container.volumeMounts?.filter(({ name }) => !gone.has(name)) ?? [];
      if (kept.length > 0) container.volumeMounts = kept;
      else delete container.volumeMounts;
    }
  },
};

const stopSignals = lifecyclePart("ContainerStopSignals", {
  uses: ({ stopSignal }) => stopSignal !== undefined,
  drop(lifecycle) {
    delete lifecycle.stopSignal;
  },
});

const sleepActions = lifecyclePart("PodLifecycleSleepAction", {
  uses: ({ preStop, postStart }) => preStop?.sleep !== undefined || postStart?.sleep !== undefined,
  drop(lifecycle) {
    for (const moment of ["preStop", "postStart"] as const) {
      delete lifecycle[moment]?.sleep;
      if (isEmpty(lifecycle[moment])) delete lifecycle[moment];
    }
  },
});

/** A lifecycle in which nothing is left goes, too. */
function lifecyclePart(gate: string, part: Omit<GatedPart<Lifecycle>, "gate">): GatedPart<PodParts> {
  const uses = ({ lifecycle }: AnyContainer) => lifecycle !== undefined && part.uses(lifecycle);
  return {
    gate,
    uses: (spec) => allContainers(spec).some(uses),
    drop(spec) {
      for (const container of allContainers(spec)) {
        const { lifecycle } = container;
        if (lifecycle === undefined || !part.uses(lifecycle)) continue;
        part.drop(lifecycle);
        if (isEmpty(lifecycle)) delete container.lifecycle;
      }
    },
  };
}

const isEmpty = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length === 0;

export const GATED_PARTS: readonly GatedPart[] = [ownRestartPolicies, imageVolumes, stopSignals, sleepActions];
