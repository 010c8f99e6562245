// A cluster of three etcd members whose leader is killed, again and again, while clients write and watch.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes, eventually, follow } from "../../src/storage/contract/follow.testing.ts";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import {
  type EtcdCluster,
  type EtcdServer,
  etcdMissing,
  startEtcdCluster,
} from "../../src/testing/etcd-server.testing.ts";
import { expectGaplessOrder, expectNothingLost, expectStateOf } from "./etcd-history.testing.ts";
import { type Acknowledged, writeUntilStopped } from "./etcd-writer.testing.ts";

const missing = etcdMissing();
const LEADER_KILLS = 6;
// A member drops what it had forwarded to a leader that died: shorter than the default, so that the test need not wait.
const TRY_TIMEOUT_MS = 500;
const WRITERS = 8;
const WRITES_BETWEEN_KILLS = 100;

describe.skipIf(missing !== undefined)(missing ?? "etcd cluster of three", () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcdCluster(3);
  });
  afterAll(async () => {
    await cluster.stop();
  });

  it("loses no acknowledged write and no event when the leader is killed under load, and goes on writing", {
    timeout: 120_000,
  }, async () => {
    const engine = await openEtcdEngine({ endpoints: cluster.endpoints, tryTimeoutMs: TRY_TIMEOUT_MS });
    // The watcher prefers another member than the writers.
    const endpoints = [...cluster.endpoints].reverse();
    const watching = await openEtcdEngine({ endpoints, tryTimeoutMs: TRY_TIMEOUT_MS });
    const watch = follow(watching, "/load/", await engine.currentRevision());
    const acknowledged: Acknowledged[] = [];
    let stopped = false;
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      writeUntilStopped(engine, {
        prefix: `/load/${writer}`,
        acknowledge: (ack) => acknowledged.push(ack),
        stopped: () => stopped,
      }),
    );
    const moreWrites = () => {
      const wanted = acknowledged.length + WRITES_BETWEEN_KILLS;
      return eventually(async () => acknowledged.length >= wanted, `${wanted} writes were acknowledged`);
    };

    let newest = 0;
    try {
      for (let kill = 0; kill < LEADER_KILLS; kill++) {
        await moreWrites();
        const leader = await findLeader(cluster);
        await leader.kill();
        const answered = Math.max(...acknowledged.map((ack) => ack.revision));
        const revision = await watching.currentRevision();
        expect(revision).toBeGreaterThanOrEqual(Math.max(answered, newest));
        newest = revision;
        await moreWrites();
        await leader.restart();
      }
    } finally {
      stopped = true;
    }
    await Promise.all(writers);

    await watching.requestProgress();
    await watch.progressTo(Math.max(...acknowledged.map((ack) => ack.revision)));
    expectGaplessOrder(watch.changes);
    expectNothingLost(acknowledged, watch.changes);
    await expectStateOf(watching, "/load/", watch.changes);
    await watch.stop();
    await engine.close();
    await watching.close();
  });

  it("leaves a member that has fallen silent, also with its watches", async () => {
    const [silent] = cluster.members;
    const engine = await openEtcdEngine({ endpoints: cluster.endpoints, tryTimeoutMs: TRY_TIMEOUT_MS });
    const start = await engine.currentRevision();
    const watch = follow(engine, "/silent/", start);
    const revision = await engine.create("/silent/a", bytes("1"));
    await watch.count(1);
    await silent?.pause();
    try {
      const updated = await engine.update("/silent/a", bytes("2"), revision);
      await watch.count(2);
      expect(watch.changes.map((change) => change.revision)).toEqual([revision, updated]);
    } finally {
      silent?.resume();
    }
    await watch.stop();
    await engine.close();
  });

  it("works through one endpoint of three that lives, and not without a majority", async () => {
    const [first, second, third] = cluster.members;
    const engine = await openEtcdEngine({ endpoints: cluster.endpoints, tryTimeoutMs: TRY_TIMEOUT_MS });
    const revision = await engine.create("/majority/a", bytes("1"));
    await first?.kill();
    const updated = await engine.update("/majority/a", bytes("2"), revision);
    await second?.kill();
    const alone = await openEtcdEngine({
      endpoints: [third?.endpoint ?? ""],
      requestTimeoutMs: 1_000,
    }).catch((error: unknown) => error);
    expect(alone).toMatchObject({ code: "Unavailable" });
    await first?.restart();
    expect(await engine.get("/majority/a")).toMatchObject({ revision: updated });
    await second?.restart();
    await engine.close();
  });
});

async function findLeader(cluster: EtcdCluster): Promise<EtcdServer> {
  let leader: EtcdServer | undefined;
  await eventually(async () => {
    for (const member of cluster.members) {
      const metrics = await fetch(`${member.endpoint}/metrics`).then(
        (response) => response.text(),
        () => "",
      );
      if (/^etcd_server_is_leader 1$/m.test(metrics)) leader = member;
    }
    return leader !== undefined;
  }, "the cluster has a leader");
  return leader!;
}
