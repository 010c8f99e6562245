// A program that mounts volumes, called with a command: it prints one JSON object and ends.
//
//   $ lvm init                        {"status":"Success","capabilities":{"attach":false}}
//   $ lvm mount /pods/... '{"…"}'     {"status":"Failure","message":"no such volume"}   and exit code 1

import { execFile } from "node:child_process";
import { isObject } from "../../base/json.ts";

type FlexCommand =
  | "init"
  | "getvolumename"
  | "attach"
  | "waitforattach"
  | "mountdevice"
  | "mount"
  | "unmount"
  | "unmountdevice"
  | "detach";

interface FlexAnswer {
  /** Of the calls that attach. */
  readonly device: string;
  /** Of `init`. What a driver does not say, it can. */
  readonly capabilities: FlexCapabilities;
}

interface FlexCapabilities {
  readonly attach: boolean;
  /** The agent gives files to the pod's group. */
  readonly fsGroup: boolean;
  readonly supportsMetrics: boolean;
}

/** A volume may have to be formatted, or to come from far away; a driver that hangs must not hold a pod up for ever. */
const TIMEOUT_MS = 600_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const NOT_SUPPORTED = "Not supported";

export class FlexDriver {
  readonly name: string;
  readonly #program: string;
  readonly #timeoutMs: number;
  /** What the driver has said it does not do: it is not asked again. */
  readonly #unsupported = new Set<FlexCommand>();
  #capabilities: FlexCapabilities = capabilitiesOf(undefined);

  private constructor(name: string, program: string, timeoutMs: number) {
    this.name = name;
    this.#program = program;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks the program what it can. Fails with what it says, or why it cannot be run. */
  static async open(name: string, program: string, timeoutMs = TIMEOUT_MS): Promise<FlexDriver> {
    const driver = new FlexDriver(name, program, timeoutMs);
    const answer = await driver.call("init");
    if (answer === undefined) throw new Error(`init command failed, status: ${NOT_SUPPORTED}`);
    driver.#capabilities = answer.capabilities;
    return driver;
  }

  get capabilities(): FlexCapabilities {
    return this.#capabilities;
  }

  /** Undefined where the driver leaves the command to the agent. Fails with what the driver says. */
  async call(command: FlexCommand, ...args: readonly string[]): Promise<FlexAnswer | undefined> {
    if (this.#unsupported.has(command)) return undefined;
    const { printed, problem } = await this.#run([command, ...args]);
    const answer = parsed(printed);
    if (answer === undefined) throw new Error(problem ?? `${command} command failed: it printed no JSON object`);
    const { status, message, device, capabilities } = answer;
    if (status === NOT_SUPPORTED) {
      this.#unsupported.add(command);
      return undefined;
    }
    if (status !== "Success")
      throw new Error(`${command} command failed, status: ${words(status)}, reason: ${words(message)}`);
    if (problem !== undefined) throw new Error(problem);
    return { device: words(device), capabilities: capabilitiesOf(capabilities) };
  }

  /** `problem` is why the program did not end well. What it was told is not in it: that may be secret. */
  #run(args: readonly string[]): Promise<{ readonly printed: string; readonly problem: string | undefined }> {
    const options = { timeout: this.#timeoutMs, killSignal: "SIGKILL", maxBuffer: MAX_ANSWER_BYTES } as const;
    return new Promise((resolve) => {
      const child = execFile(this.#program, args, options, (error, printed, complaint) => {
        const said = complaint.trim() === "" ? "" : `: ${complaint.trim()}`;
        const problem = error === null ? undefined : `${args[0]} command failed: ${reasonOf(error)}${said}`;
        resolve({ printed, problem });
      });
      child.stdin?.end();
    });
  }
}

function reasonOf(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.killed === true) return "timeout";
  return typeof error.code === "number" ? `exit status ${error.code}` : String(error.code ?? error.message);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const words = (value: unknown): string => (typeof value === "string" ? value : "");

function capabilitiesOf(value: unknown): FlexCapabilities {
  const said = isObject(value) ? value : {};
  const can = (name: string, unlessSaid: boolean) => (typeof said[name] === "boolean" ? said[name] : unlessSaid);
  return {
    attach: can("attach", true),
    fsGroup: can("fsGroup", true),
    supportsMetrics: can("supportsMetrics", false),
  };
}
