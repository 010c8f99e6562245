import { expect, it } from "vitest";
import type { ApiConnectRequest, ApiSocket, Transport } from "../transport.ts";
import { FencedTransport, type Leadership, LeadershipLost } from "./fenced-transport.ts";

const socket = {} as ApiSocket;
const inner = { connect: async () => socket } as Partial<Transport> as Transport;
const leader = (mayWrite: boolean): Leadership => ({
  signal: new AbortController().signal,
  mayWrite: () => mayWrite,
});
const connect = (leadership: Leadership | undefined) =>
  new FencedTransport(inner, () => leadership).connect({} as ApiConnectRequest);

it("reaches into containers while its owner leads, and not when it was halted or another leads", async () => {
  expect(await connect(leader(true))).toBe(socket);
  await expect(connect(leader(false))).rejects.toThrow(LeadershipLost);
  await expect(connect(undefined)).rejects.toThrow(LeadershipLost);
});
