// What an answer that is no success says, in the words that upstream's client has for it. Pure.

import { isObject, type Json } from "../base/json.ts";
import { decodeJson } from "../codec/json.ts";

/** Longer explanations of a webhook are cut. */
const MAX_SHOWN_CHARS = 2048;

const WORDS: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [403, "unknown"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [406, "the server was unable to respond with a content type that the client supports"],
  [409, "the server reported a conflict"],
  [415, "the server could not read the content type that was sent"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);

/** Whoever refuses in this way says why. */
const EXPLAINED: ReadonlySet<number> = new Set([403, 406, 415]);

/** A Status in the body speaks for itself. */
export function failedAnswerText(status: number, body: Uint8Array): string {
  const said = statusMessage(body);
  if (said !== undefined) return said;
  const text = Buffer.from(body).toString("utf8").trim().slice(0, MAX_SHOWN_CHARS);
  if (text !== "" && EXPLAINED.has(status)) return text;
  const words = WORDS.get(status);
  if (words !== undefined) return words;
  return status >= 500
    ? `an error on the server (${JSON.stringify(text === "" ? "unknown" : text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function statusMessage(body: Uint8Array): string | undefined {
  let value: Json;
  try {
    value = decodeJson(body).value as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["kind"] !== "Status" || value["status"] !== "Failure") return undefined;
  const { message } = value;
  return typeof message === "string" && message !== "" ? message.slice(0, MAX_SHOWN_CHARS) : undefined;
}
