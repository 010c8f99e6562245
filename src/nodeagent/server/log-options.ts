// What a caller of /containerLogs asks for. Pure.

import { isYesInQuery } from "../../base/truth-words.ts";
import { parseTime } from "../../meta/time.ts";
import { RefusedRequest } from "./answers.ts";

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Older lines are left out. */
  readonly sinceMs: number | undefined;
  readonly stream: "stdout" | "stderr" | undefined;
}

/** Fails with a RefusedRequest: 400 for what cannot be read, 422 for what makes no sense. */
export function readLogOptions(query: URLSearchParams, nowMs: number): LogOptions {
  const sinceSeconds = wholeNumber(query, "sinceSeconds", 1);
  const sinceTime = query.get("sinceTime");
  if (sinceSeconds !== undefined && sinceTime)
    throw new RefusedRequest(422, "at most one of `sinceTime` or `sinceSeconds` may be specified");
  return {
    follow: truth(query, "follow"),
    previous: truth(query, "previous"),
    timestamps: truth(query, "timestamps"),
    tailLines: wholeNumber(query, "tailLines", 0),
    limitBytes: wholeNumber(query, "limitBytes", 1),
    sinceMs: sinceSeconds !== undefined ? nowMs - sinceSeconds * 1_000 : sinceTime ? momentMs(sinceTime) : undefined,
    stream: streamOf(query.get("stream")),
  };
}

function truth(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && isYesInQuery(text);
}

function wholeNumber(query: URLSearchParams, name: string, min: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[+-]?[0-9]{1,15}$/.test(text)) throw new RefusedRequest(400, `${name} is not a whole number`);
  const value = Number(text);
  if (value < min) throw new RefusedRequest(422, `${name} must be greater than ${min === 0 ? "or equal to 0" : "0"}`);
  return value;
}

function momentMs(text: string): number {
  const instant = parseTime(text, "seconds");
  if (typeof instant === "string") throw new RefusedRequest(400, `sinceTime: ${instant}`);
  return instant.epochSeconds * 1_000;
}

function streamOf(text: string | null): LogOptions["stream"] {
  if (text === null || text === "" || text === "All") return undefined;
  if (text === "Stdout") return "stdout";
  if (text === "Stderr") return "stderr";
  throw new RefusedRequest(422, "stream must be All, Stdout or Stderr");
}
