// Words to the init system over NOTIFY_SOCKET: READY=1, WATCHDOG=1. It is a datagram socket, which Node cannot write to, so
// a tool does it: systemd-notify, which also speaks in the name of this process, or perl where that is missing.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;

const PERL = `use Socket; my ($to, $words) = @ARGV; $to =~ s/^@/\\0/; socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die $!;
send($s, $words, 0, pack_sockaddr_un($to)) or die $!;`;

/** In the order in which they are tried. */
const SENDERS: readonly ((socket: string, words: string) => Promise<unknown>)[] = [
  (_socket, words) => run("systemd-notify", ["--no-block", words], { timeout: TIMEOUT_MS }),
  (_socket, words) => run("systemd-notify", [words], { timeout: TIMEOUT_MS }),
  (socket, words) => run("perl", ["-e", PERL, socket, words], { timeout: TIMEOUT_MS }),
];

export class InitSystem {
  readonly #socket: string;
  /** The first sender that has worked. */
  #sender = 0;

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Fails when no tool could say it. */
  async tell(words: string): Promise<void> {
    for (;;) {
      try {
        await SENDERS[this.#sender]!(this.#socket, words);
        return;
      } catch (error) {
        if (this.#sender === SENDERS.length - 1) throw error;
        this.#sender += 1;
      }
    }
  }
}
