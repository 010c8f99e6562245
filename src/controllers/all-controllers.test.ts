import { expect, it } from "vitest";
import { ALL_CONTROLLERS } from "./all-controllers.ts";

const COMPONENTS: [controller: string, component: string][] = [
  ["replicationcontroller-controller", "replication-controller"],
  ["resourceclaim-controller", "resource_claim"],
  ["horizontal-pod-autoscaler-controller", "horizontal-pod-autoscaler"],
  ["node-lifecycle-controller", "node-controller"],
  ["disruption-controller", "controllermanager"],
  ["node-ipam-controller", "cidrAllocator"],
  ["endpointslice-controller", "endpoint-slice-controller"],
  ["endpointslice-mirroring-controller", "endpoint-slice-mirroring-controller"],
  ["endpoints-controller", "endpoint-controller"],
  ["persistentvolume-attach-detach-controller", "attachdetach-controller"],
  ["persistentvolume-binder-controller", "persistentvolume-controller"],
  ["ephemeral-volume-controller", "ephemeral_volume"],
  ["persistentvolume-expander-controller", "volume_expand"],
];

it.each(COMPONENTS)("the events of the %s come from %s", (controller, component) => {
  expect(ALL_CONTROLLERS.find(({ name }) => name === controller)?.reportsAs).toBe(component);
});
