// `pctl logs`: what containers have written, of a pod, of the pods of a workload, or of pods by their labels.

import type { JsonObject } from "../../base/json.ts";
import type { PodResource } from "../../client/index.ts";
import { containerNames, containersText, defaultContainer } from "../choose-container.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { errorText } from "../error-text.ts";
import { podsNamed, podsWith, podTimeoutFlag, readPodTimeoutMs } from "../pod-named.ts";
import { nameOf } from "../printing/object-text.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";

const MAX_FOLLOWED = 5;
/** Lines of each container where many are asked by their labels. */
const FEW_LINES = 10;
const POD_TIMEOUT_SECONDS = 20;

export const logs: Command = {
  name: "logs",
  summary: "show what containers have written",
  arguments: "POD | TYPE/NAME [CONTAINER] | -l SELECTOR",
  flags: [
    { name: "container", short: "c", value: "name", summary: "the container; the first when not given" },
    { name: "follow", short: "f", summary: "go on with what comes" },
    { name: "previous", short: "p", summary: "of the run before this one" },
    { name: "timestamps", summary: "with the time of every line" },
    {
      name: "tail",
      value: "lines",
      summary: `the last lines only; -1 for all (when not given; ${FEW_LINES} with a selector)`,
    },
    { name: "since", value: "duration", summary: "not older than that" },
    { name: "since-time", value: "time", summary: "not older than that time" },
    { name: "limit-bytes", value: "bytes", summary: "so many bytes at most" },
    { name: "all-containers", summary: "of all containers of the pod" },
    { name: "all-pods", summary: "of all pods of the workload, with --prefix" },
    { name: "prefix", summary: "every line with its pod and container" },
    { name: "selector", short: "l", value: "selector", summary: "of all pods with these labels" },
    {
      name: "max-log-requests",
      value: "number",
      summary: `follow so many containers at once and no more (${MAX_FOLLOWED})`,
    },
    { name: "insecure-skip-tls-verify-backend", summary: "let the server trust any node agent" },
    { name: "ignore-errors", summary: "go on with the others where the log of one cannot be had" },
    podTimeoutFlag(POD_TIMEOUT_SECONDS),
  ],
  async run(session, args, flags) {
    checkFlags(args, flags);
    const sources: LogSource[] = [];
    for (const pod of await podsOf(session, args, flags)) {
      for (const container of await containersOf(session, pod, flags.text("container") ?? args[1], flags))
        sources.push({ name: nameOf(pod), container });
    }
    const follow = flags.switch("follow");
    const limit = flags.number("max-log-requests") ?? MAX_FOLLOWED;
    if (follow && sources.length > 1 && sources.length > limit) {
      throw new CliError(
        `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${limit}, ` +
          "use --max-log-requests to increase the limit",
      );
    }
    const options = logOptions(session, flags);
    const { core } = await session.client();
    const pods = core.v1.pods(session.namespace);
    const show = async ({ name, container }: LogSource): Promise<void> => {
      const prefix = flags.switch("prefix") || flags.switch("all-pods") ? `[pod/${name}/${container}] ` : "";
      try {
        const pieces = pods.log(name, { container, ...options });
        if (prefix === "" && sources.length === 1) for await (const piece of pieces) session.terminal.write(piece);
        else await writeLines(session, pieces, Buffer.from(prefix));
      } catch (error) {
        if (!flags.switch("ignore-errors")) throw error;
        session.terminal.write(`${errorText(error)}\n`);
      }
    };
    if (follow) await Promise.all(sources.map(show));
    else for (const source of sources) await show(source);
  },
};

interface LogSource {
  readonly name: string;
  readonly container: string;
}

/** Fails with CliError. */
function checkFlags(args: readonly string[], flags: Flags): void {
  const [word, container, ...more] = args;
  const selector = flags.text("selector");
  if (more.length > 0 || (word === undefined && selector === undefined))
    throw new CliError("a pod, a workload or a selector of pods is needed: POD, TYPE/NAME, or -l SELECTOR");
  if (word !== undefined && selector !== undefined) throw new CliError("only a selector (-l) or a POD name is allowed");
  const asked = flags.text("container") ?? container;
  if (flags.text("container") !== undefined && container !== undefined)
    throw new CliError("only one of -c or an inline [CONTAINER] arg is allowed");
  if (flags.switch("all-containers") && asked !== undefined)
    throw new CliError(`--all-containers=true should not be specified with container name ${asked}`);
  if (flags.text("since") !== undefined && flags.text("since-time") !== undefined)
    throw new CliError("at most one of --since and --since-time may be given");
  if ((flags.number("tail") ?? 0) < -1) throw new CliError("--tail must be greater than or equal to -1");
  if ((flags.number("limit-bytes") ?? 1) < 1) throw new CliError("--limit-bytes must be greater than 0");
}

async function podsOf(session: Session, [word]: readonly string[], flags: Flags): Promise<JsonObject[]> {
  if (word === undefined) {
    const pods = await podsWith(session, flags.text("selector")!);
    if (pods.length === 0) session.terminal.writeError(`No resources found in ${session.namespace} namespace.\n`);
    return pods;
  }
  const pods = await podsNamed(session, word, readPodTimeoutMs(flags, POD_TIMEOUT_SECONDS));
  if (pods.length === 1 || flags.switch("all-pods")) return pods;
  session.terminal.writeError(`Found ${pods.length} pods, using pod/${nameOf(pods[0]!)}\n`);
  return pods.slice(0, 1);
}

/** Fails with CliError where the pod has no container of the name that is asked for. */
async function containersOf(
  session: Session,
  pod: JsonObject,
  asked: string | undefined,
  flags: Flags,
): Promise<string[]> {
  const names = containerNames(pod);
  if (flags.switch("all-containers")) return names;
  if (asked === undefined) return [await defaultContainer(session, pod, { quiet: flags.switch("all-pods") })];
  if (names.includes(asked)) return [asked];
  throw new CliError(`container ${asked} is not valid for pod ${nameOf(pod)} out of: ${containersText(pod)}`);
}

type LogOptions = NonNullable<Parameters<PodResource["log"]>[1]>;

function logOptions(session: Session, flags: Flags): LogOptions {
  const tail = flags.number("tail") ?? (flags.text("selector") === undefined ? -1 : FEW_LINES);
  const sinceMs = readDurationMs(flags, "since");
  const sinceTime = flags.text("since-time");
  const limitBytes = flags.number("limit-bytes");
  return {
    follow: flags.switch("follow"),
    previous: flags.switch("previous"),
    timestamps: flags.switch("timestamps"),
    ...(flags.switch("insecure-skip-tls-verify-backend") ? { insecureSkipTLSVerifyBackend: true } : {}),
    ...(tail < 0 ? {} : { tailLines: tail }),
    ...(sinceMs === undefined ? {} : { sinceSeconds: Math.ceil(sinceMs / 1000) }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    signal: session.terminal.interrupted,
  };
}

const NEWLINE = 0x0a;
/** A line that is longer is shown in pieces. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Whole lines, so that those of several containers do not run into each other. */
async function writeLines(session: Session, pieces: AsyncIterable<Uint8Array>, prefix: Buffer): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  const write = (bytes: Buffer): void => session.terminal.write(Buffer.concat([prefix, bytes]));
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      write(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
    if (rest.length < MAX_LINE_BYTES) continue;
    write(rest);
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) write(rest);
}
