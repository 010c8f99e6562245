// A client's informer follows random changes through disconnects and compactions and ends with exactly the server's state.

import { request as httpsRequest } from "node:https";
import { CoreV1Api, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

const CHANGES = 4_000;
const WRITERS = 16;
const NAMES = 400;
const DISCONNECT_EVERY = 2_000;
const COLLECTION = "/api/v1/namespaces/default/configmaps";

describe("an informer of @kubernetes/client-node", () => {
  let server: TestServer;
  beforeAll(async () => {
    // A short history, so that some of the disconnects meet a compacted store and must list again.
    server = await startTestServer([
      "--watch-history-window=1s",
      "--continue-token-ttl=1s",
      "--etcd-compaction-interval=1s",
    ]);
  });
  afterAll(() => server.stop());

  it(`follows ${CHANGES} random changes`, { timeout: 180_000 }, async () => {
    const api = server.kubeConfig.makeApiClient(CoreV1Api);
    const informer = makeInformer(server.kubeConfig, COLLECTION, () =>
      api.listNamespacedConfigMap({ namespace: "default" }),
    );
    const restart = () => setTimeout(() => void informer.start().catch(restart), 50);
    informer.on("error", restart);
    await informer.start();

    const call = caller(server.url);
    const random = randomNumbers(42);
    let done = 0;
    let restarts = 0;
    const writer = async () => {
      while (done < CHANGES) {
        done += 1;
        if (done % DISCONNECT_EVERY === 0) {
          restarts += 1;
          await informer.stop();
          restart();
        }
        await change(call, `m-${random(NAMES)}`, random(10), done);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    expect(restarts).toBe(CHANGES / DISCONNECT_EVERY);

    const truth = (await api.listNamespacedConfigMap({ namespace: "default" })).items;
    await expect.poll(() => summary(informer.list()), { timeout: 30_000 }).toEqual(summary(truth));
    await informer.stop();
  });
});

type Call = (method: string, path: string, body?: unknown) => Promise<number>;

/** One in ten changes deletes; the others create or update. */
async function change(call: Call, name: string, dice: number, serial: number): Promise<void> {
  if (dice === 0) {
    await call("DELETE", `${COLLECTION}/${name}`);
    return;
  }
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { serial: String(serial) } };
  const status = await call("PUT", `${COLLECTION}/${name}`, object);
  if (status === 404) await call("POST", COLLECTION, object);
}

function summary(items: readonly V1ConfigMap[]): string[] {
  return items
    .map(({ metadata, data }) => `${metadata?.name}@${metadata?.resourceVersion}=${data?.["serial"] ?? ""}`)
    .sort();
}

function caller(url: string): Call {
  const { hostname, port } = new URL(url);
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? "" : JSON.stringify(body);
      const request = httpsRequest(
        {
          hostname,
          port,
          method,
          path,
          rejectUnauthorized: false,
          headers: {
            authorization: `Bearer ${ADMIN_TOKEN}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(payload),
          },
        },
        (response) => {
          response.resume();
          response.once("end", () => resolve(response.statusCode ?? 0));
        },
      );
      request.once("error", reject);
      request.end(payload);
    });
}

/** Repeatable: whole numbers below a bound from a seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
