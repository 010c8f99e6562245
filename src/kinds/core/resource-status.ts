// Health of the devices that a container was given.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type ResourceStatus = ObjectOf<typeof resourceStatus>;

export const resourceStatus = s.struct(
  "core.v1.ResourceStatus",
  { doc: "Health of what a container was given of one resource." },
  () => ({
    name: s.string({
      alias: "ResourceName",
      proto: 1,
      doc: "Name of the resource. For devices of a claim `claim:<claim>` or `claim:<claim>/<request>`.",
    }),
    resources: s.list(resourceHealth, {
      proto: 2,
      optional: true,
      listType: "map",
      mapKeys: ["resourceID"],
      doc: "Health of the single devices.",
    }),
  }),
);

export type ResourceHealth = ObjectOf<typeof resourceHealth>;

export const resourceHealth = s.struct("core.v1.ResourceHealth", { doc: "Health of one device." }, () => ({
  resourceID: s.string({ alias: "ResourceID", proto: 1, doc: "Identity of the device, unique for its resource." }),
  health: s.string({
    alias: "ResourceHealthStatus",
    proto: 2,
    optional: true,
    doc: "`Healthy`, `Unhealthy` or `Unknown`.",
  }),
}));
