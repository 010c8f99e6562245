// Chains of iptables that are for other programs of the machine: by them they see which of the two iptables it uses, and that
// its rules were not flushed. The agent's own rules are nftables (`src/proxy`).
// Requirements: upstream's makeIPTablesUtilChains.

import { execFile } from "node:child_process";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { IPTABLES_CHAINS } from "../../meta/names.ts";

/** Whether the command did what it was told, or there is no such program. */
type RunIptables = (program: Program, args: readonly string[]) => Promise<"done" | "failed" | "missing">;
type Program = (typeof PROGRAMS)[number];

interface IptablesChainsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly run?: RunIptables;
}

const PROGRAMS = ["iptables", "ip6tables"] as const;
const CANARY_TABLES = ["mangle", "nat", "filter"];
const EVERY_MS = 60_000;
const { hint, canary, firewall } = IPTABLES_CHAINS;

/** Nothing that comes from elsewhere reaches what listens on the loopback address only, not even by rules of others. */
const NO_MARTIANS = [
  ...["-m", "comment", "--comment", "block incoming localnet connections"],
  ...["--dst", "127.0.0.0/8", "!", "--src", "127.0.0.0/8"],
  ...["-m", "conntrack", "!", "--ctstate", "RELATED,ESTABLISHED,DNAT", "-j", "DROP"],
];

export class IptablesChains {
  readonly #log: Log;
  readonly #run: RunIptables;
  readonly #loop: BackgroundLoop;
  readonly #wasTold = new Set<Program>();

  constructor({ clock, log, run = runIptables }: IptablesChainsOptions) {
    this.#log = log;
    this.#run = run;
    this.#loop = new BackgroundLoop({
      clock,
      everyMs: EVERY_MS,
      maxAtOnce: PROGRAMS.length,
      reconcile: (program) => this.#look(program as Program),
      onError: (error) => log.warn({ err: error }, "chains of iptables could not be made; trying again"),
    });
  }

  /** Makes the chains, and makes them again when somebody has flushed them. */
  start(): void {
    for (const program of PROGRAMS) this.#loop.enqueue(program);
  }

  /** What was made stays. */
  close(): void {
    this.#loop.close();
  }

  async #look(program: Program): Promise<Outcome> {
    for (const table of CANARY_TABLES) {
      const found = await this.#run(program, ["-t", table, "-S", canary]);
      if (found === "done") continue;
      const problem = found === "missing" ? "it is not there" : await this.#make(program);
      if (problem !== undefined) this.#tell(program, problem);
      break;
    }
    return "done";
  }

  /** What does not work; undefined when all does. */
  async #make(program: Program): Promise<string | undefined> {
    const chain = async (table: string, name: string) =>
      (await this.#run(program, ["-t", table, "-S", name])) === "done" ||
      (await this.#run(program, ["-t", table, "-N", name])) === "done";
    const rule = async (place: "-I" | "-A", where: string, words: readonly string[]) =>
      (await this.#run(program, ["-t", "filter", "-C", where, ...words])) === "done" ||
      (await this.#run(program, ["-t", "filter", place, where, ...words])) === "done";
    if (!(await chain("mangle", hint))) return `the chain ${hint} cannot be made`;
    if (program === "iptables") {
      const isMade =
        (await chain("filter", firewall)) &&
        (await rule("-I", "OUTPUT", ["-j", firewall])) &&
        (await rule("-I", "INPUT", ["-j", firewall])) &&
        (await rule("-A", firewall, NO_MARTIANS));
      if (!isMade) return `the chain ${firewall} cannot be made`;
    }
    for (const table of CANARY_TABLES)
      if (!(await chain(table, canary))) return `the chain ${canary} of ${table} cannot be made`;
    return undefined;
  }

  /** Once: a machine that has only nftables needs none of this. */
  #tell(program: Program, problem: string): void {
    if (this.#wasTold.has(program)) return;
    this.#wasTold.add(program);
    this.#log.info({ program, problem }, "other programs find no chains of iptables here");
  }
}

/** How long it waits for others who change the same rules. */
const LOCK_SECONDS = "5";

const runIptables: RunIptables = (program, args) =>
  new Promise((resolve) => {
    execFile(program, ["-w", LOCK_SECONDS, ...args], (error) => {
      if (error === null) resolve("done");
      else resolve((error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "failed");
    });
  });
