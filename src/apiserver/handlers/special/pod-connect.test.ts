// Requests to what runs in pods, in process; where an address is needed, a server on this machine plays the pod.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { callInProcess } from "../../../http/in-process.testing.ts";
import { inProcessRequest } from "../../../http/in-process.ts";
import { startTlsServer } from "../../../http/tls-server.testing.ts";
import { parseIp } from "../../../meta/ip.ts";
import { SIMULATED_RUNTIME } from "../../../meta/simulated-runtime.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../../registry/request.ts";
import { targetOf } from "../../request-path.ts";
import { type ServerInProcess, serverInProcess } from "../../server.testing.ts";
import { forwardHttp } from "./forward-http.ts";
import { isProxyable } from "./pod-connect.ts";
import { mountOf, redirectToFolder, splitName } from "./proxy-path.ts";

const PODS = "/api/v1/namespaces/default/pods";
const SERVICES = "/api/v1/namespaces/default/services";
const container = (name: string) => ({ name, image: "i" });

describe("requests to pods", () => {
  let server: ServerInProcess;
  beforeAll(async () => {
    server = await serverInProcess();
    await server.call("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    await pod("free", {});
    await pod("two", { containers: [container("a"), container("b")], initContainers: [container("init")] });
    await pod("bound", { nodeName: "worker" });
    await pod("lost", { nodeName: "gone" });
    await pod("pretended", { nodeName: "simulated" });
    await server.call("POST", "/api/v1/nodes", { metadata: { name: "worker" } });
    const nodeInfo = { containerRuntimeVersion: `${SIMULATED_RUNTIME}//1.0` };
    await server.call("POST", "/api/v1/nodes", { metadata: { name: "simulated" }, status: { nodeInfo } });
    await server.call("POST", SERVICES, { metadata: { name: "svc" }, spec: { ports: [{ name: "web", port: 80 }] } });
    const status = { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] };
    const patched = await server.call("PATCH", `${PODS}/bound/status`, { status }, MERGE);
    assert.equal(patched.status, 200, patched.text);
  });
  afterAll(() => server.close());

  const MERGE = { "content-type": "application/merge-patch+json" };
  const pod = async (name: string, spec: object) => {
    const made = await server.call("POST", PODS, {
      metadata: { name },
      spec: { containers: [container("c")], ...spec },
    });
    assert.equal(made.status, 201, made.text);
  };

  it.each([
    ["log of an absent pod", `${PODS}/none/log`, 404, 'pods "none" not found'],
    ["log of an unknown container", `${PODS}/free/log?container=x`, 400, "container x is not valid for pod free"],
    [
      "log of one of several containers",
      `${PODS}/two/log`,
      400,
      "a container name must be specified for pod two, choose one of: [init a b]",
    ],
    ["log with negative lines", `${PODS}/free/log?tailLines=-1`, 422, /tailLines: Invalid value: -1/],
    ["log on a node without addresses", `${PODS}/bound/log`, 500, /no preferred addresses found/],
    [
      "log on a simulated node",
      `${PODS}/pretended/log`,
      400,
      'node "simulated" is simulated: it runs no containers, so that there is nothing to read, to join or to reach',
    ],
    ["proxy to a simulated node", "/api/v1/nodes/simulated/proxy/x", 400, /is simulated: it runs no containers/],
    ["log on a node that is gone", `${PODS}/lost/log`, 404, 'nodes "gone" not found'],
    ["exec in an unscheduled pod", `${PODS}/free/exec?command=ls`, 400, "pod free does not have a host assigned"],
    ["attach without an upgrade", `${PODS}/bound/attach`, 400, "Upgrade request required"],
    ["portforward of an unscheduled pod", `${PODS}/free/portforward`, 400, "pod free does not have a host assigned"],
    ["proxy to a pod without address", `${PODS}/free/proxy/x`, 400, "address not allowed"],
    ["proxy to a loopback address", `${PODS}/bound:8080/proxy/x`, 400, "address not allowed"],
    ["proxy with a wrong scheme", `${PODS}/ftp:free:1/proxy/x`, 400, 'invalid pod request "ftp:free:1"'],
    ["proxy to an absent service", `${SERVICES}/none/proxy/`, 404, 'services "none" not found'],
    ["proxy to an unknown port", `${SERVICES}/svc:99/proxy/`, 503, 'no service port 99 found for service "svc"'],
    ["proxy to a node without addresses", "/api/v1/nodes/worker/proxy/x", 500, /no preferred addresses found/],
    ["proxy to an absent node", "/api/v1/nodes/none/proxy/x", 404, 'nodes "none" not found'],
  ])("%s", async (_what, url, status, message) => {
    const answer = await server.call("GET", url);
    const { message: said } = answer.json as { message: string };
    assert.equal(answer.status, status, answer.text);
    if (typeof message === "string") assert.equal(said, message);
    else assert.match(said, message);
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"])("proxies %s", async (method) => {
    // There is nobody to reach: the pod has no address.
    assert.equal((await server.call(method, `${PODS}/free/proxy/`)).status, 400);
    const refused = method === "HEAD" || method === "OPTIONS" || method === "PUT" ? 405 : undefined;
    if (refused !== undefined) assert.equal((await server.call(method, `${PODS}/free/log`)).status, refused);
  });

  it("has no content for the log of a pod that was never scheduled", async () => {
    const answer = await server.call("GET", `${PODS}/free/log`);
    assert.deepEqual([answer.status, answer.text, answer.headers["content-type"]], [204, "", undefined]);
  });

  it("refuses endpoints of a service on this machine's own addresses", async () => {
    const subsets = [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "other", port: 80 }] }];
    await server.call("POST", "/api/v1/namespaces/default/endpoints", { metadata: { name: "svc" }, subsets });
    const answer = await server.call("GET", `${SERVICES}/svc:web/proxy/`);
    assert.equal((answer.json as { message: string }).message, 'no endpoints available for service "svc:web"');
    assert.equal(answer.status, 503);
  });
});

