// The port of a component beside the API server: whether it is well, and what it measures. Whoever asks for metrics is judged by
// the API server, as upstream's components do.

import { integerFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import { machineNames, readServingCertificate, temporaryServingCertificate } from "../http/certificates.ts";
import { listen } from "../http/listener.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";

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
  } as const;
}

type ListenerOptions = OptionsOf<ReturnType<typeof listenerFlags>>;

interface ComponentListenerParts {
  readonly options: ListenerOptions;
  /** Whether somebody asked for this port, rather than it being the usual one. */
  readonly isPortGiven: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  /** May ask who a caller is and what it may do. */
  readonly client: Client;
}

export interface ComponentListener {
  readonly port: number;
  stop(): Promise<void>;
}

const CERTIFICATE_LIFE_MS = 365 * 24 * 3_600_000;
const GRACE_MS = 1_000;

/** Undefined when there is no port to listen on. Fails with StartError. */
export async function listenAsComponent(parts: ComponentListenerParts): Promise<ComponentListener | undefined> {
  const { options, isPortGiven, log } = parts;
  const { securePort, bindAddress, tlsCertFile, tlsPrivateKeyFile } = options;
  if (securePort === 0) return undefined;
  const tls =
    tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined
      ? await readServingCertificate(tlsCertFile, tlsPrivateKeyFile)
      : await temporaryServingCertificate(machineNames(bindAddress), {
          nowMs: parts.client.clock.nowMs(),
          lifeMs: CERTIFICATE_LIFE_MS,
        });
  try {
    const listener = await listen({ bindAddress, port: securePort, tls, handler: (request) => answer(parts, request) });
    return { port: listener.port, stop: () => listener.close(GRACE_MS) };
  } catch (error) {
    const message = `--secure-port ${securePort} on ${bindAddress}: ${(error as Error).message}`;
    if (isPortGiven) throw new StartError(message);
    // Several of them on one machine need no port each.
    log.warn({ port: securePort }, `${message}; health and metrics are not served`);
    return undefined;
  }
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** What one request is answered. */
async function answer(
  { client, metrics }: Pick<ComponentListenerParts, "client" | "metrics">,
  request: ReceivedRequest,
): Promise<Response> {
  const { method, path } = request;
  if (path !== "/metrics" && !HEALTH_PATHS.has(path)) return text(404, "404 page not found");
  if (method !== "GET" && method !== "HEAD") return text(405, "Method Not Allowed");
  if (HEALTH_PATHS.has(path)) return text(200, "ok");
  const refusal = await refusalOf(client, request);
  if (refusal !== undefined) return refusal;
  return {
    status: 200,
    headers: { "content-type": METRICS_TYPE },
    body: {
      async stream(writer) {
        for await (const piece of metrics.expose()) await writer.write(Buffer.from(piece));
      },
    },
  };
}

interface Caller {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: string[];
  readonly extra?: Record<string, string[]>;
}

const ANONYMOUS: Caller = { username: "system:anonymous", groups: ["system:unauthenticated"] };

/** Undefined when the API server says that the caller may read the path. */
async function refusalOf(client: Client, { headers, path }: ReceivedRequest): Promise<Response | undefined> {
  const token = /^bearer (\S+)$/i.exec(headers.first("authorization") ?? "")?.[1];
  try {
    const caller = token === undefined ? ANONYMOUS : await callerOf(client, token);
    if (caller === undefined) return text(401, "Unauthorized");
    const { username: user, ...more } = caller;
    const nonResourceAttributes = { path, verb: "get" };
    const review = await client.authorization.v1
      .subjectAccessReviews()
      .create({ spec: { user, ...more, nonResourceAttributes } });
    return review.status?.allowed === true ? undefined : text(403, "Forbidden");
  } catch {
    // Nobody can say now who that is or what it may do.
    return text(503, "the API server cannot be asked");
  }
}

async function callerOf(client: Client, token: string): Promise<Caller | undefined> {
  const { status } = await client.authentication.v1.tokenReviews().create({ spec: { token } });
  if (status?.authenticated !== true || !status.user?.username) return undefined;
  return { ...status.user, username: status.user.username } as Caller;
}

function text(status: number, body: string): Response {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: Buffer.from(body),
  };
}
