// What helps to find out why an agent is slow or silent: profiles of its processor time, and how much it logs.
// Requirements: upstream's enableProfilingHandler and enableDebugFlagsHandler.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../../base/clock.ts";
import { DEFAULT_PROFILE_SECONDS, MAX_PROFILE_SECONDS, takeCpuProfile } from "../../base/cpu-profile.ts";
import { RefusedRequest, textAnswer } from "./answers.ts";
import type { Endpoint, Route } from "./routes.ts";

const MAX_FLAG_BYTES = 16;

interface Profiling {
  readonly isEnabled: boolean;
  /** Whether it is measured who keeps others waiting. */
  readonly contention: boolean;
}

/** `/debug/pprof`: profiles are in V8's format, for the developer tools of browsers and editors. */
export function profilingRoutes(clock: Clock, { isEnabled, contention }: Profiling): Route[] {
  const waits = isEnabled && contention ? measureWaits() : undefined;
  const disabled: Endpoint = () => textAnswer(405, "profiling endpoint is disabled.\n");
  const route = (pattern: string, serve: Endpoint): Route => ({
    methods: ["GET", "HEAD"],
    pattern,
    serve: isEnabled ? serve : disabled,
  });
  return [
    route("/debug/pprof", () => textAnswer(200, `${waits === undefined ? "" : "block\n"}cmdline\nprofile\n`)),
    ...(waits === undefined ? [] : [route("/debug/pprof/block", () => textAnswer(200, waits()))]),
    route("/debug/pprof/cmdline", () => textAnswer(200, process.argv.join("\0"))),
    route("/debug/pprof/profile", async ({ query, signal }) => {
      const seconds = Number(query.get("seconds") ?? DEFAULT_PROFILE_SECONDS);
      if (!(seconds > 0 && seconds <= MAX_PROFILE_SECONDS))
        throw new RefusedRequest(400, `seconds must be between 0 and ${MAX_PROFILE_SECONDS}`);
      const made = await takeCpuProfile(clock, seconds, signal);
      if (made === undefined) throw new RefusedRequest(429, "a profile is being made: try again when it is done");
      return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(made) };
    }),
    route("/debug/pprof/{name}", () => textAnswer(404, "Unknown profile\n")),
  ];
}

const WAIT_PERCENTILES = [50, 90, 99, 99.9];
const WAIT_RESOLUTION_MS = 10;

/** There are no locks in this process, but one thread that everything waits for: how long, since the start. */
function measureWaits(): () => string {
  const delay = monitorEventLoopDelay({ resolution: WAIT_RESOLUTION_MS });
  delay.enable();
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - WAIT_RESOLUTION_MS).toFixed(3);
  return () =>
    [
      "# how long work waited for the thread of this process, in milliseconds",
      `count ${delay.count}`,
      ...WAIT_PERCENTILES.map((percentile) => `p${percentile} ${ms(delay.percentile(percentile))}`),
      `max ${ms(delay.max)}`,
      "",
    ].join("\n");
}

/** `PUT /debug/flags/v`: the body is the new verbosity. */
export function verbosityEndpoint(
  isEnabled: boolean,
  setVerbosity: ((verbosity: number) => void) | undefined,
): Endpoint {
  return async (request) => {
    if (!isEnabled) return textAnswer(405, "flags endpoint is disabled.\n");
    if (setVerbosity === undefined)
      throw new RefusedRequest(405, "how much is logged was decided with the whole process");
    const text = Buffer.from(await request.readBody(MAX_FLAG_BYTES))
      .toString("utf8")
      .trim();
    if (!/^\d{1,2}$/.test(text)) throw new RefusedRequest(400, "the body is not a verbosity such as 4");
    setVerbosity(Number(text));
    return textAnswer(200, `successfully set klog.logging.verbosity to ${text}`);
  };
}
