// What a command waits for, on the last line of a terminal, until the wait is over. Elsewhere nothing is shown.

import { humanDuration } from "../meta/human-duration.ts";
import { visibleText } from "./printing/visible-text.ts";
import type { Session } from "./session.ts";

const SHOW_EVERY_MS = 1_000;
/** Back to the start of the line, and nothing in it. */
const CLEAR_LINE = "\r\x1b[K";

/** `what`: read again every time, since it may change. */
export async function whileWaiting<T>(session: Session, what: () => string, work: () => Promise<T>): Promise<T> {
  const { terminal, clock } = session;
  if (!terminal.errorIsTerminal) return work();
  const beginMs = clock.monotonicMs();
  let shown = false;
  const timer = clock.every(SHOW_EVERY_MS, () => {
    const since = humanDuration(clock.monotonicMs() - beginMs);
    terminal.writeError(Buffer.from(`${CLEAR_LINE}${visibleText(what())} (${since})`));
    shown = true;
  });
  try {
    return await work();
  } finally {
    timer.cancel();
    if (shown) terminal.writeError(Buffer.from(CLEAR_LINE));
  }
}
