// The login manager of the init system: it tells of a shutdown before it happens, and waits a while for who asked for it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SystemBus } from "./system-bus.ts";

const MANAGER = {
  destination: "org.freedesktop.login1",
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
};
const INIT_SYSTEM = {
  destination: "org.freedesktop.systemd1",
  path: "/org/freedesktop/systemd1",
  interface: "org.freedesktop.systemd1.Manager",
};
const UNIT = "systemd-logind.service";
/** SIGHUP: it reads its configuration again. */
const READ_AGAIN = 1;
/** After what others may have put beside it. */
const DROP_IN = "99-nodeagent.conf";
const WHO = "node agent";
const WHY = "Pods have time to end";

interface LoginManagerOptions {
  readonly socket: string;
  /** A shutdown is about to happen, or (false) was called off. */
  readonly onShutdown: (isComing: boolean) => void;
  readonly onClose: () => void;
}

export class LoginManager {
  readonly #bus: SystemBus;
  #lock: ChildProcess | undefined;

  private constructor(bus: SystemBus) {
    this.#bus = bus;
  }

  static async open({ socket, onShutdown, onClose }: LoginManagerOptions): Promise<LoginManager> {
    let opened: LoginManager | undefined;
    const bus = await SystemBus.open(socket, {
      onClose() {
        // Nobody would tell of a shutdown: who comes back asks anew.
        opened?.release();
        onClose();
      },
      onSignal: ({ interface: from, member, body }) => {
        if (from === MANAGER.interface && member === "PrepareForShutdown") onShutdown(body[0] === true);
      },
    });
    await bus.addMatch(
      `type='signal',interface='${MANAGER.interface}',member='PrepareForShutdown',path='${MANAGER.path}'`,
    );
    opened = new LoginManager(bus);
    return opened;
  }

  /** How long it waits at most. */
  async maxDelayMs(): Promise<number> {
    const [micros] = await this.#bus.call({
      ...MANAGER,
      interface: "org.freedesktop.DBus.Properties",
      member: "Get",
      args: [MANAGER.interface, "InhibitDelayMaxUSec"],
    });
    return typeof micros === "bigint" ? Number(micros / 1000n) : 0;
  }

  /** Asks for another longest wait, by a file of its configuration in `directory`. Whether it agrees, `maxDelayMs` says. */
  async setMaxDelay(seconds: number, directory: string): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o755 });
    const lines = [
      "# Written by the node agent: its pods have time to end.",
      "[Login]",
      `InhibitDelayMaxSec=${seconds}`,
    ];
    await writeFile(join(directory, DROP_IN), `${lines.join("\n")}\n`, { mode: 0o644 });
    await this.#bus.call({ ...INIT_SYSTEM, member: "KillUnit", args: [UNIT, "all", READ_AGAIN] });
  }

  /**
   * Asks it to wait. The lock is an open file, which this process cannot take over a socket: a helper of the init system
   * holds it. Without the helper the wish is told all the same; whether it lasts is up to the manager.
   */
  async delayShutdown(): Promise<void> {
    this.release();
    const args = ["--what=shutdown", `--who=${WHO}`, `--why=${WHY}`, "--mode=delay", "sleep", "infinity"];
    const lock = spawn("systemd-inhibit", args, { stdio: "ignore" });
    const started = await new Promise<boolean>((resolve) => {
      lock.once("spawn", () => resolve(true));
      lock.once("error", () => resolve(false));
    });
    if (started) this.#lock = lock;
    else await this.#bus.call({ ...MANAGER, member: "Inhibit", args: ["shutdown", WHO, WHY, "delay"] });
  }

  /** The shutdown may go on. */
  release(): void {
    this.#lock?.kill();
    this.#lock = undefined;
  }

  close(): void {
    this.release();
    this.#bus.close();
  }
}
