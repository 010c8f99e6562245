// The etcd engine passes the storage contract on a real etcd.

import { afterAll, beforeAll, describe } from "vitest";
import { describeStorageContract } from "../../src/storage/contract.testing.ts";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../../src/testing/etcd-server.testing.ts";

const missing = etcdMissing();

describe.skipIf(missing !== undefined)(missing ?? "on a real etcd", () => {
  let server: EtcdServer;
  let engines = 0;
  beforeAll(async () => {
    server = await startEtcdServer();
  });
  afterAll(async () => {
    await server.stop();
  });

  describeStorageContract(
    "etcd",
    // The server is shared; a prefix of its own gives every test an empty store.
    () => openEtcdEngine({ endpoints: [server.endpoint], prefix: `/test-${engines++}` }),
    // Leases run on the server's clock, and the suite waits until the key is gone.
    { passSeconds: async () => undefined },
  );
});