describe("forwarding", () => {
  let upstream: Server;
  let port: number;
  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method, url, headers } = request;
        response.writeHead(url === "/moved" ? 302 : 207, { location: "/there", "x-seen": "yes" });
        response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    ({ port } = upstream.address() as AddressInfo);
  });
  afterAll(() => new Promise((resolve) => upstream.close(resolve)));

  const forward = (method: string, path: string, to: number, body = "", scheme: "http" | "https" = "http") =>
    callInProcess(
      (request) =>
        forwardHttp(
          Object.assign(request, { goOn: () => undefined }) as unknown as AuthorizedRequest,
          { scheme, host: "127.0.0.1", port: to, path, mount: "/m" },
          1000,
        ),
      {
        method,
        url: "/m/x",
        headers: {
          authorization: "Bearer secret",
          "x-own": "1",
          connection: "close",
          "impersonate-user": "u",
          host: "api",
        },
        body,
      },
    );

  it("hands on method, path, headers and body, but no credentials", async () => {
    const answer = await forward("POST", "/a%2Fb?q=1", port, "hello");
    const seen = JSON.parse(Buffer.from(answer.body).toString());
    assert.deepEqual([answer.status, answer.headers["x-seen"]], [207, "yes"]);
    assert.deepEqual([seen.method, seen.url, seen.body, seen.headers["x-own"]], ["POST", "/a%2Fb?q=1", "hello", "1"]);
    assert.equal(seen.headers.authorization, undefined);
    assert.equal(seen.headers["impersonate-user"], undefined);
    assert.deepEqual([seen.headers["x-forwarded-for"], seen.headers["x-forwarded-host"]], ["127.0.0.1", "api"]);
  });

  it("keeps redirects below its own path", async () => {
    assert.equal((await forward("GET", "/moved", port)).headers["location"], "/m/there");
  });

  it("takes any certificate of a pod, and parses no authorities for that", async () => {
    const pod = await startTlsServer((_, response) => void response.end("there"));
    const contexts = vi.spyOn(tls, "createSecureContext");
    const answer = await forward("GET", "/", pod.port, "", "https");
    const made = contexts.mock.calls.map(([options]) => options as tls.ConnectionOptions | undefined);
    contexts.mockRestore();
    await pod.close();
    // What others of this process still do makes contexts, too.
    const trusted = made.filter((options) => options?.port === pod.port).map((options) => options?.ca);
    assert.deepEqual([Buffer.from(answer.body).toString(), trusted], ["there", [[]]]);
  });

  it("answers 503 when nobody listens", async () => {
    await assert.rejects(forward("GET", "/", 1), { code: 503, reason: "ServiceUnavailable" });
  });
});

