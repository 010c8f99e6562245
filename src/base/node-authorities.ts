// The authorities that Node brings along. It parses them, which takes some 45 ms, when the first context of TLS is made that
// trusts anybody, whomever it trusts; once for all threads of the process. A thread of its own does that for us.

import { Worker } from "node:worker_threads";

let parsed: Promise<void> | undefined;

/** Resolves when a context that trusts somebody is made in a short time. */
export function nodeAuthoritiesParsed(): Promise<void> {
  parsed ??= inThread().catch(() => {
    // Where no thread is to be had, whoever makes the first context parses them.
  });
  return parsed;
}

/** To be called by who has made a context that trusts somebody, so that no thread does it again. */
export function hasParsedNodeAuthorities(): void {
  parsed = Promise.resolve();
}

function inThread(): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker('require("node:tls").createSecureContext()', { eval: true, execArgv: [] });
    thread.once("error", reject);
    thread.once("exit", () => resolve());
  });
}
