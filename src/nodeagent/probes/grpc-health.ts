// The health service of gRPC, asked over one HTTP/2 stream. Two fields of protobuf do not need a library.

import { connect } from "node:http2";
import type { CheckOutcome } from "./probe-worker.ts";

interface HealthTarget {
  readonly host: string;
  readonly port: number;
  /** Empty for the server as a whole. */
  readonly service: string;
  /** For messages. */
  readonly timeoutMs: number;
}

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const UNIMPLEMENTED = "12";
const MAX_ANSWER_BYTES = 4_096;

/** Never fails: what goes wrong is a failed check. */
export async function checkGrpcHealth(
  { host, port, service, timeoutMs }: HealthTarget,
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
    });
    let answer = Buffer.alloc(0);
    let status: string | undefined;
    stream.on("response", (headers) => {
      status = headers["grpc-status"]?.toString();
    });
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"]?.toString() ?? status;
    });
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
function outcomeOf(status: string | undefined, answer: Buffer): CheckOutcome {
  if (status === UNIMPLEMENTED)
    return {
      result: "failure",
      message: "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)",
    };
  if (status !== "0")
    return { result: "failure", message: `error: health rpc probe failed: grpc status ${status ?? "missing"}` };
  const number = answer.length >= 7 && answer[5] === 0x08 ? answer[6]! : 0;
  const word = STATUSES[number] ?? String(number);
  if (word === "SERVING") return { result: "success", message: "service healthy" };
  return { result: "failure", message: `service unhealthy (responded with "${word}")` };
}
