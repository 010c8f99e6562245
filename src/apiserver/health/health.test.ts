// The health of a server in process: which checks there are, and what a store that fails does to them.

import { afterEach, describe, expect, it } from "vitest";
import type { StorageEngine } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

let server: ServerInProcess | undefined;
afterEach(() => server?.close());

/** Upstream's. */
const CHECKS = [
  "ping log etcd etcd-readiness informer-sync autoregister-completion",
  "start-apiserver-admission-initializer generic-apiserver-start-informers storage-object-count-tracker-hook",
  "priority-and-fairness-config-consumer priority-and-fairness-config-producer priority-and-fairness-filter",
  "start-apiextensions-informers start-apiextensions-controllers crd-informer-synced start-system-namespaces-controller",
  "start-cluster-authentication-info-controller start-legacy-token-tracking-controller bootstrap-controller",
  "start-service-ip-repair-controllers start-kubernetes-service-cidr-controller rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes start-kube-aggregator-informers",
  "kube-apiserver-autoregistration apiservice-registration-controller apiservice-discovery-controller",
  "apiservice-status-local-available-controller apiservice-status-remote-available-controller",
  "apiservice-openapi-controller apiservice-openapiv3-controller start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
].flatMap((line) => line.split(" "));
const BARE = new Set(["ping", "log", "etcd", "etcd-readiness", "informer-sync", "autoregister-completion"]);

describe("health", () => {
  it("has upstream's checks, and all of them pass", async () => {
    server = await serverInProcess();
    const { text } = await server.call("GET", "/readyz?verbose");
    const found = text.match(/(?<=\[\+\])\S+(?= ok)/g)?.sort();
    expect(found).toEqual(CHECKS.map((name) => (BARE.has(name) ? name : `poststarthook/${name}`)).sort());
  });

  it("has a check of the certificate for servers behind where one is given", async () => {
    server = await serverInProcess({ flags: ["--proxy-client-cert-file=/c.crt", "--proxy-client-key-file=/c.key"] });
    const { text } = await server.call("GET", "/readyz?verbose");
    expect(text).toContain("[+]poststarthook/aggregator-reload-proxy-client-cert ok");
  });

  it("has the other filter's check without priority and fairness", async () => {
    server = await serverInProcess({ flags: ["--enable-priority-and-fairness=false"] });
    const { text } = await server.call("GET", "/livez?verbose");
    expect(text).toContain("[+]poststarthook/max-in-flight-filter ok");
    expect(text).not.toContain("priority-and-fairness");
  });

  it("has a check of coordinated elections where they are switched on", async () => {
    server = await serverInProcess({ flags: ["--feature-gates=CoordinatedLeaderElection=true"] });
    const { text } = await server.call("GET", "/readyz?verbose");
    expect(text).toContain("[+]poststarthook/start-kube-apiserver-coordinated-leader-election-controller ok");
  });

  it.each(["/livez", "/readyz", "/healthz", "/livez/etcd"])(
    "fails at %s when the store takes no more writes",
    async (path) => {
      const engine: StorageEngine & { failure?: StorageError } = new MemoryEngine();
      server = await serverInProcess({ deps: { engine } });
      expect((await server.call("GET", path)).status).toBe(200);
      Object.assign(engine, { failure: new StorageError("Unavailable", "the store takes no more writes") });
      expect((await server.call("GET", path)).status).toBe(500);
    },
  );

  it("says little about checks that do not exist, however many and long they are", async () => {
    server = await serverInProcess();
    const many = Array.from({ length: 500 }, (_, index) => `exclude=${index}${"x".repeat(200)}`).join("&");
    const long = `exclude=${"y".repeat(100_000)}`;
    expect((await server.call("GET", `/livez?verbose&${many}&${long}`)).text.length).toBeLessThan(10_000);
  });
});
