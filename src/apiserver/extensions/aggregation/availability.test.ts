// What the condition of an APIService says, from its registration to the loss of its server. The words are upstream's.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../../base/clock.ts";
import { Metrics } from "../../../base/metrics.ts";
import type { ServerInProcess } from "../../server.testing.ts";
import {
  APIS,
  answerDiscovery,
  apiService,
  type Backend,
  conditionOf,
  eventually,
  GROUP,
  type LooseJson,
  registerStore,
  startAggregator,
  startBackend,
  waitForCondition,
} from "./aggregation.testing.ts";

const SERVICES = "/api/v1/namespaces/default/services";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const NAME = `v1.${GROUP}`;
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const CLOSED_PORT = 1;

let server: ServerInProcess;
let backend: Backend;
const metrics = new Metrics({ release: "1.34" });

beforeAll(async () => {
  [backend, server] = await Promise.all([startBackend(), startAggregator({ deps: { metrics } })]);
});
afterAll(async () => {
  await server.close();
  await backend.close();
});

const call = async (method: string, url: string, body?: unknown, headers?: Record<string, string>) =>
  (await server.call(method, url, body, headers)) as LooseJson;
const merge = async (url: string, body: unknown) =>
  expect((await call("PATCH", url, body, { "content-type": "application/merge-patch+json" })).status).toBe(200);

async function exposed(): Promise<string> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text;
}

const endpoint = (ready: boolean) => [{ addresses: ["192.0.2.1"], conditions: { ready } }];

describe("the condition of an APIService", () => {
  it("follows what stands between this server and the one behind", async () => {
    const service = { namespace: "default", name: "store", port: 443 };
    await call("POST", APIS, apiService(GROUP, service, { caBundle: backend.caBundle }));
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "ServiceNotFound",
      message: 'service/store in "default" is not present',
    });
    expect((await call("GET", `/apis/${GROUP}/v1/orders`)).text).toBe("service unavailable\n");

    await call("POST", SERVICES, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "store" },
      spec: { clusterIP: "None", ports: [{ name: "https", port: 8443 }] },
    });
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "ServicePortError",
      message: 'service/store in "default" is not listening on port 443',
    });

    await merge(`${SERVICES}/store`, { spec: { ports: [{ name: "https", port: 443 }] } });
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "EndpointsNotFound",
      message: 'cannot find endpointslices for service/store in "default"',
    });

    const made = await call("POST", SLICES, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "store-1", labels: { "kubernetes.io/service-name": "store" } },
      addressType: "IPv4",
      endpoints: endpoint(false),
      ports: [{ name: "https", port: 6443 }],
    });
    expect(made.status).toBe(201);
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "MissingEndpoints",
      message: 'endpointslices for service/store in "default" have no addresses with port name "https"',
    });

    await merge(`${SLICES}/store-1`, { endpoints: endpoint(true) });
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "FailedDiscoveryCheck",
      message: 'cannot route to service with ClusterIP "None"',
    });

    await merge(`${SERVICES}/store`, { spec: { type: "ExternalName", externalName: "127.0.0.1", clusterIP: null } });
    await merge(`${APIS}/${NAME}`, { spec: { service: { port: CLOSED_PORT } } });
    const url = `https://127.0.0.1:${CLOSED_PORT}/apis/${GROUP}/v1`;
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "FailedDiscoveryCheck",
      message: `failing or missing response from ${url}: Get ${JSON.stringify(url)}: dial tcp 127.0.0.1:${CLOSED_PORT}: connect: connection refused`,
    });

    await merge(`${APIS}/${NAME}`, { spec: { service: { port: backend.port } } });
    await waitForCondition(server, NAME, { status: "True", reason: "Passed", message: "all checks passed" });
    expect((await call("GET", `/apis/${GROUP}/v1/orders`)).json.said).toBe(`/apis/${GROUP}/v1/orders`);
    expect(await exposed()).toContain(`aggregator_unavailable_apiservice{name="${NAME}"} 0\n`);
  });

  it("tells the status of a server that answers with an error, and is counted then", async () => {
    const before = await conditionOf(server, NAME);
    backend.discovery = (_seen, response) => response.writeHead(500).end();
    await merge(`${SERVICES}/store`, { metadata: { labels: { touched: "1" } } });
    const url = `https://127.0.0.1:${backend.port}/apis/${GROUP}/v1`;
    await waitForCondition(server, NAME, {
      status: "False",
      reason: "FailedDiscoveryCheck",
      message: `failing or missing response from ${url}: bad status from ${url}: 500`,
    });
    expect((await conditionOf(server, NAME)).lastTransitionTime >= before.lastTransitionTime).toBe(true);
    const text = await exposed();
    expect(text).toContain(`aggregator_unavailable_apiservice{name="${NAME}"} 1\n`);
    expect(text).toContain('aggregator_unavailable_apiservice{name="v1.apps"} 0\n');
    expect(text).toContain(`aggregator_unavailable_apiservice_total{name="${NAME}",reason="FailedDiscoveryCheck"} 1\n`);
    const { items } = (await call("GET", "/apis", undefined, { accept: DISCOVERY })).json;
    const shop = items.find(({ metadata }: LooseJson) => metadata.name === GROUP);
    expect(shop.versions).toEqual([{ version: "v1", freshness: "Stale" }]);
    backend.discovery = answerDiscovery;
    await merge(`${SERVICES}/store`, { metadata: { labels: { touched: "2" } } });
    await waitForCondition(server, NAME, { status: "True", reason: "Passed" });
  });

  it("is that of a local one when no service is named any more", async () => {
    await merge(`${APIS}/${NAME}`, { spec: { service: null, caBundle: null } });
    await waitForCondition(server, NAME, {
      status: "True",
      reason: "Local",
      message: "Local APIServices are always available",
    });
  });

  it("is forgotten with it", async () => {
    await call("DELETE", `${APIS}/${NAME}`);
    await eventually(async () =>
      expect(await exposed()).not.toContain(`aggregator_unavailable_apiservice{name="${NAME}"}`),
    );
  });
});

describe("whoever writes the Service of a server behind", () => {
  it("does not have that server called as often", async () => {
    const clock = new FakeClock();
    const own = await startAggregator({ clock });
    try {
      await registerStore(own, backend);
      let asked = 0;
      backend.discovery = (...question) => {
        asked += 1;
        answerDiscovery(...question);
      };
      const touch = (touched: string) =>
        own.call(
          "PATCH",
          `${SERVICES}/store`,
          { metadata: { labels: { touched } } },
          { "content-type": "application/merge-patch+json" },
        );
      for (let edit = 0; edit < 20; edit += 1) {
        expect((await touch(String(edit))).status).toBe(200);
        // As long as a check takes, or longer.
        for (let more = 0; more < 3; more += 1) await own.call("GET", `/apis/${GROUP}/v1/orders`);
      }
      await clock.advance(1_000);
      await eventually(() => expect(asked).toBeGreaterThan(0));
      // One check asks several times at once.
      expect(asked).toBeLessThanOrEqual(5);
    } finally {
      backend.discovery = answerDiscovery;
      await own.close();
    }
  });
});
