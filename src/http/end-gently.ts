// The end of a connection whose client may still be sending. The kernel resets one that is closed with bytes unread, and
// the client may never see its answer. So our side ends, and what still comes is read for nothing until the client ends too.

import type { Socket } from "node:net";
import { LINGER_MS, type OpenAnswers } from "./open-answers.ts";

/** `nowMs`: on the monotonic clock. */
export function endGently(socket: Socket, answers: OpenAnswers, nowMs: number): void {
  socket.end();
  const cut = () => void socket.destroy();
  socket.once("close", answers.add({ queuedBytes: 0, progress: 0, deadlineMs: nowMs + LINGER_MS, cut }));
}

/** Whether nothing that still comes on this connection is to be looked at. */
export const isEnded = (socket: Socket): boolean => socket.writableEnded || socket.destroyed;
