import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StartError } from "../base/start-error.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { publishDns } from "./dns-service.ts";

let api: ClientInProcess;

beforeEach(async () => {
  api = await clientInProcess();
});
afterEach(async () => {
  await api.close();
});

const SERVICE = { clusterIp: "10.0.0.10", address: "192.168.1.2", port: 10_053, nodeName: "n" };

describe("the Service of the cluster's DNS", () => {
  it("has the address that pods are told, and leads to the resolver, also after it has moved", async () => {
    const namespace = api.client.names.systemNamespace;
    await publishDns(api.client, SERVICE);
    await publishDns(api.client, { ...SERVICE, address: "192.168.1.3" });
    const { spec } = await api.client.core.v1.services(namespace).get("kube-dns");
    expect(spec.clusterIP).toBe("10.0.0.10");
    expect(spec.ports?.map(({ port, protocol }) => [port, protocol])).toEqual([
      [53, "UDP"],
      [53, "TCP"],
    ]);
    const { items } = await api.client.discovery.v1.endpointSlices(namespace).list();
    expect(items.map(({ endpoints }) => endpoints?.map(({ addresses }) => addresses))).toEqual([[["192.168.1.3"]]]);
  });

  it("says whose the address is when somebody else has it", async () => {
    await api.client.core.v1.services("default").create({
      metadata: { name: "early" },
      spec: { clusterIP: "10.0.0.10", ports: [{ port: 1 }] },
    });
    await expect(publishDns(api.client, SERVICE)).rejects.toThrow(StartError);
    await expect(publishDns(api.client, SERVICE)).rejects.toThrow(/cluster's DNS cannot be kept: .*10\.0\.0\.10/);
  });
});
