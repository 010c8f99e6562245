import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { Client } from "../../client/client.ts";
import { failure, type ScriptedAnswer, ScriptedTransport } from "../../client/scripted-transport.testing.ts";
import type { ApiRequest } from "../../client/transport.ts";
import type { Node } from "../../kinds/core/node.ts";
import { NodeLease } from "./node-lease.ts";

/** Notes when each request came. */
class TimedTransport extends ScriptedTransport {
  readonly atMs: number[] = [];
  readonly #clock: FakeClock;

  constructor(clock: FakeClock, answers: readonly ScriptedAnswer[]) {
    super(answers);
    this.#clock = clock;
  }

  override async request(request: ApiRequest) {
    this.atMs.push(this.#clock.monotonicMs());
    return await super.request(request);
  }
}

const NODE = { metadata: { name: "node-1", uid: "u-1" } } as Node;
const stored = (resourceVersion: string) => ({
  json: {
    metadata: { name: "node-1", namespace: "platform-node-lease", uid: "l", resourceVersion },
    spec: { holderIdentity: "node-1" },
  },
});

let lease: NodeLease | undefined;
afterEach(() => lease?.stop());

function start(answers: readonly ScriptedAnswer[], durationSeconds = 40) {
  const clock = new FakeClock();
  const transport = new TimedTransport(clock, answers);
  const client = new Client({ transport, dialect: "platform", clock });
  const errors: unknown[] = [];
  lease = new NodeLease({
    client,
    clock,
    nodeName: "node-1",
    durationSeconds,
    node: () => NODE,
    onError: (error) => errors.push(error),
  });
  lease.start();
  /** Moves the time on in small steps until so many requests have come. */
  const untilRequests = async (count: number) => {
    for (let step = 0; transport.requests.length < count; step++) {
      if (step > 100_000) throw new Error(`only ${transport.requests.length} requests`);
      await clock.advance(step < 20 ? 0 : 10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, transport, errors, untilRequests };
}

const bodyOf = (request: ApiRequest | undefined) => JSON.parse(Buffer.from(request?.body ?? []).toString()) as unknown;

describe("the lease of a node", () => {
  it("is created, owned by the node", async () => {
    const { transport, untilRequests } = start([failure(404, "NotFound"), stored("1")]);
    await untilRequests(2);
    expect(transport.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
      "GET /apis/coordination.platform.io/v1/namespaces/platform-node-lease/leases/node-1",
      "POST /apis/coordination.platform.io/v1/namespaces/platform-node-lease/leases",
    ]);
    expect(bodyOf(transport.requests[1])).toMatchObject({
      metadata: { name: "node-1", ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node-1", uid: "u-1" }] },
      spec: { holderIdentity: "node-1", leaseDurationSeconds: 40, renewTime: "2030-01-01T00:00:00.000000Z" },
    });
  });

  it("is renewed every quarter of its duration, with one request each", async () => {
    const { transport, untilRequests } = start([stored("1"), stored("2"), stored("3"), stored("4")]);
    await untilRequests(4);
    expect(transport.requests.map(({ method }) => method)).toEqual(["GET", "PUT", "PUT", "PUT"]);
    const [, first = 0, second = 0, third = 0] = transport.atMs;
    expect([second - first, third - second].map((ms) => Math.round(ms / 100) * 100)).toEqual([10_000, 10_000]);
    expect(bodyOf(transport.requests[3])).toMatchObject({ metadata: { resourceVersion: "3" } });
  });

  it("is tried again after 200 ms, twice as long each time, and at most 7 s", async () => {
    const { transport, errors, untilRequests } = start(Array.from({ length: 9 }, () => failure(500, "InternalError")));
    await untilRequests(9);
    const gaps = transport.atMs.slice(1).map((ms, index) => ms - transport.atMs[index]!);
    expect(gaps.map((ms) => Math.round(ms / 100) * 100)).toEqual([200, 400, 800, 1600, 3200, 6400, 7000, 7000]);
    expect(errors.length).toBeGreaterThanOrEqual(8);
  });

  it("begins with short pauses again once a write has worked", async () => {
    const answers = [
      failure(500, "InternalError"),
      failure(500, "InternalError"),
      stored("1"),
      stored("2"),
      failure(500, "InternalError"),
      stored("5"),
      stored("6"),
    ];
    const { transport, untilRequests } = start(answers);
    await untilRequests(7);
    expect(transport.requests.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "PUT", "PUT", "GET", "PUT"]);
    expect(Math.round((transport.atMs[5]! - transport.atMs[4]!) / 100) * 100).toBe(200);
  });
});
