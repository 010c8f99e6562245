// Which pods belong to which Services. Requirements: document 3, "Service": selector.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientInProcess, clientInProcess } from "../../client/client.testing.ts";
import { SharedInformers } from "../../client/shared-informers.ts";
import { makeService } from "./backends.testing.ts";
import { ServicePods } from "./service-pods.ts";

const PODS: Record<string, Record<string, string>> = {
  web1: { app: "web", env: "prod" },
  web2: { app: "web", env: "test" },
  db: { app: "db", env: "prod", constructor: "x" },
  bare: {},
};
const SELECTORS: [service: string, selector: Record<string, string>, pods: string[]][] = [
  ["web", { app: "web" }, ["web1", "web2"]],
  ["web-prod", { app: "web", env: "prod" }, ["web1"]],
  ["prod", { env: "prod" }, ["db", "web1"]],
  ["nobody", { app: "web", tier: "front" }, []],
  ["none", {}, []],
  ["odd", { constructor: "x" }, ["db"]],
];

let inProcess: ClientInProcess;
let informers: SharedInformers;
let backends: ServicePods;
beforeAll(async () => {
  inProcess = await clientInProcess({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  const { client } = inProcess;
  for (const [service, selector] of SELECTORS) await makeService(client, service, { selector });
  for (const [name, labels] of Object.entries(PODS))
    await client.core.v1.pods("default").create({
      metadata: { name, labels },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
  informers = new SharedInformers(client);
  backends = new ServicePods(informers);
  informers.start();
  await informers.whenSynced();
});
afterAll(async () => {
  await informers.stop();
  await inProcess.close();
});

describe("a Service", () => {
  it.each(SELECTORS)("%s selects %j", (name, _selector, expected) => {
    const service = backends.services.cache.get(`default/${name}`)!;
    expect(
      backends
        .podsOf(service)
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(expected);
  });
});

describe("a pod", () => {
  it.each(Object.keys(PODS))("%s is in the Services that select it, and in no other namespace's", (name) => {
    const expected = SELECTORS.filter(([, , pods]) => pods.includes(name)).map(([service]) => `default/${service}`);
    expect([...backends.servicesOf("default", PODS[name])].sort()).toEqual(expected.sort());
    expect([...backends.servicesOf("other", PODS[name])]).toEqual([]);
  });

  it("is found by its node", () => {
    expect([...new Set(backends.servicesOnNode("n"))].sort()).toEqual(
      ["odd", "prod", "web", "web-prod"].map((name) => `default/${name}`),
    );
    expect([...backends.servicesOnNode("other")]).toEqual([]);
  });
});
