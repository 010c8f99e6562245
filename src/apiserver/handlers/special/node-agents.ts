// Connections to the agents of nodes: where they listen, how they are known, and what a request becomes on the way there.
// Requirements: document 3, the endpoints of the node agent.

import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import { callErrorText } from "../../../client/call-error.ts";
import type { Egress } from "../../../client/callouts/egress.ts";
import { HttpsPool } from "../../../client/callouts/https-pool.ts";
import type { ClientIdentity, HttpsTarget } from "../../../client/tls-target.ts";
import { forwardedHeaders } from "../../../http/forwarded-headers.ts";
import { toWire } from "../../../http/header-text.ts";
import type { Response, StreamBody } from "../../../http/message.ts";
import { NoUpgrade, tunnel } from "../../../http/tunnel.ts";
import { hostPort } from "../../../meta/host-port.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { SIMULATED_RUNTIME } from "../../../meta/simulated-runtime.ts";
import { badRequest, internalError, StatusError } from "../../../meta/status-error.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { refuseOddAnswers } from "../../forwarding/refuse-odd-answers.ts";
import { answerBelow, mountOn, streamOf } from "./below-mount.ts";

/** How this server and the agents know each other. */
export interface NodeAgentTrust {
  /** Shown to the agents. */
  readonly identity?: ClientIdentity | undefined;
  /** PEM; the agents' certificates are not checked without it. */
  readonly authority?: string | undefined;
}

interface NodeAgentParts {
  readonly trust: () => NodeAgentTrust;
  /** Types of node addresses, the best first. */
  readonly addressTypes: readonly string[];
  /** How long a connection may take to stand. */
  readonly connectTimeoutMs: number;
  /** The way to the nodes, where it is not the straight one. */
  readonly egress?: Egress | undefined;
}

/** What an agent is asked. */
interface AgentCall {
  readonly node: ApiObject;
  /** Path and query at the agent. */
  readonly path: string;
  readonly body?: Uint8Array;
  /** The caller does not care whether the certificate is the agent's. */
  readonly insecure?: boolean;
}

const POOL_LIMITS = { maxSocketsPerTarget: 256, maxTargets: 256 };
const AGENT_PORT = 10_250;
/** How much of an agent's refusal is read. */
const MAX_REFUSAL_BYTES = 50_000;

export class NodeAgents {
  readonly #parts: NodeAgentParts;
  readonly #pool = new HttpsPool(POOL_LIMITS);

  constructor(parts: NodeAgentParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#pool.close();
  }

