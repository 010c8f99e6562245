// The signals that may stop a container, numbered as the container runtime interface does it.

import { p } from "../grpc/message.ts";

export type StopSignal = `SIGNAL_${(typeof NAMES)[number]}`;

const NAMES = [
  ...(["RUNTIME_DEFAULT", "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP"] as const),
  ...([
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
  ] as const),
  ...(["SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU"] as const),
  ...(["SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"] as const),
  ...(["SIGRTMIN", "SIGRTMINPLUS1", "SIGRTMINPLUS2", "SIGRTMINPLUS3", "SIGRTMINPLUS4", "SIGRTMINPLUS5"] as const),
  ...(["SIGRTMINPLUS6", "SIGRTMINPLUS7", "SIGRTMINPLUS8", "SIGRTMINPLUS9", "SIGRTMINPLUS10"] as const),
  ...(["SIGRTMINPLUS11", "SIGRTMINPLUS12", "SIGRTMINPLUS13", "SIGRTMINPLUS14", "SIGRTMINPLUS15"] as const),
  ...(["SIGRTMAXMINUS14", "SIGRTMAXMINUS13", "SIGRTMAXMINUS12", "SIGRTMAXMINUS11", "SIGRTMAXMINUS10"] as const),
  ...(["SIGRTMAXMINUS9", "SIGRTMAXMINUS8", "SIGRTMAXMINUS7", "SIGRTMAXMINUS6", "SIGRTMAXMINUS5"] as const),
  ...(["SIGRTMAXMINUS4", "SIGRTMAXMINUS3", "SIGRTMAXMINUS2", "SIGRTMAXMINUS1", "SIGRTMAX"] as const),
] as const;

const WORDS = NAMES.map((name) => `SIGNAL_${name}`) as unknown as readonly [StopSignal, ...StopSignal[]];

export const stopSignal = (number: number) => p.enumOf<StopSignal>(number, WORDS);
