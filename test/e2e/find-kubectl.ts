// Which kubectl the end-to-end tests run: the newest of the folder KUBECTL_DIR (kubectl, kubectl.1.33, ...), or the one
// of PATH.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Kubectl {
  readonly path: string;
  /** 33 of version 1.33. */
  readonly minor: number;
}

/** Undefined where there is none, or none of at least `minMinor`: the tests then skip, and say so in their names. */
export function findKubectl(minMinor = 0): Kubectl | undefined {
  const found = candidates()
    .map((path) => ({ path, minor: minorOf(path) }))
    .filter((each): each is Kubectl => each.minor !== undefined && each.minor >= minMinor);
  return found.sort((a, b) => b.minor - a.minor)[0];
}

function candidates(): string[] {
  const folder = process.env["KUBECTL_DIR"];
  // By its whole path: a test may put programs of its own before it.
  if (folder === undefined) return (process.env["PATH"] ?? "").split(delimiter).map((dir) => join(dir, "kubectl"));
  return readdirSync(folder)
    .filter((name) => /^kubectl(\.\d+\.\d+)?$/.test(name))
    .map((name) => join(folder, name));
}

function minorOf(path: string): number | undefined {
  try {
    const text = execFileSync(path, ["version", "--client", "-o", "json"], { stdio: ["ignore", "pipe", "ignore"] });
    const { clientVersion } = JSON.parse(text.toString("utf8")) as { clientVersion: { minor: string } };
    return Number.parseInt(clientVersion.minor, 10);
  } catch {
    return undefined;
  }
}
