// A request handed on to a pod or a service, and its answer handed back: what `proxy` does once it knows where.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Egress, EgressHttpAgent, EgressHttpsAgent } from "../../../client/callouts/egress.ts";
import { forwardedHeaders, type Headers } from "../../../http/forwarded-headers.ts";
import { toWire } from "../../../http/header-text.ts";
import type { Response } from "../../../http/message.ts";
import { type Far, tunnel } from "../../../http/tunnel.ts";
import { hostInUrl, hostPort } from "../../../meta/host-port.ts";
import { StatusError } from "../../../meta/status-error.ts";
import { readBody } from "../../../registry/read-body.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { refuseOddAnswers } from "../../forwarding/refuse-odd-answers.ts";
import { answerBelow, mountOn } from "./below-mount.ts";

interface ForwardTarget {
  readonly scheme: "http" | "https";
  readonly host: string;
  /** Absent: the scheme's own. */
  readonly port?: number;
  /** The path on the other side, not decoded, with its query. */
  readonly path: string;
  /** The path that leads here: redirects of the other side are kept below it. */
  readonly mount: string;
  /** The way there; straight when not given. */
  readonly egress?: Egress | undefined;
}

/** How long the other side may take until it begins to answer, and how long it may be silent afterwards. */
const MAX_SILENCE_MS = 60_000;

/** Fails with 503 when the other side cannot be reached. */
export async function forwardHttp(
  request: AuthorizedRequest,
  target: ForwardTarget,
  maxBodyBytes: number,
): Promise<Response> {
  if (request.upgrade !== undefined) return forwardUpgrade(request, target);
  const body = await readBody(request, maxBodyBytes);
  const answer = await send(request, target, body).catch((error: Error) => {
    throw unreachable(error);
  });
  answer.setTimeout(MAX_SILENCE_MS, () => answer.destroy(new Error("silent for too long")));
  return answerBelow(answer, mountOn(request, target.mount, authorityOf(target)));
}

async function forwardUpgrade(request: AuthorizedRequest, target: ForwardTarget): Promise<Response> {
  const { host, port, path } = target;
  try {
    return await tunnel(request, {
      host,
      ...(port === undefined ? {} : { port }),
      path: toWire(path),
      headers: targetHeaders(request, target),
      via: viaOf(target),
    });
  } catch (error) {
    throw unreachable(error as Error);
  }
}

const unreachable = ({ message }: Error): StatusError =>
  new StatusError(503, "ServiceUnavailable", `error trying to reach service: ${message}`, { causes: [] });

/** Pods have certificates of their own making: what is asked for is the pod, not a name. */
const TRUST_ANY = { rejectUnauthorized: false, ca: [] };

function viaOf({ scheme, egress }: ForwardTarget): Far["via"] {
  if (scheme === "http") return { scheme, ...(egress === undefined ? {} : { agent: new EgressHttpAgent(egress) }) };
  return { scheme, agent: egress === undefined ? new HttpsAgent(TRUST_ANY) : new EgressHttpsAgent(egress, TRUST_ANY) };
}

function send(request: AuthorizedRequest, target: ForwardTarget, body: Uint8Array): Promise<IncomingMessage> {
  const { host, port, path } = target;
  const options = {
    method: request.method,
    host,
    path: toWire(path),
    headers: {
      ...forwardedHeaders(request),
      ...targetHeaders(request, target),
      ...(body.length > 0 || request.headers.first("content-length") !== undefined
        ? { "content-length": String(body.length) }
        : {}),
    },
    signal: request.signal,
    timeout: MAX_SILENCE_MS,
    ...(port === undefined ? {} : { port }),
  };
  return new Promise((resolve, reject) => {
    const via = viaOf(target);
    const sent: ClientRequest =
      via.scheme === "https"
        ? httpsRequest({ ...options, ...TRUST_ANY, agent: via.agent })
        : httpRequest({ ...options, ...(via.agent === undefined ? {} : { agent: via.agent }) });
    refuseOddAnswers(sent, reject);
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.end(body);
  });
}

function authorityOf({ host, port }: ForwardTarget): string {
  return port === undefined ? hostInUrl(host) : hostPort(host, port);
}

function targetHeaders({ headers }: AuthorizedRequest, target: ForwardTarget): Headers {
  const asked = headers.first("host");
  return {
    host: authorityOf(target),
    "x-forwarded-proto": target.scheme,
    ...(asked === undefined ? {} : { "x-forwarded-host": toWire(asked) }),
  };
}
