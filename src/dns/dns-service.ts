// The Service of the resolver: the address that pods are told, in front of where the resolver listens.

import { StartError } from "../base/start-error.ts";
import { ApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import { parseIp } from "../meta/ip.ts";

interface DnsService {
  /** What pods are told. */
  readonly clusterIp: string;
  /** Where the resolver listens. */
  readonly address: string;
  readonly port: number;
  readonly nodeName: string;
}

const NAME = "kube-dns";
const DNS_PORT = 53;
const PORTS = [
  { name: "dns", protocol: "UDP" },
  { name: "dns-tcp", protocol: "TCP" },
] as const;

/** Makes both, or brings them up to date. Fails with StartError, also when somebody else has the address. */
export async function publishDns(client: Client, service: DnsService): Promise<void> {
  try {
    await publish(client, service);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(`the Service of the cluster's DNS cannot be kept: ${error.message}`, { cause: error });
  }
}

async function publish(client: Client, { clusterIp, address, port, nodeName }: DnsService): Promise<void> {
  const { names } = client;
  const namespace = names.systemNamespace;
  const labels = { "k8s-app": NAME };
  await client.core.v1.services(namespace).apply(
    {
      metadata: { name: NAME, labels },
      spec: {
        clusterIP: clusterIp,
        ports: PORTS.map((each) => ({ ...each, port: DNS_PORT, targetPort: port })),
      },
    },
    { force: true },
  );
  await client.discovery.v1.endpointSlices(namespace).apply(
    {
      metadata: {
        name: NAME,
        labels: { ...labels, [names.serviceNameLabel]: NAME, [names.managedByLabel]: "plinth" },
      },
      addressType: parseIp(address)?.family === 6 ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true }, nodeName }],
      ports: PORTS.map((each) => ({ ...each, port })),
    },
    { force: true },
  );
}
