// Services and their endpoints as callers find them, over a server in process.

import { afterEach, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";
import { ServiceNetwork } from "./service-network.ts";

const SERVICES = "/api/v1/namespaces/a/services";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/a/endpointslices";

let server: ServerInProcess;
let network: ServiceNetwork;
afterEach(async () => {
  network.close();
  await server.close();
});

async function start(endpointRouting: boolean): Promise<void> {
  server = await serverInProcess();
  const own = { host: "127.0.0.1", port: 6443 };
  network = new ServiceNetwork({
    names: namesFor("kubernetes"),
    catalog: server.catalog,
    endpointRouting,
    ownAddress: () => own,
  });
  const metadata = { name: "a" };
  await server.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  const spec = { clusterIP: "10.0.0.77", ports: [{ name: "https", port: 443, targetPort: "tls" }] };
  await server.call("POST", SERVICES, { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec });
}

const slice = (name: string, service: string, address: string, port: number) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, labels: { "kubernetes.io/service-name": service } },
  addressType: "IPv4",
  endpoints: [{ addresses: [address] }],
  ports: [{ name: "https", port }],
});

it("leads to the cluster address by default, and to the server itself for the Service of the API", async () => {
  await start(false);
  expect(await network.resolve("a", "web", 443)).toEqual({ host: "10.0.0.77", port: 443 });
  expect(await network.resolve("default", "kubernetes", 443)).toEqual({ host: "127.0.0.1", port: 6443 });
  await expect(network.resolve("a", "other", 443)).rejects.toThrow('service "other" not found');
});

it("leads to endpoints where that is asked for, and follows every change of them", async () => {
  await start(true);
  const told: string[] = [];
  network.onChange((namespace, name) => told.push(`${namespace}/${name}`));
  await expect(network.resolve("a", "web", 443)).rejects.toThrow("no endpoints available");
  await server.call("POST", SLICES, slice("one", "web", "192.0.2.1", 8443));
  expect(await network.resolve("a", "web", 443)).toEqual({ host: "192.0.2.1", port: 8443 });
  await server.call("PUT", `${SLICES}/one`, slice("one", "web", "192.0.2.2", 9443));
  expect(await network.resolve("a", "web", 443)).toEqual({ host: "192.0.2.2", port: 9443 });
  expect(await network.slices("a", "web")).toHaveLength(1);
  told.length = 0;
  await server.call("PUT", `${SLICES}/one`, slice("one", "else", "192.0.2.2", 9443));
  await expect(network.resolve("a", "web", 443)).rejects.toThrow("no endpoints available");
  expect(told).toEqual(["a/web", "a/else"]);
  await server.call("DELETE", `${SLICES}/one`);
  expect(await network.slices("a", "else")).toEqual([]);
  await server.call("DELETE", `${SERVICES}/web`);
  expect(told.at(-1)).toBe("a/web");
});
