// Questions to the user before something is done that cannot be undone.

import type { Session } from "./session.ts";

/** Only `y` is yes; no answer at all is no. */
export async function confirmed({ terminal }: Session, question: string): Promise<boolean> {
  terminal.write(`${question} (y/N): `);
  const input = terminal.openInput(false);
  let answer = "";
  try {
    for await (const piece of input.pieces) {
      answer += Buffer.from(piece).toString("utf8");
      if (answer.includes("\n")) break;
    }
  } finally {
    input.close();
  }
  return answer.trim().toLowerCase() === "y";
}
