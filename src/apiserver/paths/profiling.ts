// /debug/pprof/: where the process spends its time, for --profiling. Profiles are in V8's format (.cpuprofile).

import type { Clock } from "../../base/clock.ts";
import { DEFAULT_PROFILE_SECONDS, MAX_PROFILE_SECONDS, takeCpuProfile } from "../../base/cpu-profile.ts";
import type { Response } from "../../http/message.ts";
import { badRequest, methodNotAllowed, StatusError } from "../../meta/status-error.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";

const ROOT = "/debug/pprof";

/** Undefined for paths that are elsewhere. */
export function answerProfiling(clock: Clock, request: AuthorizedRequest): Promise<Response> | undefined {
  const { path, method } = request;
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") throw methodNotAllowed();
  switch (path.slice(ROOT.length + 1)) {
    case "":
      return Promise.resolve(answer(200, "text/html; charset=utf-8", INDEX));
    case "cmdline":
      return Promise.resolve(answer(200, "text/plain; charset=utf-8", process.argv.join("\0")));
    case "profile":
      return profile(clock, request);
    default:
      return Promise.resolve(answer(404, "text/plain; charset=utf-8", "Unknown profile\n"));
  }
}

const INDEX = `<!doctype html><title>${ROOT}/</title><ul><li><a href="cmdline">cmdline</a><li><a href="profile">profile</a></ul>\n`;

async function profile(clock: Clock, { query, signal }: AuthorizedRequest): Promise<Response> {
  const seconds = Number(query.get("seconds") ?? DEFAULT_PROFILE_SECONDS);
  if (!(seconds > 0 && seconds <= MAX_PROFILE_SECONDS))
    throw badRequest(`seconds must be between 0 and ${MAX_PROFILE_SECONDS}`);
  const made = await takeCpuProfile(clock, seconds, signal);
  if (made === undefined)
    throw new StatusError(429, "TooManyRequests", "a profile is being made: try again when it is done", {
      retryAfterSeconds: MAX_PROFILE_SECONDS,
    });
  return answer(200, "application/json", made);
}

function answer(status: number, contentType: string, text: string): Response {
  return {
    status,
    headers: { "content-type": contentType, "x-content-type-options": "nosniff" },
    body: Buffer.from(text),
  };
}
