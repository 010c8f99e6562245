// Colours, where somebody looks at them: never in files and pipes, and not where NO_COLOR or a dumb terminal forbids them.

import type { Terminal } from "../session.ts";

export type Colour = "bold" | "red" | "green" | "yellow" | "cyan";

const CODES: Readonly<Record<Colour, number>> = { bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 };

/** The text must be safe already: see visible-text.ts. */
export const paint = (text: string, colour: Colour | undefined): string =>
  colour === undefined || text === "" ? text : `\x1b[${CODES[colour]}m${text}\x1b[0m`;

export function hasColours({ isTerminal, env }: Pick<Terminal, "isTerminal" | "env">): boolean {
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

const STATUS_COLOURS: ReadonlyMap<string, Colour> = new Map([
  ...["Active", "Available", "Bound", "Complete", "Completed", "Ready", "Running", "Succeeded", "True"].map(
    (word) => [word, "green"] as const,
  ),
  ...["ContainerCreating", "Pending", "PodInitializing", "Released", "Terminating", "Unknown", "Waiting"].map(
    (word) => [word, "yellow"] as const,
  ),
  ...["CrashLoopBackOff", "ErrImagePull", "Error", "Evicted", "Failed", "ImagePullBackOff", "Lost", "NotReady"].map(
    (word) => [word, "red"] as const,
  ),
]);

/** Of the words that columns of states have: `Ready,SchedulingDisabled` counts by its first. */
export function statusColour(cell: string): Colour | undefined {
  return STATUS_COLOURS.get(cell.split(",", 1)[0]!.trim());
}
