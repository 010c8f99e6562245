// GET /logs/...: the files of the machine's folder for logs, and lists of its folders (`enableSystemLogHandler`); with
// `?query=` what services have written to the journal (`enableSystemLogQuery`).

import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BodyWriter, Response } from "../../http/message.ts";
import { textAnswer } from "./answers.ts";
import { journalArguments, parseLogQuery, usualFiles } from "./log-query.ts";
import type { Endpoint } from "./routes.ts";

/** More of a folder than this is not listed. */
const MAX_ENTRIES = 10_000;

/** What the journal says, and the exit code of its tool. */
type AskJournal = (
  args: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly code: number; readonly text: string }>;

/** `folder` is /var/log. Links are followed as long as they stay in it. Without `askJournal` there are no queries. */
export function systemLogsEndpoint(folder: string, askJournal?: AskJournal): Endpoint {
  return async ({ query, signal }, { path = "" }) => {
    const asked = askJournal === undefined ? undefined : parseLogQuery(query);
    if (askJournal === undefined || asked === undefined) return (await fileOrListing(folder, path)) ?? NOT_FOUND;
    if (isProblems(asked)) return textAnswer(400, `${asked.join("\n")}\n`);
    const [file] = asked.files;
    if (file !== undefined) return (await fileOrListing(folder, file)) ?? NOT_FOUND;
    const { code, text } = await askJournal(journalArguments(asked), signal);
    if (code === 0 && !text.startsWith(NO_ENTRIES)) return textAnswer(200, text);
    for (const each of asked.services.flatMap(usualFiles)) {
      const found = await fileOrListing(folder, each);
      if (found !== undefined && "stream" in (found.body ?? {})) return found;
    }
    return textAnswer(404, `no logs of ${asked.services.join(", ")} were found\n`);
  };
}

const NO_ENTRIES = "-- No entries --";
const NOT_FOUND = textAnswer(404, "404 page not found\n");

const isProblems = (asked: ReturnType<typeof parseLogQuery>): asked is readonly string[] => Array.isArray(asked);

/** Undefined where there is nothing to be shown. */
async function fileOrListing(folder: string, path: string): Promise<Response | undefined> {
  const root = await realpath(folder).catch(() => undefined);
  const wanted = await realpath(join(folder, path)).catch(() => undefined);
  const isInside = root !== undefined && (wanted === root || wanted?.startsWith(`${root}/`));
  if (!isInside || wanted === undefined) return undefined;
  const found = await stat(wanted);
  if (found.isDirectory()) return await listing(wanted);
  if (!found.isFile()) return undefined;
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: { stream: (writer) => send(wanted, writer) },
  };
}

/** Asks the journal of this machine. */
export const askSystemJournal: AskJournal = async (args, signal) => {
  const options = { signal, timeout: JOURNAL_TIMEOUT_MS, maxBuffer: MAX_JOURNAL_BYTES };
  return await new Promise((resolve) => {
    execFile("journalctl", [...args], options, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      // More than can be shown is no failure: the beginning is shown.
      const isCut = error !== null && error.code === ("ERR_CHILD_PROCESS_STDIO_MAXBUFFER" as never);
      resolve({ code: isCut ? 0 : code, text: stdout });
    });
  });
};

const JOURNAL_TIMEOUT_MS = 30_000;
const MAX_JOURNAL_BYTES = 32 * 2 ** 20;

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
