import { describe, expect, it } from "vitest";
import { inProcessRequest } from "../../http/in-process.ts";
import type { Response } from "../../http/message.ts";
import type { AuthenticatedRequest } from "../request.ts";
import { limitFlow } from "./limit-flow.ts";
import { targetOf } from "./resolve-target.ts";

function request(method: string, url: string, groups: string[] = []): AuthenticatedRequest {
  const received = inProcessRequest({ method, url });
  return {
    ...received,
    target: targetOf(method, received.path, received)!,
    auditId: "",
    warnings: [],
    auditAnnotations: new Map(),
    user: { name: "alice", groups },
  };
}

const OK: Response = { status: 200, headers: {} };
const PODS = "/api/v1/namespaces/default/pods";

/** Runs requests through the step; each stays until `end` is called. */
function stage(reads: number, writes: number) {
  const step = limitFlow({ reads, writes });
  let running = 0;
  const ends: (() => void)[] = [];
  const next = () =>
    new Promise<Response>((resolve) => {
      running += 1;
      ends.push(() => resolve(OK));
    });
  return { send: (one: AuthenticatedRequest) => step(one, next), running: () => running, end: () => ends.shift()!() };
}

describe("limitFlow", () => {
  it("lets the next request run when one ends", async () => {
    const { send, running, end } = stage(1, 1);
    const first = send(request("GET", PODS));
    const second = send(request("GET", PODS));
    expect(running()).toBe(1);
    end();
    await first;
    await expect.poll(running).toBe(2);
    end();
    expect((await second).status).toBe(200);
  });

  it.each([
    ["a write while reads are full", request("POST", PODS)],
    ["a watch", request("GET", `${PODS}?watch=1`)],
    ["an administrator", request("GET", PODS, ["system:masters"])],
  ])("does not make %s wait", (_what, other) => {
    const { send, running } = stage(1, 1);
    void send(request("GET", PODS));
    void send(other);
    expect(running()).toBe(2);
  });

  it("answers 429 with a time to come back when the line is too long", async () => {
    const { send } = stage(1, 1);
    const line = Array.from({ length: 12 }, () => send(request("GET", PODS)));
    // Those who still wait are refused in their own time, after the test.
    for (const waiting of line) Promise.resolve(waiting).catch(() => undefined);
    await expect(line.at(-1)).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
  });
});
