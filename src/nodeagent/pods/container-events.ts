// What is reported of a single container: an event of its pod that says which container it is about.

import type { EventRecorder, Report } from "../../client/event-recorder.ts";
import type { Pod } from "../../kinds/core/pod.ts";

export function reportOnContainer(
  recorder: Pick<EventRecorder, "record">,
  pod: Pod,
  container: string,
  report: Pick<Report, "type" | "reason" | "message">,
): void {
  const fieldPath = pathOf(pod, container);
  recorder.record(pod, { ...report, ...(fieldPath === undefined ? {} : { fieldPath }) });
}

const SORTS = ["containers", "initContainers", "ephemeralContainers"] as const;

/** Undefined for a container that the pod does not have any more. */
function pathOf({ spec }: Pod, container: string): string | undefined {
  const sort = SORTS.find((each) => spec[each]?.some(({ name }) => name === container));
  return sort === undefined ? undefined : `spec.${sort}{${container}}`;
}
