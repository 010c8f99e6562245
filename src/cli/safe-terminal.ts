// Text for a terminal cannot control it: whatever objects hold, their control characters are shown and not sent. Bytes go as
// they are: they are what containers write, and what this program has made safe and coloured itself.

import { visibleLines } from "./printing/visible-text.ts";
import type { Terminal } from "./session.ts";

export function safeTerminal(terminal: Terminal): Terminal {
  const safe = (text: string | Uint8Array): string | Uint8Array =>
    typeof text === "string" ? visibleLines(text) : text;
  return {
    ...terminal,
    ...(terminal.isTerminal ? { write: (text) => terminal.write(safe(text)) } : {}),
    ...(terminal.errorIsTerminal ? { writeError: (text) => terminal.writeError(safe(text)) } : {}),
  };
}
