// Can a server behind be reached? Its service, an endpoint behind that, and an answer to discovery. What comes of it stands in
// the APIService's status, in upstream's words.

import { goQuote } from "../../../base/go-quote.ts";
import { CallTimedOut } from "../../../client/callouts/https-caller.ts";
import type { HttpsTarget } from "../../../client/tls-target.ts";
import type { ServiceNetwork } from "../service-network.ts";
import { authorityOf, type Backends } from "./backend.ts";
import type { Condition, RemoteApi } from "./remote-api.ts";

const CHECK_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** Made at once: one answer is enough, since others may have met an endpoint that is going away. */
const ATTEMPTS = 5;

export const LOCAL: Condition = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

export async function checkAvailability(
  network: Pick<ServiceNetwork, "service" | "slices">,
  backends: Backends,
  api: RemoteApi,
): Promise<Condition> {
  const problem = await serviceProblem(network, api);
  if (problem !== undefined) return problem;
  try {
    await Promise.any(Array.from({ length: ATTEMPTS }, () => discover(backends, api)));
  } catch (error) {
    const last = (error as AggregateError).errors.at(-1) as Error;
    return failed("FailedDiscoveryCheck", last.message);
  }
  return { status: "True", reason: "Passed", message: "all checks passed" };
}

const failed = (reason: string, message: string): Condition => ({ status: "False", reason, message });

async function serviceProblem(
  network: Pick<ServiceNetwork, "service" | "slices">,
  { service: { namespace, name, port } }: RemoteApi,
): Promise<Condition | undefined> {
  const what = `service/${name} in ${goQuote(namespace)}`;
  const unknown = (reason: string, error: unknown): Condition => ({
    status: "Unknown",
    reason,
    message: `${what} cannot be checked due to: ${(error as Error).message}`,
  });
  let service: Awaited<ReturnType<ServiceNetwork["service"]>>;
  try {
    service = await network.service(namespace, name);
  } catch (error) {
    return unknown("ServiceAccessError", error);
  }
  if (service === undefined) return failed("ServiceNotFound", `${what} is not present`);
  // Of other services it is not known here what is behind them.
  if (service.type !== "ClusterIP") return undefined;
  const offered = service.ports.find((one) => one.port === port);
  if (offered === undefined) return failed("ServicePortError", `${what} is not listening on port ${port}`);
  let slices: Awaited<ReturnType<ServiceNetwork["slices"]>>;
  try {
    slices = await network.slices(namespace, name);
  } catch (error) {
    return unknown("EndpointsAccessError", error);
  }
  if (slices.length === 0) return failed("EndpointsNotFound", `cannot find endpointslices for ${what}`);
  const active = slices.some(({ ready, ports }) => ready.length > 0 && ports.some((one) => one.name === offered.name));
  if (active) return undefined;
  return failed(
    "MissingEndpoints",
    `endpointslices for ${what} have no addresses with port name ${goQuote(offered.name)}`,
  );
}

/** Fails with what the condition is to say. */
async function discover(backends: Backends, api: RemoteApi): Promise<void> {
  const target = await backends.targetOf(api);
  const path = api.group === "" ? `/api/${api.version}` : `/apis/${api.group}/${api.version}`;
  const url = `https://${authorityOf(target)}${path}`;
  const status = await statusOf(backends, target, path).catch((error: Error) => {
    const why =
      error instanceof CallTimedOut
        ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        : error.message;
    throw new Error(`failing or missing response from ${url}: Get ${goQuote(url)}: ${why}`);
  });
  if (status < 200 || status > 299)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}

async function statusOf({ caller }: Backends, target: HttpsTarget, path: string): Promise<number> {
  // Whether it can be reached is asked, not whether it can be trusted: requests that are carried to it do that.
  const { authority: _, ...anyone } = target;
  const answer = await caller.call(
    { ...anyone, insecure: true },
    {
      method: "GET",
      path,
      headers: {
        host: authorityOf(target),
        accept: "application/json",
        "x-remote-user": "system:kube-aggregator",
        "x-remote-group": "system:masters",
      },
      timeoutMs: CHECK_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    },
  );
  return answer.status;
}
