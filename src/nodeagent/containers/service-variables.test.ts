import { expect, it } from "vitest";
import type { Service } from "../../kinds/core/service.ts";
import { serviceVariables } from "./service-variables.ts";

const service = (name: string, spec: object) => ({ metadata: { name }, spec }) as unknown as Service;

it("tells address and ports of a service in all forms", () => {
  const ports = [
    { name: "https", port: 443, protocol: "TCP" },
    { port: 53, protocol: "UDP" },
  ];
  expect(Object.fromEntries(serviceVariables([service("my-db", { clusterIP: "10.0.0.9", ports })]))).toEqual({
    MY_DB_SERVICE_HOST: "10.0.0.9",
    MY_DB_SERVICE_PORT: "443",
    MY_DB_SERVICE_PORT_HTTPS: "443",
    MY_DB_PORT: "tcp://10.0.0.9:443",
    MY_DB_PORT_443_TCP: "tcp://10.0.0.9:443",
    MY_DB_PORT_443_TCP_PROTO: "tcp",
    MY_DB_PORT_443_TCP_PORT: "443",
    MY_DB_PORT_443_TCP_ADDR: "10.0.0.9",
    MY_DB_PORT_53_UDP: "udp://10.0.0.9:53",
    MY_DB_PORT_53_UDP_PROTO: "udp",
    MY_DB_PORT_53_UDP_PORT: "53",
    MY_DB_PORT_53_UDP_ADDR: "10.0.0.9",
  });
});

it("leaves out services without an address", () => {
  const headless = service("a", { clusterIP: "None", ports: [{ port: 1 }] });
  const external = service("b", { externalName: "example.com" });
  expect(serviceVariables([headless, external]).size).toBe(0);
});

it("lets the later of two services with the same name win, and writes IPv6 in brackets", () => {
  const services = [
    service("a", { clusterIP: "10.0.0.1", ports: [{ port: 1 }] }),
    service("a", { clusterIP: "fd00::1", ports: [{ port: 1 }] }),
  ];
  const variables = serviceVariables(services);
  expect(variables.get("A_SERVICE_HOST")).toBe("fd00::1");
  expect(variables.get("A_PORT")).toBe("tcp://[fd00::1]:1");
});
