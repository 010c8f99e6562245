// How long the devices of claims took to be had and to be given back, and how many claims are in use.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { isGrpcError } from "../grpc/grpc-error.ts";

type Operation = "PrepareResources" | "UnprepareResources";
type Procedure = "NodePrepareResources" | "NodeUnprepareResources";

/** From a tenth of a second to 40 seconds, each as many times the one before. */
const GROWTH = (40 / 0.1) ** (1 / 14);
const SECONDS = Array.from({ length: 15 }, (_, index) => 0.1 * GROWTH ** index);
const ALL_DRIVERS = "<any>";

export class DraMetrics {
  readonly #clock: Clock;
  readonly #operations;
  readonly #calls;

  /** `inUse` gives the drivers of each claim that is in use. */
  constructor(metrics: Metrics, clock: Clock, inUse: () => Iterable<readonly string[]>) {
    this.#clock = clock;
    const stability = "ALPHA";
    this.#operations = metrics.histogram({
      name: "dra_operations_duration_seconds",
      help: "Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops. Identified by the name of the operation (PrepareResources or UnprepareResources) and separated by the success of the operation. The number of failed operations is provided through the histogram's overall count.",
      labels: ["is_error", "operation_name"],
      buckets: SECONDS,
      stability,
    });
    this.#calls = metrics.histogram({
      name: "dra_grpc_operations_duration_seconds",
      help: "Duration in seconds of the DRA gRPC operations",
      labels: ["driver_name", "grpc_status_code", "method_name"],
      buckets: SECONDS,
      stability,
    });
    const claims = metrics.gauge({
      name: "dra_resource_claims_in_use",
      help: "The number of ResourceClaims that are currently in use on the node, by driver name (driver_name label value) and across all drivers (special value <any> for driver_name). Note that the sum of all by-driver counts is not the total number of in-use ResourceClaims because the same ResourceClaim might use devices from different drivers. Instead, use the count for the <any> driver_name.",
      labels: ["driver_name"],
      stability,
    });
    const known = new Set([ALL_DRIVERS]);
    claims.onCollect(() => {
      const counts = new Map([...known].map((driver) => [driver, 0]));
      for (const drivers of inUse())
        for (const driver of [ALL_DRIVERS, ...drivers]) counts.set(driver, (counts.get(driver) ?? 0) + 1);
      for (const [driver, count] of counts) {
        known.add(driver);
        claims.with(driver).set(count);
      }
    });
  }

  /** All claims of one pod. */
  operation<T>(name: Operation, work: () => Promise<T>): Promise<T> {
    return this.#timed(work, (seconds, error) =>
      this.#operations.with(String(error !== undefined), name).observe(seconds),
    );
  }

  /** One question to a driver. */
  call<T>(driver: string, procedure: Procedure, work: () => Promise<T>): Promise<T> {
    return this.#timed(work, (seconds, error) => {
      const code = error === undefined ? "OK" : isGrpcError(error) ? error.code : "Unknown";
      this.#calls.with(driver, code, procedure).observe(seconds);
    });
  }

  async #timed<T>(work: () => Promise<T>, tell: (seconds: number, error: unknown) => void): Promise<T> {
    const startedMs = this.#clock.monotonicMs();
    const seconds = () => (this.#clock.monotonicMs() - startedMs) / 1000;
    try {
      const answer = await work();
      tell(seconds(), undefined);
      return answer;
    } catch (error) {
      tell(seconds(), error ?? "unknown");
      throw error;
    }
  }
}
