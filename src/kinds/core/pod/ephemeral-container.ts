// Containers added to a running pod, to look into it.

import { type ObjectOf, opt, s } from "../../../schema/builder.ts";
import { containerMembers } from "./container.ts";

export type EphemeralContainer = ObjectOf<typeof ephemeralContainer>;

export const ephemeralContainer = s.struct(
  "core.v1.EphemeralContainer",
  "A container added to a running pod to look into it; it cannot be changed or removed, and is never restarted.",
  () => ({
    ephemeralContainerCommon: s.inline(ephemeralContainerCommon, 1),
    targetContainerName: opt.string(
      2,
      "Container whose processes this one shall see, if the runtime can do that. Not set, it uses the pod's own namespaces.",
    ),
  }),
);

const ephemeralContainerCommon = s.struct(
  "core.v1.EphemeralContainerCommon",
  "What ephemeral containers share with others, though not all of it is allowed.",
  () =>
    s.retold(containerMembers(), {
      name: "Unique among all containers of the pod; a DNS label.",
      image: "Reference of the image, such as `registry/repository:tag`.",
      ports: "Not allowed here.",
      resources: "Not allowed here: an ephemeral container uses what the pod has to spare.",
      resizePolicy: "Not allowed here.",
      restartPolicy: "Not allowed here: an ephemeral container is never restarted.",
      restartPolicyRules: "Not allowed here.",
      volumeMounts:
        "Volumes of the pod that the container sees as files; parts of volumes (`subPath`) cannot be mounted.",
      livenessProbe: "Not allowed here.",
      readinessProbe: "Not allowed here.",
      startupProbe: "Not allowed here.",
      lifecycle: "Not allowed here.",
      terminationMessagePath:
        "File in the container from which its last message is read. Not set, `/dev/termination-log`.",
      imagePullPolicy: "When the image is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`.",
    }),
);
