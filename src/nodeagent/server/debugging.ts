// What helps to find out why an agent is slow or silent: profiles of its processor time, and how much it logs.
// Requirements: upstream's enableProfilingHandler and enableDebugFlagsHandler.

import type { Clock } from "../../base/clock.ts";
import { DEFAULT_PROFILE_SECONDS, MAX_PROFILE_SECONDS, takeCpuProfile } from "../../base/cpu-profile.ts";
import { RefusedRequest, textAnswer } from "./answers.ts";
import type { Endpoint, Route } from "./routes.ts";

const MAX_FLAG_BYTES = 16;

/** `/debug/pprof`: profiles are in V8's format, for the developer tools of browsers and editors. */
export function profilingRoutes(clock: Clock, isEnabled: boolean): Route[] {
  const disabled: Endpoint = () => textAnswer(405, "profiling endpoint is disabled.\n");
  const route = (pattern: string, serve: Endpoint): Route => ({
    methods: ["GET", "HEAD"],
    pattern,
    serve: isEnabled ? serve : disabled,
  });
  return [
    route("/debug/pprof", () => textAnswer(200, "cmdline\nprofile\n")),
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