describe("names and paths of a proxy", () => {
  it.each([
    ["web", { scheme: "http", name: "web", port: "" }],
    ["web:80", { scheme: "http", name: "web", port: "80" }],
    ["https:web:", { scheme: "https", name: "web", port: "" }],
    ["https:web:x", { scheme: "https", name: "web", port: "x" }],
    ["ftp:web:1", undefined],
    ["a:b:c:d", undefined],
    [":80", undefined],
  ])("%s", (text, expected) => assert.deepEqual(splitName(text), expected));

  it.each([
    ["/api/v1/namespaces/n/pods/p/proxy/a%2Fb/c?x=1", "/a%2Fb/c?x=1"],
    ["/api/v1/namespaces/n/pods/p/proxy", "/"],
    ["/api/v1/namespaces/n/pods/p/proxy/", "/"],
    ["/api/v1/namespaces/n/pods/p/proxy/a/", "/a/"],
    ["/api/v1/namespaces/n/pods/p/proxy//a//b", "//a//b"],
    ["/api/v1%2Fnamespaces/n/pods%2fp/proxy/a", "/a"],
    ["/api/v1/namespaces/n/pods/p/proxy%2Fa", undefined],
  ])("%s", (url, path) => {
    const request = inProcessRequest({ method: "GET", url }) as AuthorizedRequest;
    const target = targetOf("GET", request.path, request) as ResourceTarget;
    if (path === undefined) return assert.throws(() => mountOf(request, target), { code: 400 });
    const mounted = mountOf(request, target);
    assert.deepEqual([mounted.path, decodeURIComponent(mounted.mount)], [path, "/api/v1/namespaces/n/pods/p/proxy"]);
  });

  it.each([
    ["GET", "/api/v1/namespaces/n/pods/p/proxy?q=1", "/api/v1/namespaces/n/pods/p/proxy/?q=1"],
    ["HEAD", "/api/v1/namespaces/n/pods/p/proxy", "/api/v1/namespaces/n/pods/p/proxy/"],
    ["POST", "/api/v1/namespaces/n/pods/p/proxy", undefined],
    ["GET", "/api/v1/namespaces/n/pods/p/proxy/", undefined],
    ["GET", "/api/v1/namespaces/n/pods/p/proxy/a", undefined],
  ])("leads %s %s to the folder", (method, url, folder) => {
    const request = inProcessRequest({ method, url }) as AuthorizedRequest;
    const target = targetOf(method, request.path, request) as ResourceTarget;
    assert.equal(redirectToFolder(request, target)?.headers["location"], folder);
  });

  it.each([
    ["10.0.0.1", true],
    ["127.0.0.1", false],
    ["169.254.169.254", false],
    ["::1", false],
    ["fe80::1", false],
    ["224.0.0.1", false],
    ["0.0.0.0", false],
    ["2001:db8::1", true],
    ["::ffff:10.0.0.1", true],
    ["::ffff:127.0.0.1", false],
    ["::ffff:169.254.169.254", false],
    ["::ffff:0.0.0.0", false],
    ["::ffff:255.255.255.255", false],
    ["::ffff:7f00:1", false],
    ["::%lo", false],
    ["fd00::1%lo", false],
    ["2001:db8::1%1", false],
    ["::127.0.0.1", false],
    ["2002:7f00:1::1", false],
    ["2002:a9fe:a9fe::", false],
    ["2002:c000:204::1", true],
    ["64:ff9b::127.0.0.1", false],
    ["64:ff9b::a9fe:a9fe", false],
    ["64:ff9b::192.0.2.1", true],
    ["", false],
  ])("address %s", (text, allowed) => assert.equal(isProxyable(parseIp(text)), allowed));
});
