// Admission by flag: images are pulled each time, so that nobody uses another tenant's image without its credentials.

import type { Pod } from "../kinds/core/pod.ts";
import { fieldErrorText, notSupported } from "../meta/field-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";
import { aggregate, refusal } from "./refusal.ts";

export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  handles: (request) =>
    (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request) && !keepsImages(request),
  mutate({ object }) {
    const pod = object as unknown as Pod;
    for (const { container } of containersOf(pod)) container.imagePullPolicy = "Always";
    for (const { image } of pod.spec.volumes ?? []) if (image != null) image.pullPolicy = "Always";
  },
  validate(request) {
    const pod = request.object as unknown as Pod;
    const problems: string[] = [];
    const expect = (policy: string | undefined, field: string) => {
      if (policy !== "Always") problems.push(fieldErrorText(notSupported(field, policy ?? "", ["Always"])));
    };
    for (const { container, field } of containersOf(pod)) expect(container.imagePullPolicy, `${field}.imagePullPolicy`);
    (pod.spec.volumes ?? []).forEach(({ image }, index) => {
      if (image != null) expect(image.pullPolicy, `spec.volumes[${index}].image.pullPolicy`);
    });
    if (problems.length > 0) throw refusal(request, aggregate(problems));
  },
};

interface FoundContainer {
  readonly container: { image?: string; imagePullPolicy?: string };
  readonly field: string;
}

function containersOf({ spec }: Pod): FoundContainer[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const;
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({
      container: container as FoundContainer["container"],
      field: `spec.${list}[${index}]`,
    })),
  );
}

/** Nothing new is pulled by an update that brings no image that was not there. */
function keepsImages({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== "UPDATE") return false;
  const before = new Set(containersOf(oldObject as unknown as Pod).map(({ container }) => container.image));
  return containersOf(object as unknown as Pod).every(({ container }) => before.has(container.image));
}
