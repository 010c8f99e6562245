// The resolver of a cluster: follows Services and what stands behind them, and answers questions about them.

import { randomInt } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { FollowedFile } from "../base/follow-file.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { readSmallFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { SharedInformers } from "../client/shared-informers.ts";
import { namespace } from "../kinds/core/namespace.ts";
import { service } from "../kinds/core/service.ts";
import { endpointSlice } from "../kinds/discovery/endpoint-slice.ts";
import { measureAnswers } from "./dns-metrics.ts";
import { Forwarder } from "./forward/forwarder.ts";
import { DNS_PORT, nameserversOf, othersAmong } from "./forward/resolv-conf.ts";
import { DnsListener } from "./listen/dns-listener.ts";
import { lowerCase, nameFromText } from "./message/message.ts";
import { Resolver } from "./resolver.ts";
import { serviceIndexes, sliceIndexes, viewOf } from "./zone/cluster-view.ts";

interface ClusterDnsOptions {
  /** May read namespaces, services and endpointslices of all namespaces. */
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly log: Log;
  /** The domain of the cluster, such as cluster.local. */
  readonly domain: string;
  /** Of the Service that leads to the resolver. */
  readonly clusterIp: string;
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  /** Names the servers that are asked what the cluster does not know. */
  readonly resolvConf: string;
  /** Whether an address may ask. */
  readonly mayAsk: (address: string) => boolean;
  /** Where what is asked and answered is counted. */
  readonly metrics?: Metrics;
}

const LOOK_EVERY_MS = 10_000;

export class ClusterDns {
  readonly #informers: SharedInformers;
  readonly #listener: DnsListener;
  readonly #forwarder: Forwarder;
  readonly #resolvConf: FollowedFile;

  private constructor(parts: {
    readonly informers: SharedInformers;
    readonly listener: DnsListener;
    readonly forwarder: Forwarder;
    readonly resolvConf: FollowedFile;
  }) {
    this.#informers = parts.informers;
    this.#listener = parts.listener;
    this.#forwarder = parts.forwarder;
    this.#resolvConf = parts.resolvConf;
  }

  /** Resolves when the zone is known and questions are answered. Fails with StartError. */
  static async start(options: ClusterDnsOptions): Promise<ClusterDns> {
    const { client, clock, log, address, port, mayAsk } = options;
    const domain = nameFromText(options.domain);
    if (domain === undefined) throw new StartError(`${JSON.stringify(options.domain)} is not a domain`);
    const informers = new SharedInformers(client, {
      onError: (error) => log.debug({ err: error }, "the resolver follows again what it knows the cluster by"),
    });
    const kinds = {
      namespaces: informers.of(namespace).cache,
      services: informers.of(service, { indexes: serviceIndexes }).cache,
      slices: informers.of(endpointSlice, { indexes: sliceIndexes(client.names) }).cache,
    };
    informers.start();
    await informers.whenSynced();
    const known = await readSmallFile(options.resolvConf).catch(() => Buffer.alloc(0));
    let servers = nameserversOf(known.toString());
    const forwarder = new Forwarder({
      clock,
      randomId: () => randomInt(2 ** 16),
      upstreams: () =>
        othersAmong(servers, [
          { address, port: listener.port },
          { address: options.clusterIp, port: DNS_PORT },
        ]),
    });
    const resolver = new Resolver({
      view: viewOf(kinds, client.names),
      domain: lowerCase(domain),
      forwarder,
      clock,
      random: Math.random,
    });
    const onError = (error: unknown) => log.warn({ err: error }, "a question to the resolver failed");
    const { metrics } = options;
    const plain = resolver.answer.bind(resolver);
    const answer = metrics === undefined ? plain : measureAnswers(plain, { metrics, clock, domain: lowerCase(domain) });
    const listener = await DnsListener.listen({ address, port, clock, answer, mayAsk, onError }).catch(
      async (error: Error) => {
        await informers.stop();
        throw new StartError(`the resolver cannot listen at ${address}, port ${port}: ${error.message}`);
      },
    );
    const resolvConf = new FollowedFile(options.resolvConf, {
      clock,
      known,
      intervalMs: LOOK_EVERY_MS,
      onContent: (content) => {
        servers = nameserversOf(Buffer.from(content).toString());
      },
      onError: (error) => log.debug({ err: error }, "the resolvers of this machine stay those that were read last"),
    });
    return new ClusterDns({ informers, listener, forwarder, resolvConf });
  }

  get port(): number {
    return this.#listener.port;
  }

  async stop(): Promise<void> {
    this.#listener.close();
    this.#forwarder.close();
    this.#resolvConf.close();
    await this.#informers.stop();
  }
}