  /** The agent's answer, whatever it is, as it comes. Fails with 503 when the agent cannot be reached. */
  async carry(request: AuthorizedRequest, call: AgentCall, mount: string): Promise<Response> {
    const target = this.#targetOf(call);
    const answer = await this.#ask(request, call, target).catch((error: Error) => {
      throw new StatusError(503, "ServiceUnavailable", `error trying to reach service: ${callErrorText(error)}`);
    });
    return answerBelow(answer, mountOn(request, mount, authorityOf(target)));
  }

  /** The body of an agent's good answer. Redirects are refused; a bad answer is this server's own, with the agent's words. */
  async read(request: AuthorizedRequest, call: AgentCall): Promise<StreamBody> {
    const target = this.#targetOf(call);
    const answer = await this.#ask(request, call, target).catch((error: Error) => {
      const url = `https://${authorityOf(target)}${call.path}`;
      throw unknownError(`Get ${JSON.stringify(url)}: ${callErrorText(error)}`);
    });
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status <= 206) return streamOf(answer);
    if (status >= 300 && status <= 399) {
      answer.destroy();
      throw unknownError("redirects forbidden");
    }
    throw refusalOf(status, await textOf(answer));
  }

  /** An upgraded connection: bytes go both ways. Fails with 500 when there is none to be had. */
  async upgrade(request: AuthorizedRequest, call: AgentCall): Promise<Response> {
    const target = this.#targetOf(call);
    let release: (() => void) | undefined;
    try {
      const held = await this.#pool.hold(target);
      release = held.release;
      return await tunnel(request, {
        host: target.host,
        port: target.port,
        path: toWire(call.path),
        headers: { host: authorityOf(target) },
        via: { scheme: "https", agent: held.agent },
      });
    } catch (error) {
      if (error instanceof NoUpgrade) throw unknownError(error.message);
      throw unknownError(`error dialing backend: ${callErrorText(error as Error)}`);
    } finally {
      release?.();
    }
  }

  /** Where the agent of a node listens. Fails with 400 when nobody does, 500 when no address is of a known type. */
  placeOf(node: ApiObject): { readonly host: string; readonly port: number } {
    const { addresses = [], daemonEndpoints, nodeInfo } = (node["status"] ?? {}) as NodeStatus;
    if (nodeInfo?.containerRuntimeVersion?.startsWith(SIMULATED_RUNTIME))
      throw badRequest(
        `node ${JSON.stringify(node.metadata.name)} is simulated: it runs no containers, so that there is nothing to read, to join or to reach`,
      );
    const best = this.#parts.addressTypes
      .map((wanted) => addresses.find(({ type }) => type.toLowerCase() === wanted.toLowerCase()))
      .find((found) => found !== undefined);
    if (best === undefined) {
      const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
      throw unknownError(`no preferred addresses found; known addresses: [${known}]`);
    }
    const said = daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    return { host: best.address, port: said > 0 ? said : AGENT_PORT };
  }

  #targetOf({ node, insecure }: AgentCall): HttpsTarget {
    const { trust, egress } = this.#parts;
    const { identity, authority } = trust();
    return {
      ...this.placeOf(node),
      ...(egress === undefined ? {} : { egress }),
      ...(identity === undefined ? {} : { identity }),
      ...(authority === undefined || insecure === true ? { insecure: true } : { authority }),
    };
  }

  async #ask(request: AuthorizedRequest, { path, body }: AgentCall, target: HttpsTarget): Promise<IncomingMessage> {
    const held = await this.#pool.hold(target);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(
        {
          host: target.host,
          port: target.port,
          agent: held.agent,
          method: request.method,
          path: toWire(path),
          signal: request.signal,
          headers: {
            ...forwardedHeaders(request),
            host: authorityOf(target),
            ...(body === undefined ? {} : { "content-length": String(body.length) }),
          },
        },
        resolve,
      );
      refuseOddAnswers(sent, reject);
      sent.on("error", reject);
      sent.on("close", held.release);
      sent.on("socket", (socket) => {
        if (!socket.connecting) return;
        socket.setTimeout(this.#parts.connectTimeoutMs, () => sent.destroy(new Error("dial tcp: i/o timeout")));
        socket.once("secureConnect", () => socket.setTimeout(0));
      });
      sent.end(body);
    });
  }
}

interface NodeStatus {
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly nodeInfo?: { readonly containerRuntimeVersion?: string };
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
}

/** As upstream answers what has no status of its own. */
const unknownError = (message: string): StatusError => new StatusError(500, "", message);

const authorityOf = ({ host, port }: HttpsTarget): string => hostPort(host, port);

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      pieces.push(piece);
      size += piece.length;
      if (size >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // What has arrived says as much as there is to say.
  }
  answer.destroy();
  return Buffer.concat(pieces).subarray(0, MAX_REFUSAL_BYTES).toString("utf8");
}

/** As upstream: what the agent says is the message. */
function refusalOf(status: number, text: string): StatusError {
  if (status === 400) return new StatusError(400, "BadRequest", text);
  if (status === 404)
    return new StatusError(404, "NotFound", `the server could not find the requested resource (${text})`);
  if (status === 401)
    return new StatusError(401, "Unauthorized", `the server has asked for the client to provide credentials (${text})`);
  if (status === 403) return new StatusError(403, "Forbidden", text);
  if (status === 503) return new StatusError(503, "ServiceUnavailable", text);
  return internalError(text);
}
