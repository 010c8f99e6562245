// A scheduler that asks another server, over HTTP, on a whole cluster.

import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { asUser } from "../../apiserver/server.testing.ts";
import { silentLog } from "../../base/log.ts";
import { Client } from "../../client/client.ts";
import { InProcessTransport } from "../../client/in-process-transport.ts";
import { testCertificate } from "../../http/listener.testing.ts";
import { issueCertificate, type KeyedCertificate } from "../../http/pki/issue-certificate.ts";
import { completeStruct, usableStruct } from "../../options/complete-config.ts";
import { type SimulatedCluster, simulatedCluster } from "../../simulated-nodes/simulated-nodes.testing.ts";
import { type ExtenderConfiguration, extenderFields } from "../profiles/configuration.ts";
import { Scheduler } from "../scheduler.ts";
import { buildExtenders } from "./build-extenders.ts";

type Loose = Record<string, unknown>;
type Answer = (question: Loose) => unknown;

let cluster: SimulatedCluster;
let scheduler: Scheduler;
let server: Server;
/** What the extender was asked, by verb. */
let asked: [verb: string, question: Loose][] = [];
afterEach(async () => {
  await scheduler.stop();
  await cluster.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** `verbs`: what is answered; a number is a status. */
async function start(
  verbs: Readonly<Record<string, Answer | number>>,
  settings: Loose,
  certificate?: KeyedCertificate,
): Promise<void> {
  asked = [];
  const listener: RequestListener = async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const verb = request.url!.slice("/scheduling/".length);
    const question = JSON.parse(text) as Loose;
    asked.push([verb, question]);
    const answer = verbs[verb]!;
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.end(JSON.stringify(await answer(question)));
  };
  server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ cert: certificate.certificatePem, key: certificate.keyPem }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const urlPrefix = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}/scheduling/`;
  const extender = usableStruct(extenderFields, completeStruct(extenderFields, { urlPrefix, ...settings } as never));
  cluster = await simulatedCluster({ count: 3 });
  const headers = { "user-agent": "scheduler/1", ...asUser({ name: "system:kube-scheduler", groups: [] }) };
  const transport = new InProcessTransport({ handler: cluster.server.handler, headers });
  scheduler = new Scheduler({
    client: new Client({ transport, dialect: "platform", clock: cluster.clock }),
    clock: cluster.clock,
    random: () => 0.5,
    log: silentLog,
    options: { percentageOfNodesToScore: 0 },
    extenders: buildExtenders([extender as ExtenderConfiguration]),
  });
  await scheduler.start();
}

const pods = () => cluster.client.core.v1.pods("default");
const make = (name: string, resources: Loose = { requests: { cpu: "1" } }, spec: Loose = {}) =>
  pods().create({ metadata: { name }, spec: { containers: [{ name: "c", image: "i", resources }], ...spec } } as never);
const nodeOf = (name: string) =>
  cluster.eventually(async () => {
    const { nodeName } = (await pods().get(name)).spec;
    expect(nodeName).toBeDefined();
    return nodeName;
  });
const unschedulable = (name: string, message: unknown, reason = "Unschedulable") =>
  cluster.eventually(async () => {
    const { conditions } = (await pods().get(name)).status;
    expect(conditions?.find(({ type }) => type === "PodScheduled")).toMatchObject({ status: "False", reason, message });
  });
const namesIn = ({ NodeNames }: Loose) => (NodeNames as string[]).toSorted();
const ALL = ["simulated-1", "simulated-2", "simulated-3"];

it("an extender that knows the nodes refuses some and likes one of the others", async () => {
  await start(
    {
      // Upstream reads names of members in any case.
      filter: () => ({ nodenames: ["simulated-2", "simulated-3"], failedNodes: { "simulated-1": "too far" } }),
      prioritize: () => [
        { Host: "simulated-2", Score: 1 },
        { Host: "simulated-3", Score: 10 },
      ],
    },
    { filterVerb: "filter", prioritizeVerb: "prioritize", weight: 5, nodeCacheCapable: true },
  );
  await make("liked");
  expect(await nodeOf("liked")).toBe("simulated-3");
  const [filtered, prioritized] = asked;
  expect(namesIn(filtered![1])).toEqual(ALL);
  expect(filtered![1]).toMatchObject({ Pod: { metadata: { name: "liked", namespace: "default" } } });
  expect(namesIn(prioritized![1])).toEqual(["simulated-2", "simulated-3"]);
});

it("one that does not is sent them whole, and names those that it keeps", async () => {
  await start(
    {
      filter: ({ Nodes }) => {
        const { items } = Nodes as { items: { metadata: { name: string }; status: { capacity: Loose } }[] };
        expect(items.map(({ status }) => status.capacity["cpu"])).toEqual(["4", "4", "4"]);
        return { Nodes: { items: items.filter(({ metadata }) => metadata.name === "simulated-2") } };
      },
    },
    { filterVerb: "filter" },
  );
  await make("kept");
  expect(await nodeOf("kept")).toBe("simulated-2");
});

it("says why no node is left, and is asked again when something has changed", async () => {
  let isOpen = false;
  await start(
    {
      filter: (question) =>
        isOpen
          ? { NodeNames: question["NodeNames"] }
          : {
              NodeNames: [],
              FailedNodes: { "simulated-1": "no licence" },
              FailedAndUnresolvableNodes: { "simulated-2": "never", "simulated-3": "never" },
            },
    },
    { filterVerb: "filter", nodeCacheCapable: true },
  );
  await make("waiting");
  await unschedulable(
    "waiting",
    expect.stringMatching(/^0\/3 nodes are available: 1 no licence, 2 never\. .*preemption: /),
  );
  isOpen = true;
  await cluster.client.core.v1.nodes().patch("simulated-1", { merge: { metadata: { labels: { licence: "new" } } } });
  await nodeOf("waiting");
});

it("is asked only about pods that want what it looks after", async () => {
  await start(
    { filter: () => ({ NodeNames: [] }) },
    { filterVerb: "filter", nodeCacheCapable: true, managedResources: [{ name: "example.com/gpu" }] },
  );
  await make("plain");
  await nodeOf("plain");
  expect(asked).toEqual([]);
});

it("that fails keeps the pod waiting, unless it may be ignored", async () => {
  await start({ filter: 500 }, { filterVerb: "filter", nodeCacheCapable: true });
  await make("stuck");
  await unschedulable(
    "stuck",
    expect.stringMatching(/^failed filter with extender at URL .*, code 500$/),
    "SchedulerError",
  );
});

it("that fails is left out where it may be ignored", async () => {
  await start(
    { filter: 500, prioritize: () => "nonsense", bind: () => ({ Error: "not today" }) },
    {
      filterVerb: "filter",
      prioritizeVerb: "prioritize",
      bindVerb: "bind",
      weight: 1,
      nodeCacheCapable: true,
      ignorable: true,
    },
  );
  await make("free");
  await nodeOf("free");
  expect(asked.map(([verb]) => verb)).toEqual(["filter", "prioritize", "bind"]);
});

it("binds pods itself", async () => {
  await start(
    {
      async bind({ PodNamespace, PodName, PodUID, Node }) {
        await cluster.client.core.v1
          .pods(String(PodNamespace))
          .bind(String(PodName), String(Node), { uid: String(PodUID) });
        return {};
      },
    },
    { bindVerb: "bind" },
  );
  await make("bound");
  const Node = await nodeOf("bound");
  expect(asked).toEqual([["bind", { PodNamespace: "default", PodName: "bound", PodUID: expect.any(String), Node }]]);
});

it("is known by its authority over TLS", async () => {
  const verbs = { filter: () => ({ NodeNames: ["simulated-3"] }) };
  const certificate = await testCertificate();
  const caData = Buffer.from(certificate.certificatePem).toString("base64");
  const settings = { filterVerb: "filter", nodeCacheCapable: true, enableHTTPS: true };
  await start(verbs, { ...settings, tlsConfig: { caData } }, certificate);
  await make("trusting");
  expect(await nodeOf("trusting")).toBe("simulated-3");
});

it("is not asked over TLS where its authority is another", async () => {
  const [notBeforeMs, notAfterMs] = [Date.now() - 60_000, Date.now() + 60_000];
  const other = await issueCertificate({
    use: "server",
    subject: { commonName: "x" },
    names: [],
    notBeforeMs,
    notAfterMs,
  });
  const caData = Buffer.from(other.certificatePem).toString("base64");
  await start(
    { filter: () => ({ NodeNames: [] }) },
    { filterVerb: "filter", tlsConfig: { caData } },
    await testCertificate(),
  );
  await make("careful");
  await unschedulable("careful", expect.stringMatching(/certificate/), "SchedulerError");
  expect(asked).toEqual([]);
});

it("chooses who leaves for a pod", async () => {
  await start(
    {
      preempt({ NodeNameToMetaVictims }) {
        const victims = NodeNameToMetaVictims as Record<string, unknown>;
        return { NodeNameToMetaVictims: { "simulated-2": victims["simulated-2"] } };
      },
      filter: (question) => ({ NodeNames: question["NodeNames"] }),
    },
    { preemptVerb: "preempt", filterVerb: "filter", nodeCacheCapable: true },
  );
  await cluster.client.scheduling.v1.priorityClasses().create({ metadata: { name: "high" }, value: 1000 });
  for (const name of ["a", "b", "c"]) {
    await make(name, { requests: { cpu: "3" } });
    await nodeOf(name);
  }
  await make("important", { requests: { cpu: "3" } }, { priorityClassName: "high" });
  expect(await nodeOf("important")).toBe("simulated-2");
  const [, question] = asked.find(([verb]) => verb === "preempt")!;
  const victims = question["NodeNameToMetaVictims"] as Record<string, { Pods: unknown[] }>;
  expect(Object.keys(victims).sort()).toEqual(ALL);
  expect(victims["simulated-2"]).toEqual({ Pods: [{ UID: expect.any(String) }], NumPDBViolations: 0 });
});
