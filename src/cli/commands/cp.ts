// `pctl cp`: files and folders to and from containers, as a tar archive through the container's own tar.

import { existsSync, statSync } from "node:fs";
import { basename, join, posix, resolve } from "node:path";
import type { ContainerSession } from "../../client/index.ts";
import { defaultContainer } from "../choose-container.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { visibleText } from "../printing/visible-text.ts";
import { whileWaiting } from "../progress.ts";
import type { Session } from "../session.ts";
import { extractTar } from "../tar/extract-tar.ts";
import { TarError } from "../tar/read-tar.ts";
import { writeTar } from "../tar/write-tar.ts";
import { targetPath } from "../targets.ts";

/** What a container says when something is wrong; more of it helps nobody. */
const MAX_COMPLAINT_BYTES = 64 * 1024;
/** An archive may have any number of entries that are left out, with names of any length. */
const MAX_WARNINGS = 100;
const MAX_SHOWN_NAME = 256;

export const cp: Command = {
  name: "cp",
  summary: "copy files and folders to and from containers, which must have tar",
  arguments: "FILE [NAMESPACE/]POD:PATH | [NAMESPACE/]POD:PATH FILE",
  flags: [
    { name: "container", short: "c", value: "name", summary: "the container; the first when not given" },
    { name: "no-preserve", summary: "without owner and permissions, in the container" },
    {
      name: "retries",
      value: "number",
      summary: "how often a copy from a container goes on after its connection was lost (0); -1 for ever",
    },
  ],
  async run(session, args, flags) {
    const [from = "", to = "", ...more] = args;
    if (from === "" || to === "" || more.length > 0) throw new CliError("what to copy and where to must be named");
    const [source, target] = [placeOf(session, from), placeOf(session, to)];
    if (source.pod !== undefined && target.pod === undefined) return download(session, source, target.path, flags);
    if (source.pod === undefined && target.pod !== undefined) return upload(session, source.path, target, flags);
    throw new CliError("one of both must be in a pod, as POD:PATH, and the other a local file");
  },
};

type Place = { readonly pod: undefined; readonly path: string } | InPod;

interface InPod {
  readonly pod: string;
  readonly namespace: string;
  readonly path: string;
}

/** A colon behind a slash belongs to a local name: `./a:b`. Fails with CliError. */
function placeOf(session: Session, word: string): Place {
  const match = /^(?:([^/:]+)\/)?([^/:]+):(.*)$/s.exec(word);
  // One letter and a backslash: a drive.
  if (match === null || /^[A-Za-z]:\\/.test(word)) return { pod: undefined, path: word };
  const [, namespace = session.namespace, pod = "", path = ""] = match;
  if (path === "") throw new CliError(`${JSON.stringify(word)} names no path in the pod`);
  return { pod, namespace, path };
}

async function download(session: Session, { pod, namespace, path }: InPod, local: string, flags: Flags): Promise<void> {
  const remote = posix.normalize(path).replace(/(.)\/$/, "$1");
  const name = posix.basename(remote);
  const root = name === "." || name === ".." || name === "/" || name === "" ? "" : name;
  const folder = root === "" ? remote : posix.dirname(remote);
  const container = await containerIn(session, { pod, namespace }, flags);
  const archive = new RemoteArchive(session, { pod, namespace, container }, flags.number("retries") ?? 0, [
    folder,
    root === "" ? "." : `./${root}`,
  ]);
  // A folder's content comes into the folder that is there, a file gets its name in it.
  const target = resolve(local);
  const isFolder = existsSync(local) && statSync(local).isDirectory();
  let skipped = 0;
  try {
    const extract = () =>
      extractTar(archive.pieces(), {
        root,
        target,
        targetOfFile: isFolder ? join(target, root) : target,
        onSkipped: (entry, why) => {
          skipped += 1;
          if (skipped > MAX_WARNINGS) return;
          const name = visibleText(entry.slice(0, MAX_SHOWN_NAME));
          session.terminal.writeError(`warning: ${name} is left out: ${why}\n`);
        },
      });
    const files = await whileWaiting(session, () => `copying from ${pod}: ${bytesText(archive.bytes)}`, extract);
    if (skipped > MAX_WARNINGS) session.terminal.writeError(`warning: ${skipped - MAX_WARNINGS} more are left out\n`);
    if (files === 0 && archive.exit.code !== 0) throw new CliError(archive.complaints.text || "nothing was copied");
  } catch (error) {
    const { text } = archive.complaints;
    if (error instanceof TarError) throw new CliError(text === "" ? error.message : text);
    throw error;
  }
  finish(session, archive.exit, archive.complaints);
}

/** What tar in a container writes, through more than one connection where one is lost on the way. */
class RemoteArchive {
  readonly complaints = new Complaints();
  #exit: ContainerSession["exit"] = { code: undefined, message: "" };
  /** So many have come. */
  bytes = 0;
  readonly #session: Session;
  readonly #place: PodPlace & { readonly container: string };
  readonly #retries: number;
  readonly #what: readonly [folder: string, member: string];

