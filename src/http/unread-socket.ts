// A connection that nobody reads does not tell that its client has gone: the kernel knows, and is asked. Of Linux; where
// there are no such tables, the client is missed when somebody reads again.

import { readlink } from "node:fs/promises";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { readSmallFile } from "../base/read-small-file.ts";

const LOOK_MS = 10_000;
const TABLES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/** A hundred and fifty bytes for each connection of the machine. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
/** CLOSE, CLOSE_WAIT, LAST_ACK, CLOSING: the other end has said that it is done. */
const ENDED: ReadonlySet<string> = new Set(["07", "08", "09", "0B"]);

/**
 * Ends a connection whose client has gone while it is not read: once nothing has moved on it between two looks. For
 * connections that wait for somebody slower, perhaps for ever.
 */
export function endUnreadWithClient(socket: Duplex): void {
  if (socket instanceof Socket && socket.remoteAddress !== undefined) watched.add(socket);
}

/** One look at the connections of the machine serves all of them. */
class WatchedSockets {
  /** How much had been read of each when its client was first found gone. */
  readonly #goneAtBytes = new Map<Socket, number | undefined>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the tables tell of connections of this process: one that is not there has been reset, then. */
  #tablesTell = false;

  add(socket: Socket): void {
    this.#goneAtBytes.set(socket, undefined);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    socket.once("close", () => this.#delete(socket));
    if (!this.#tablesTell) void this.#look();
  }

  #delete(socket: Socket): void {
    this.#goneAtBytes.delete(socket);
    if (this.#goneAtBytes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    // One that is read tells by itself.
    const unread = [...this.#goneAtBytes.keys()].filter((socket) => socket.isPaused() || !this.#tablesTell);
    if (unread.length === 0) return;
    const inodes = await Promise.all(unread.map(inodeOf));
    const states = await readStates();
    this.#tablesTell ||= inodes.some((inode) => states.has(inode));
    for (const [at, socket] of unread.entries()) this.#judge(socket, states.get(inodes[at]!));
  }

  #judge(socket: Socket, state: string | undefined): void {
    const isGone = state === undefined ? this.#tablesTell : ENDED.has(state);
    if (isGone && socket.isPaused() && this.#goneAtBytes.get(socket) === socket.bytesRead) socket.destroy();
    else if (this.#goneAtBytes.has(socket)) this.#goneAtBytes.set(socket, isGone ? socket.bytesRead : undefined);
  }
}

const watched = new WatchedSockets();

/** What the kernel calls the connection; empty where it does not say. */
async function inodeOf(socket: Socket): Promise<string> {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  const link = await readlink(`/proc/self/fd/${handle?.fd ?? -1}`).catch(() => "");
  return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "";
}

/**
 * The state of each connection by its inode, the fourth word and the tenth of a line; none where there are no tables.
 *
 *   0: 0100007F:1F90 0100007F:D2F0 08 00000000:00000000 00:00000000 00000000     0        0 12345 1 ...
 */
async function readStates(): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const table of TABLES) {
    const text = await readSmallFile(table, MAX_TABLE_BYTES).then(String, () => "");
    for (const [, state = "", inode = ""] of text.matchAll(/^ *\d+: \S+ \S+ (\S+)(?: +\S+){5} +(\d+)/gm))
      states.set(inode, state);
  }
  return states;
}
