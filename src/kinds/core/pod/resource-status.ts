// Health of the devices that a container was given.

import { type ObjectOf, opt, s } from "../../../schema/builder.ts";

export type ResourceStatus = ObjectOf<typeof resourceStatus>;

export const resourceStatus = s.struct(
  "core.v1.ResourceStatus",
  "Health of what a container was given of one resource.",
  () => ({
    name: s.named(
      "ResourceName",
      1,
      "Name of the resource. For devices of a claim `claim:<claim>` or `claim:<claim>/<request>`.",
    ),
    resources: opt.list(resourceHealth, 2, "Health of the single devices.", {
      listType: "map",
      mapKeys: ["resourceID"],
    }),
  }),
);

const resourceHealth = s.struct("core.v1.ResourceHealth", "Health of one device.", () => ({
  resourceID: s.named("ResourceID", 1, "Identity of the device, unique for its resource."),
  health: opt.named("ResourceHealthStatus", 2, "`Healthy`, `Unhealthy` or `Unknown`."),
}));
