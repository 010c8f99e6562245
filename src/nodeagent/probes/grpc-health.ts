// The health service of gRPC, asked over one HTTP/2 stream. Two fields of protobuf do not need a library.

import { connect, type IncomingHttpHeaders } from "node:http2";
import { GRPC_CODES } from "../grpc/grpc-error.ts";
import type { CheckOutcome } from "./probe-worker.ts";

interface HealthTarget {
  readonly host: string;
  readonly port: number;
  /** Empty for the server as a whole. */
  readonly service: string;
  readonly userAgent: string;
  /** For messages. */
  readonly timeoutMs: number;
}

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const MAX_ANSWER_BYTES = 4_096;
const MAX_MESSAGE_CHARACTERS = 1_024;

/** Never fails: what goes wrong is a failed check. */
export async function checkGrpcHealth(
  { host, port, service, userAgent, timeoutMs }: HealthTarget,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  return await new Promise((resolve) => {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const within = `${timeoutMs / 1000}s`;
    let isConnected = false;
    const session = connect(`http://${address}`);
    // Who speaks another protocol is connected to, and still not reached.
    session.once("remoteSettings", () => {
      isConnected = true;
    });
    const end = (outcome: CheckOutcome) => {
      signal.removeEventListener("abort", abort);
      session.destroy();
      resolve(outcome);
    };
    const fail = (message: string) => end({ result: "failure", message });
    const unreachable = () =>
      fail(`timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`);
    const abort = () => (isConnected ? fail(`timeout: health rpc did not complete within ${within}`) : unreachable());
    signal.addEventListener("abort", abort, { once: true });
    const broken = ({ message }: Error) =>
      isConnected ? fail(`error: health rpc probe failed: ${message}`) : unreachable();
    session.on("error", broken);

    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": userAgent,
    });
    let answer = Buffer.alloc(0);
    let status: IncomingHttpHeaders = {};
    const takeStatus = (headers: IncomingHttpHeaders) => {
      if (headers["grpc-status"] !== undefined) status = headers;
    };
    stream.on("response", takeStatus);
    stream.on("trailers", takeStatus);
    stream.on("data", (part: Buffer) => {
      if (answer.length < MAX_ANSWER_BYTES) answer = Buffer.concat([answer, part]);
    });
    stream.on("error", broken);
    stream.on("close", () => end(outcomeOf(status, answer)));
    stream.end(requestOf(service));
  });
}

/** One frame: not compressed, its length, and the message with the service in field 1. */
function requestOf(service: string): Buffer {
  const text = Buffer.from(service);
  const message =
    text.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...varint(text.length)]), text]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** The answer has the status in field 1; a server that leaves it out means UNKNOWN. */
function outcomeOf(headers: IncomingHttpHeaders, answer: Buffer): CheckOutcome {
  const problem = problemOf(headers);
  if (problem !== undefined) return { result: "failure", message: `error: ${problem}` };
  const number = answer.length >= 7 && answer[5] === 0x08 ? answer[6]! : 0;
  const word = STATUSES[number] ?? String(number);
  if (word === "SERVING") return { result: "success", message: "service healthy" };
  return { result: "failure", message: `service unhealthy (responded with "${word}")` };
}

/** In upstream's words. */
function problemOf({ "grpc-status": status, "grpc-message": text }: IncomingHttpHeaders): string | undefined {
  if (status === undefined) return "health rpc probe failed: grpc status missing";
  const code = GRPC_CODES[Number(status)] ?? `Code(${status})`;
  const details = decodedMessage(String(text ?? ""));
  if (code === "OK") return undefined;
  if (code === "Unimplemented")
    return `this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
  return `health rpc probe failed: rpc error: code = ${code} desc = ${details}`;
}

/** Messages travel percent-encoded; what is not is taken as it is. */
function decodedMessage(text: string): string {
  const short = text.slice(0, MAX_MESSAGE_CHARACTERS);
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
}
