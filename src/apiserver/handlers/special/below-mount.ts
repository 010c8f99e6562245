// The answer of a server behind a proxy, handed back: what it says about its own paths (redirects, links of its pages) leads
// below the path of the proxy.

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { answerHeaders } from "../../../http/forwarded-headers.ts";
import { HtmlLinks } from "../../../http/html-links.ts";
import type { BodyWriter, ReceivedRequest, Response, StreamBody } from "../../../http/message.ts";

interface Mount {
  /** The path that leads there. */
  readonly path: string;
  /** The names under which the other side may know itself: its own, then the one that the client asked for. */
  readonly hosts: readonly string[];
  /** The client asks for the head of the answer alone. */
  readonly headOnly?: boolean;
}

/** Statuses whose answers have no body, whatever their headers say. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Where a request finds the other side, which knows itself as `authority`. */
export function mountOn(request: ReceivedRequest, path: string, authority: string): Mount {
  const asked = request.headers.first("host");
  return { path, hosts: asked === undefined ? [authority] : [authority, asked], headOnly: request.method === "HEAD" };
}

export function answerBelow(answer: IncomingMessage, mount: Mount): Response {
  const status = answer.statusCode ?? 502;
  const headers = answerHeaders(answer);
  const { location } = headers;
  if (typeof location === "string" && location !== "")
    return { status, headers: { ...headers, location: linkBelow(location, mount) }, body: streamOf(answer) };
  const hasPage = isPage(headers["content-type"]) && mount.headOnly !== true && !BODILESS.has(status);
  const unpacked = hasPage ? unpack(answer) : undefined;
  if (unpacked === undefined) return { status, headers, body: streamOf(answer) };
  const { "content-encoding": _, ...kept } = headers;
  return { status, headers: kept, body: { stream: (writer) => copyPage(unpacked, mount, writer) } };
}

/** The same link, below the mount where it leads to a path of the other side. */
export function linkBelow(link: string, { path: mount, hosts }: Mount): string {
  const [start = "", host = ""] = /^(?:https?:)?\/\/([^/?#]*)/i.exec(link) ?? [];
  const path = link.slice(start.length);
  if ((start !== "" && !hosts.includes(host)) || !path.startsWith("/")) return link;
  // The client's own name for this server leads back here; the other side's does not.
  const kept = start !== "" && host === hosts[1] ? start : "";
  return path.startsWith(`${mount}/`) ? kept + path : kept + mount + path;
}

/** A body that is copied as the client reads it. */
export const streamOf = (answer: IncomingMessage): StreamBody => ({ stream: (writer) => copy(answer, writer) });

const isPage = (contentType: string | string[] | undefined): boolean =>
  String(contentType ?? "")
    .split(";")[0]!
    .trim() === "text/html";

/** Its text; undefined where it is packed in a way that is not known here. */
function unpack(answer: IncomingMessage): Readable | undefined {
  switch (answer.headers["content-encoding"] ?? "") {
    case "":
      return answer;
    case "gzip":
      return through(answer, createGunzip());
    case "deflate":
      return through(answer, createInflate());
    default:
      return undefined;
  }
}

/** Both end together, also where one of them ends badly. */
function through(answer: IncomingMessage, unpacking: Transform): Readable {
  return pipeline(answer, unpacking, () => undefined);
}

async function copyPage(text: Readable, mount: Mount, writer: BodyWriter): Promise<void> {
  const links = new HtmlLinks((link) => linkBelow(link, mount));
  await copy(text, writer, (piece) => Buffer.from(links.push(piece.toString("latin1")), "latin1"));
  writer.write(Buffer.from(links.end(), "latin1"));
}

async function copy(text: Readable, writer: BodyWriter, change?: (piece: Buffer) => Buffer): Promise<void> {
  const stop = () => text.destroy();
  if (writer.signal.aborted) stop();
  writer.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const piece of text as AsyncIterable<Buffer>) {
      if (!writer.write(change === undefined ? piece : change(piece))) await writer.drained();
    }
  } catch (error) {
    // A client that goes away takes the answer with it.
    if (!writer.signal.aborted) throw error;
  } finally {
    writer.signal.removeEventListener("abort", stop);
  }
}
