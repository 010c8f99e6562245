// What a command waits for, on the last line of a terminal, until the wait is over. Elsewhere nothing is shown.

import type { Clock } from "../base/clock.ts";
import { humanDuration } from "../meta/human-duration.ts";
import { visibleText } from "./printing/visible-text.ts";

const SHOW_EVERY_MS = 1_000;
/** Back to the start of the line, and nothing in it. */
const CLEAR_LINE = Buffer.from("\r\x1b[K");

/** `what`: read again every time, since it may change. */
export function whileWaiting<T>(
  { progress }: { readonly progress: ProgressLine },
  what: () => string,
  work: () => Promise<T>,
): Promise<T> {
  return progress.during(what, work);
}

/** The part of a terminal that is written to. */
interface Screen {
  readonly errorIsTerminal: boolean;
  readonly write: (text: string | Uint8Array) => void;
  readonly writeError: (text: string | Uint8Array) => void;
}

export class ProgressLine {
  readonly #screen: Screen;
  readonly #clock: Clock;
  #waits = false;
  #isShown = false;

  constructor(screen: Screen, clock: Clock) {
    this.#screen = screen;
    this.#clock = clock;
  }

  /** The terminal for everything else: what is written takes the line away first, until it is shown again. */
  roomFor<T extends Screen>(terminal: T): T {
    if (!this.#screen.errorIsTerminal) return terminal;
    const after =
      (write: Screen["write"]): Screen["write"] =>
      (text) => {
        this.#clear();
        write(text);
      };
    return { ...terminal, write: after(terminal.write), writeError: after(terminal.writeError) };
  }

  /** A wait inside of another is a part of it: the outer one is shown. */
  async during<T>(what: () => string, work: () => Promise<T>): Promise<T> {
    if (!this.#screen.errorIsTerminal || this.#waits) return work();
    this.#waits = true;
    const beginMs = this.#clock.monotonicMs();
    const timer = this.#clock.every(SHOW_EVERY_MS, () => {
      const since = humanDuration(this.#clock.monotonicMs() - beginMs);
      this.#screen.writeError(Buffer.from(`${CLEAR_LINE}${visibleText(what())} (${since})`));
      this.#isShown = true;
    });
    try {
      return await work();
    } finally {
      timer.cancel();
      this.#clear();
      this.#waits = false;
    }
  }

  #clear(): void {
    if (this.#isShown) this.#screen.writeError(CLEAR_LINE);
    this.#isShown = false;
  }
}