  constructor(
    session: Session,
    place: PodPlace & { readonly container: string },
    retries: number,
    what: readonly [folder: string, member: string],
  ) {
    this.#session = session;
    this.#place = place;
    this.#retries = retries;
    this.#what = what;
  }

  /** How the last one ended. */
  get exit(): ContainerSession["exit"] {
    return this.#exit;
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    for (let tries = 0; ; tries += 1) {
      const running = await execIn(this.#session, this.#place, this.#command(), false);
      const lost = yield* this.#read(running);
      this.#exit = running.exit;
      const mayGoOn = this.#retries < 0 || tries < this.#retries;
      // Who says how it ended has ended.
      if (running.exit.code !== undefined || !mayGoOn) {
        if (lost !== undefined) throw lost;
        return;
      }
      this.#session.terminal.interrupted.throwIfAborted();
      this.#session.terminal.writeError(`Resuming copy at ${this.bytes} bytes, retry ${tries + 1}\n`);
    }
  }

  /** Why the connection was lost; undefined where it came to an end. */
  async *#read(running: ContainerSession): AsyncGenerator<Uint8Array, unknown, void> {
    try {
      for await (const piece of outputOf(running, this.complaints)) {
        this.bytes += piece.length;
        yield piece;
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #command(): string[] {
    if (this.bytes === 0) return ["tar", "cf", "-", "-C", ...this.#what];
    // The words are the script's arguments: no shell reads them.
    return ["sh", "-c", `tar cf - -C "$0" "$1" | tail -c +${this.bytes + 1}`, ...this.#what];
  }
}

async function upload(session: Session, local: string, { pod, namespace, path }: InPod, flags: Flags): Promise<void> {
  if (!existsSync(local)) throw new CliError(`${JSON.stringify(local)} does not exist`);
  const remote = posix.normalize(path).replace(/(.)\/$/, "$1");
  const place = { pod, namespace, container: await containerIn(session, { pod, namespace }, flags) };
  const test = await execIn(session, place, ["test", "-d", remote], false);
  for await (const _ of test.output());
  const inside = test.exit.code === 0;
  const name = inside ? basename(resolve(local)) : posix.basename(remote);
  const folder = inside ? remote : posix.dirname(remote);
  const owners = flags.switch("no-preserve") ? ["--no-same-permissions", "--no-same-owner"] : [];
  const running = await execIn(session, place, ["tar", ...owners, "-xmf", "-", "-C", folder], true);
  const complaints = new Complaints();
  const ended = new AbortController();
  let bytes = 0;
  const onSent = (count: number): void => {
    bytes += count;
  };
  const sending = sendAll(running, writeTar(resolve(local), name), onSent, ended.signal).catch((error: unknown) => {
    running.close();
    return error;
  });
  const readAll = async (): Promise<void> => {
    for await (const _ of outputOf(running, complaints));
  };
  await whileWaiting(session, () => `copying to ${pod}: ${bytesText(bytes)}`, readAll);
  // Who reads no more is sent no more.
  ended.abort();
  const failure = await sending;
  if (failure instanceof Error) throw new CliError(failure.message);
  finish(session, running.exit, complaints);
}

const bytesText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

type PodPlace = Pick<InPod, "pod" | "namespace">;

async function containerIn(session: Session, { pod, namespace }: PodPlace, flags: Flags): Promise<string> {
  const asked = flags.text("container");
  if (asked !== undefined) return asked;
  const resource = await session.resource("pods");
  const path = targetPath({ resource, namespace, name: pod });
  return defaultContainer(session, await session.sendForJson({ method: "GET", path }));
}

async function execIn(
  session: Session,
  { pod, namespace, container }: PodPlace & { readonly container: string },
  command: readonly string[],
  stdin: boolean,
): Promise<ContainerSession> {
  const client = await session.client();
  const { interrupted: signal } = session.terminal;
  return client.core.v1.pods(namespace).exec(pod, { command, container, stdin, signal });
}

/** What the container's tar writes beside the archive. */
class Complaints {
  #bytes = 0;
  readonly #pieces: Uint8Array[] = [];

  add(piece: Uint8Array): void {
    if (this.#bytes > MAX_COMPLAINT_BYTES) return;
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  get text(): string {
    return visibleText(Buffer.concat(this.#pieces).toString("utf8").trim());
  }
}

async function* outputOf(running: ContainerSession, complaints: Complaints): AsyncGenerator<Uint8Array, void, void> {
  for await (const { from, data } of running.output()) {
    if (from === "stdout") yield data;
    else complaints.add(data);
  }
}

async function sendAll(
  running: ContainerSession,
  pieces: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
  ended: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    if (ended.aborted) return;
    running.write(piece);
    await running.flushed();
    onSent(piece.length);
  }
  running.endInput();
}

/** The exit code of the container's command is ours. */
function finish(session: Session, exit: ContainerSession["exit"], complaints: Complaints): void {
  const { text } = complaints;
  if (exit.code === 0) {
    if (text !== "") session.terminal.writeError(`${text}\n`);
    return;
  }
  throw new CliError(text === "" ? `tar in the container failed: ${exit.message}` : text);
}
