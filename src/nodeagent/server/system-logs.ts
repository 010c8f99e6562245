// GET /logs/...: the files of the machine's folder for logs, and lists of its folders (`enableSystemLogHandler`).

import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BodyWriter, Response } from "../../http/message.ts";
import { textAnswer } from "./answers.ts";
import type { Endpoint } from "./routes.ts";

/** More of a folder than this is not listed. */
const MAX_ENTRIES = 10_000;

/** `folder` is /var/log. Links are followed as long as they stay in it. */
export function systemLogsEndpoint(folder: string): Endpoint {
  return async (_, { path = "" }) => {
    const root = await realpath(folder).catch(() => undefined);
    const wanted = await realpath(join(folder, path)).catch(() => undefined);
    const isInside = root !== undefined && (wanted === root || wanted?.startsWith(`${root}/`));
    if (!isInside || wanted === undefined) return textAnswer(404, "404 page not found\n");
    const found = await stat(wanted);
    if (found.isDirectory()) return await listing(wanted);
    if (!found.isFile()) return textAnswer(404, "404 page not found\n");
    return {
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: { stream: (writer) => send(wanted, writer) },
    };
  };
}

async function send(file: string, writer: BodyWriter): Promise<void> {
  for await (const chunk of createReadStream(file, { signal: writer.signal }))
    if (!writer.write(chunk as Uint8Array)) await writer.drained();
}

async function listing(folder: string): Promise<Response> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.slice(0, MAX_ENTRIES).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const links = names.sort().map((name) => `<a href="${encodeURI(`./${name}`)}">${escaped(name)}</a>\n`);
  const body = Buffer.from(
    `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join("")}</pre>\n`,
  );
  return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&#34;");
}
