// Services, pods and nodes for tests of what makes endpoints of them, on a whole server.

import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";

interface PodWish {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly spec?: Draft<Pod["spec"]>;
}

const NODE = "node-1";
const NAMESPACE = "default";

export async function makeNode(client: Client, name = NODE, labels: Record<string, string> = {}): Promise<void> {
  await client.core.v1.nodes().create({ metadata: { name, labels } });
}

/** A pod that runs on NODE. */
export async function makePod(
  client: Client,
  { name, labels, ips, ready = true, spec }: PodWish,
): Promise<Stored<Pod>> {
  const pods = client.core.v1.pods(NAMESPACE);
  const containers = [{ name: "c", image: "i" }];
  await pods.create({ metadata: { name, labels: { ...labels } }, spec: { nodeName: NODE, containers, ...spec } });
  return setReady(client, name, ready, ips ?? [nextIp()]);
}

export function setReady(client: Client, name: string, ready: boolean, ips?: readonly string[]): Promise<Stored<Pod>> {
  return client.core.v1.pods(NAMESPACE).status.patch(name, {
    strategic: {
      status: {
        phase: "Running",
        ...(ips === undefined ? {} : { podIP: ips[0]!, podIPs: ips.map((ip) => ({ ip })) }),
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      },
    },
  });
}

export async function makeService(client: Client, name: string, spec: object = {}): Promise<void> {
  const ports = [{ port: 80, targetPort: 8080 }];
  await client.core.v1
    .services(NAMESPACE)
    .create({ metadata: { name }, spec: { selector: { app: name }, ports, ...spec } });
}

let lastIp = 0;

function nextIp(): string {
  lastIp += 1;
  return `10.44.${lastIp >> 8}.${lastIp & 255}`;
}
