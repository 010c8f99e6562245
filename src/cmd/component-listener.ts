// The port of a component beside the API server: whether it is well, and what it measures.

import { integerFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import { machineNames, readServingCertificate, temporaryServingCertificate } from "../http/certificates.ts";
import { type ListenerTls, listen } from "../http/listener.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import { type HealthMetrics, healthMetrics } from "../meta/health-metrics.ts";
import { servingFlags } from "../options/serving-flags.ts";
import { type Access, accessFlags, ComponentAccess } from "./component-access.ts";

const MAX_PORT = 65_535;

export function listenerFlags(port: number) {
  return {
    securePort: integerFlag({
      default: port,
      min: 0,
      max: MAX_PORT,
      doc: "The HTTPS port of /healthz and /metrics; 0: none.",
    }),
    bindAddress: textFlag({ default: "127.0.0.1", placeholder: "ADDRESS", doc: "The address to listen on." }),
    tlsCertFile: pathFlag({
      default: undefined,
      doc: "PEM file with the certificate of this port; made when not given.",
    }),
    tlsPrivateKeyFile: pathFlag({ default: undefined, doc: "PEM file with the key of --tls-cert-file." }),
    tlsMinVersion: servingFlags.tlsMinVersion,
    tlsCipherSuites: servingFlags.tlsCipherSuites,
    ...accessFlags,
  } as const;
}

type ListenerOptions = OptionsOf<ReturnType<typeof listenerFlags>>;

export interface ComponentListenerParts {
  readonly options: ListenerOptions;
  /** Whether somebody asked for this port, rather than it being the usual one. */
  readonly isPortGiven: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  /** May ask who a caller is and what it may do. */
  readonly client: Client;
  /** The same of another kubeconfig. */
  readonly clientOf: (kubeconfig: string) => Client;
}

export interface ComponentListener {
  readonly port: number;
  stop(): Promise<void>;
}

const CERTIFICATE_LIFE_MS = 365 * 24 * 3_600_000;
const GRACE_MS = 1_000;

/** Undefined when there is no port to listen on. Fails with StartError. */
export async function listenAsComponent(parts: ComponentListenerParts): Promise<ComponentListener | undefined> {
  const { options, isPortGiven, log, metrics } = parts;
  const { securePort, bindAddress } = options;
  if (securePort === 0) return undefined;
  const access = new ComponentAccess(parts);
  const outcomes = healthMetrics(parts.client.names);
  const { clientAuthorities } = access.certificates;
  try {
    const listener = await listen({
      bindAddress,
      port: securePort,
      tls: await tlsOf(parts),
      clientAuthorities: clientAuthorities.certificates,
      handler: (request) => answer({ access, metrics, outcomes }, request),
    });
    clientAuthorities.onChange = () => listener.setClientAuthorities(clientAuthorities.certificates);
    return {
      port: listener.port,
      async stop() {
        await listener.close(GRACE_MS);
        await access.close();
      },
    };
  } catch (error) {
    await access.close();
    if (error instanceof StartError) throw error;
    const message = `--secure-port ${securePort} on ${bindAddress}: ${(error as Error).message}`;
    if (isPortGiven) throw new StartError(message);
    // Several of them on one machine need no port each.
    log.warn({ port: securePort }, `${message}; health and metrics are not served`);
    return undefined;
  }
}

async function tlsOf({ options, client }: ComponentListenerParts): Promise<ListenerTls> {
  const { bindAddress, tlsCertFile, tlsPrivateKeyFile, tlsMinVersion, tlsCipherSuites } = options;
  const { certificatePem, keyPem } =
    tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined
      ? await readServingCertificate(tlsCertFile, tlsPrivateKeyFile)
      : await temporaryServingCertificate(machineNames(bindAddress), {
          nowMs: client.clock.nowMs(),
          lifeMs: CERTIFICATE_LIFE_MS,
        });
  return {
    certificatePem,
    keyPem,
    minVersion: tlsMinVersion === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2",
    ...(tlsCipherSuites.length === 0 ? {} : { ciphers: tlsCipherSuites.join(":") }),
  };
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface AnswerParts {
  readonly access: ComponentAccess;
  readonly metrics: Metrics;
  readonly outcomes: HealthMetrics;
}

/** What one request is answered. */
async function answer({ access, metrics, outcomes }: AnswerParts, request: ReceivedRequest): Promise<Response> {
  const { method, path } = request;
  const registries: ReadonlyMap<string, Metrics> = new Map([
    ["/metrics", metrics],
    ["/metrics/slis", outcomes.metrics],
  ]);
  const registry = registries.get(path);
  if (registry === undefined && !HEALTH_PATHS.has(path)) return text(404, "404 page not found");
  if (method !== "GET" && method !== "HEAD") return text(405, "Method Not Allowed");
  const verdict = await access.judge(request);
  if (verdict !== "allowed") return REFUSALS[verdict];
  if (registry === undefined) {
    outcomes.onResult("ping", path.slice(1), true);
    return text(200, "ok");
  }
  return {
    status: 200,
    headers: { "content-type": METRICS_TYPE },
    body: {
      async stream(writer) {
        for await (const piece of registry.expose()) await writer.write(Buffer.from(piece));
      },
    },
  };
}

function text(status: number, body: string): Response {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: Buffer.from(body),
  };
}

const REFUSALS: Readonly<Record<Exclude<Access, "allowed">, Response>> = {
  unknown: text(401, "Unauthorized"),
  refused: text(403, "Forbidden"),
  unavailable: text(503, "the API server cannot be asked"),
};
