// Where the agent listens: its own HTTPS endpoints, and the two plain ports, for its health and for reading.
// Requirements: document 3, node-agent configuration (enableServer, healthzPort, readOnlyPort).

import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import type { LoadedConfiguration } from "./config/load-configuration.ts";
import { signedServingCertificate } from "./identity/serving.ts";
import { internalIps } from "./node/addresses.ts";
import { measureMachine } from "./node/machine.ts";
import type { AgentPaths } from "./paths.ts";
import { AgentServer, type EndpointOptions, readOnlyHandler } from "./server/agent-server.ts";
import { type HealthChecks, listenHealth } from "./server/health.ts";
import type { PlainPort } from "./server/plain-port.ts";
import { listenReadOnly } from "./server/read-only-port.ts";
import { chooseServingCertificate, type FollowedCertificate } from "./server/serving-certificate.ts";

interface AgentPortsOptions {
  readonly client: Client;
  readonly loaded: LoadedConfiguration;
  readonly paths: AgentPaths;
  readonly nodeName: string;
  readonly hostname: string;
  readonly nodeIps: readonly string[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly checks: HealthChecks;
  readonly endpoints: () => EndpointOptions;
}

export class AgentPorts {
  readonly #options: AgentPortsOptions;
  #server: AgentServer | undefined;
  #healthPort: PlainPort | undefined;
  #readOnlyPort: PlainPort | undefined;

  constructor(options: AgentPortsOptions) {
    this.#options = options;
  }

  /** The port of the HTTPS server; undefined when there is none. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  /** Fails with StartError. */
  async start(): Promise<void> {
    if (this.#options.loaded.configuration.enableServer) this.#server = await this.#listen();
    await this.#listenForHealth();
    await this.#listenReadOnly();
  }

  async close(): Promise<void> {
    this.#healthPort?.close();
    this.#readOnlyPort?.close();
    await this.#server?.close();
  }

  async #listen(): Promise<AgentServer> {
    const { loaded, paths, hostname, nodeIps } = this.#options;
    const machine = await measureMachine(paths.rootDir, undefined);
    const addresses = internalIps(hostname, nodeIps, machine);
    const { address } = loaded.configuration;
    const bound = address === "0.0.0.0" || address === "::" ? [] : [address];
    const names = [...new Set([hostname, ...addresses, ...bound, "localhost", "127.0.0.1"])];
    return await AgentServer.listen({
      certificate: await this.#certificate(names, [hostname, ...addresses]),
      ...this.#options.endpoints(),
    });
  }

  /** `names` are all under which the agent is reached, `ownNames` those that an authority may vouch for. */
  async #certificate(names: readonly string[], ownNames: readonly string[]): Promise<FollowedCertificate> {
    const { client, clock, random, log, nodeName, paths, loaded } = this.#options;
    const { configuration: config, gates } = loaded;
    const reloads = gates.enabled("ReloadKubeletServerCertificateFile");
    const own = () => chooseServingCertificate({ config, certDir: paths.certDir, reloads, names, clock, log });
    const isSigned = config.serverTLSBootstrap && gates.enabled("RotateKubeletServerCertificate");
    if (!isSigned || config.tlsCertFile !== undefined) return await own();
    const file = join(paths.certDir, "nodeagent-server-current.pem");
    const fallback = async () => (await own()).current;
    return await signedServingCertificate({ client, clock, random, log, nodeName, names: ownNames, file, fallback });
  }

  /** A port that is taken is no reason not to run: nothing but the machine itself asks there. */
  async #listenForHealth(): Promise<void> {
    const { healthzPort: port, healthzBindAddress: address } = this.#options.loaded.configuration;
    if (port === 0) return;
    try {
      this.#healthPort = await listenHealth({ address, port, checks: this.#options.checks });
    } catch (error) {
      this.#options.log.warn({ err: error, address, port }, "healthzPort: cannot listen there");
    }
  }

  async #listenReadOnly(): Promise<void> {
    const { readOnlyPort: port, address } = this.#options.loaded.configuration;
    if (port === 0) return;
    try {
      const handler = readOnlyHandler(this.#options.endpoints());
      this.#readOnlyPort = await listenReadOnly({ address, port, handler });
    } catch (error) {
      throw new StartError(`readOnlyPort: cannot listen on ${address}:${port}: ${(error as Error).message}`);
    }
  }
}
