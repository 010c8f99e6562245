// A connection that nobody reads does not tell that its client has gone: the kernel knows, and is asked. Of Linux; where
// there are no such tables, the client is missed when somebody reads again.

import { readlink } from "node:fs/promises";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { readSmallFile } from "../base/read-small-file.ts";
import { inTurns, Pace, type Steps } from "../base/steps.ts";

const LOOK_MS = 10_000;
const TABLES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/** A hundred and fifty bytes for each connection of the machine. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
const LINES_PER_STEP = 500;
/** A table that changes while it is read may lack a line for once. */
const LOOKS_GONE = 3;
/** CLOSE, CLOSE_WAIT, LAST_ACK, CLOSING: the other end has said that it is done. */
const ENDED: ReadonlySet<string> = new Set(["07", "08", "09", "0B"]);

/**
 * Ends a connection whose client has gone while it is not read: once nothing has moved on it for several looks. For
 * connections that wait for somebody slower, perhaps for ever.
 */
export function endUnreadWithClient(socket: Duplex): void {
  if (socket instanceof Socket && socket.remoteAddress !== undefined) watched.add(socket);
}

interface Seen {
  /** How much had been read at the last look. */
  readonly bytes: number;
  /** At how many looks its client was gone since then. */
  readonly looksGone: number;
}

/** One look at the connections of the machine serves all of them. */
class WatchedSockets {
  readonly #seen = new Map<Socket, Seen>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the tables tell of connections of this process: one that is not there has been reset, then. */
  #tablesTell = false;

  add(socket: Socket): void {
    this.#seen.set(socket, { bytes: 0, looksGone: 0 });
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    socket.once("close", () => this.#delete(socket));
    if (!this.#tablesTell) void this.#look();
  }

  #delete(socket: Socket): void {
    this.#seen.delete(socket);
    if (this.#seen.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    // One that is read tells by itself.
    const unread = [...this.#seen.keys()].filter((socket) => socket.isPaused() || !this.#tablesTell);
    if (unread.length === 0) return;
    const inodes = await Promise.all(unread.map(inodeOf));
    const states = await readStates();
    if (states === undefined) return;
    this.#tablesTell ||= inodes.some((inode) => states.has(inode));
    for (const [at, socket] of unread.entries()) {
      const inode = inodes[at]!;
      if (inode !== "") this.#judge(socket, states.get(inode));
    }
  }

  #judge(socket: Socket, state: string | undefined): void {
    const seen = this.#seen.get(socket);
    if (seen === undefined) return;
    const isGone = socket.isPaused() && (state === undefined ? this.#tablesTell : ENDED.has(state));
    const bytes = socket.bytesRead;
    const looksGone = !isGone ? 0 : seen.bytes === bytes ? seen.looksGone + 1 : 1;
    if (looksGone === LOOKS_GONE) socket.destroy();
    else this.#seen.set(socket, { bytes, looksGone });
  }
}

const watched = new WatchedSockets();

/** What the kernel calls the connection; empty where it does not say. */
async function inodeOf(socket: Socket): Promise<string> {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  const link = await readlink(`/proc/self/fd/${handle?.fd ?? -1}`).catch(() => "");
  return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "";
}

/** The state of each connection by its inode; undefined where nothing tells. */
async function readStates(): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const tables = await Promise.all(TABLES.map(readTable));
    return await inTurns(statesIn(tables.join("\n")));
  } catch {
    return undefined;
  }
}

/** A machine may do without one of them. */
async function readTable(path: string): Promise<string> {
  try {
    return (await readSmallFile(path, MAX_TABLE_BYTES)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/**
 * The fourth word and the tenth of a line.
 *
 *   0: 0100007F:1F90 0100007F:D2F0 08 00000000:00000000 00:00000000 00000000     0        0 12345 1 ...
 */
function* statesIn(tables: string): Steps<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const pace = new Pace(LINES_PER_STEP);
  for (const [, state = "", inode = ""] of tables.matchAll(/^ *\d+: \S+ \S+ (\S+)(?: +\S+){5} +(\d+)/gm)) {
    if (pace.due()) yield;
    states.set(inode, state);
  }
  return states;
}
