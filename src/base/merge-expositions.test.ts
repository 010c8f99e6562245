import { expect, it } from "vitest";
import { countedIn, mergeExpositions } from "./merge-expositions.ts";

const text = (lines: string) => `${lines.trim().replaceAll(/^ +/gm, "")}\n`;

it("adds counters, histograms and shared-out gauges up, and believes the first of other gauges", () => {
  const owner = text(`
    # HELP apiserver_request_total [STABLE] Requests.
    # TYPE apiserver_request_total counter
    apiserver_request_total{code="200",verb="GET"} 3
    # HELP apiserver_storage_objects [STABLE] Objects.
    # TYPE apiserver_storage_objects gauge
    apiserver_storage_objects{resource="pods"} 7
    # HELP apiserver_current_inflight_requests [STABLE] Now.
    # TYPE apiserver_current_inflight_requests gauge
    apiserver_current_inflight_requests{request_kind="readOnly"} 1
    # HELP seconds [ALPHA] Time.
    # TYPE seconds histogram
    seconds_bucket{le="+Inf"} 2
    seconds_sum 0.5
    seconds_count 2`);
  const worker = text(`
    # HELP apiserver_request_total [STABLE] Requests.
    # TYPE apiserver_request_total counter
    apiserver_request_total{code="200",verb="GET"} 4
    apiserver_request_total{code="404",verb="GET a b"} 1
    # HELP apiserver_storage_objects [STABLE] Objects.
    # TYPE apiserver_storage_objects gauge
    apiserver_storage_objects{resource="pods"} 6
    # HELP apiserver_current_inflight_requests [STABLE] Now.
    # TYPE apiserver_current_inflight_requests gauge
    apiserver_current_inflight_requests{request_kind="readOnly"} 2
    # HELP of_worker [ALPHA] Only there.
    # TYPE of_worker gauge
    of_worker +Inf
    # HELP seconds [ALPHA] Time.
    # TYPE seconds histogram
    seconds_bucket{le="+Inf"} 1
    seconds_sum 0.25
    seconds_count 1`);
  expect(mergeExpositions([owner, worker])).toBe(
    text(`
    # HELP apiserver_current_inflight_requests [STABLE] Now.
    # TYPE apiserver_current_inflight_requests gauge
    apiserver_current_inflight_requests{request_kind="readOnly"} 3
    # HELP apiserver_request_total [STABLE] Requests.
    # TYPE apiserver_request_total counter
    apiserver_request_total{code="200",verb="GET"} 7
    apiserver_request_total{code="404",verb="GET a b"} 1
    # HELP apiserver_storage_objects [STABLE] Objects.
    # TYPE apiserver_storage_objects gauge
    apiserver_storage_objects{resource="pods"} 7
    # HELP of_worker [ALPHA] Only there.
    # TYPE of_worker gauge
    of_worker +Inf
    # HELP seconds [ALPHA] Time.
    # TYPE seconds histogram
    seconds_bucket{le="+Inf"} 3
    seconds_sum 0.75
    seconds_count 3`),
  );
});

it("leaves the exposition of one process as it is", () => {
  const one = text(`
    # HELP a [ALPHA] A.
    # TYPE a counter
    a{x="y z"} 1
    # HELP b [ALPHA] B.
    # TYPE b gauge
    b 2`);
  expect(mergeExpositions([one])).toBe(one);
});

it("keeps counters and histograms of a process that is no more, not what it had then", () => {
  const counted = text(`
    # HELP a [ALPHA] A.
    # TYPE a counter
    a{x="y z"} 1`);
  const had = text(`
    # HELP b [ALPHA] B.
    # TYPE b gauge
    b 2`);
  const timed = text(`
    # HELP c [ALPHA] C.
    # TYPE c histogram
    c_count 1`);
  expect(countedIn(counted + had + timed)).toBe(counted + timed);
  expect(countedIn("")).toBe("");
});
