// `pctl run`: a pod by itself, and what it writes.

import type { JsonObject } from "../../base/json.ts";
import { parseImage } from "../../meta/image-reference.ts";
import { CliError, type Command } from "../command.ts";
import { DELETION_FLAGS, deleteAndWait, readDeletion } from "../deletion.ts";
import { pair, splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { SAVE_CONFIG_FLAG } from "../last-applied.ts";
import { OVERRIDE_FLAGS, overridden } from "../patch-here.ts";
import { podTimeoutFlag, readPodTimeoutMs } from "../pod-named.ts";
import { nameOf } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import type { Session } from "../session.ts";
import { readTarget, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";
import { createOne } from "./create.ts";
import { join } from "./pods.ts";

const POD_TIMEOUT_SECONDS = 60;
const LOOK_MS = 200;
const FROM_FILES = "pctl create -f FILE makes what a file has";

export const run: Command = {
  name: "run",
  summary: "a pod of an image",
  arguments: "NAME --image=IMAGE [-- ARGUMENT...]",
  flags: [
    ...WRITE_FLAGS,
    { name: "image", value: "image", summary: "the image" },
    { name: "port", value: "port", summary: "the port that the container listens on" },
    { name: "env", value: "name=value", summary: "a variable; may be repeated" },
    { name: "labels", short: "l", value: "key=value,...", summary: "labels of the pod (run=NAME)" },
    { name: "restart", value: "policy", summary: "Always (when not given), OnFailure, Never" },
    { name: "command", summary: "the words after -- are the command, not its arguments" },
    { name: "image-pull-policy", value: "policy", summary: "Always, IfNotPresent, Never" },
    { name: "annotations", value: "key=value", summary: "an annotation of the pod; may be repeated" },
    { name: "privileged", summary: "as the machine's administrator" },
    { name: "stdin", short: "i", summary: "pass standard input on" },
    { name: "tty", short: "t", summary: "in a terminal" },
    { name: "attach", summary: "join it as soon as it runs (true with -i)" },
    { name: "leave-stdin-open", summary: "of standard input, after who joined first has left" },
    { name: "rm", summary: "delete the pod when it is over" },
    ...DELETION_FLAGS,
    { name: "wait", summary: "with --rm: until the pod is gone (true when not given)" },
    SAVE_CONFIG_FLAG,
    { name: "expose", summary: "also a Service of the same name, for --port" },
    { name: "quiet", short: "q", summary: "show only what the container writes" },
    podTimeoutFlag(POD_TIMEOUT_SECONDS),
    ...OVERRIDE_FLAGS,
    { name: "filename", short: "f", value: "path", summary: "", refused: FROM_FILES },
    { name: "kustomize", short: "k", value: "folder", summary: "", refused: FROM_FILES },
    { name: "recursive", short: "R", summary: "", refused: FROM_FILES },
  ],
  async run(session, args, flags) {
    const [name, ...words] = args;
    const image = flags.text("image");
    if (name === undefined) throw new CliError("NAME is required for run");
    if (image === undefined) throw new CliError('required flag(s) "image" not set');
    if (image === "") throw new CliError("--image is required");
    if (parseImage(image) === undefined)
      throw new CliError(`Invalid image name ${JSON.stringify(image)}: invalid reference format`);
    if (flags.switch("tty") && !flags.switch("stdin"))
      throw new CliError("-i/--stdin is required for containers with -t/--tty=true");
    const labels = splitList(flags, "labels").map((text) => pair(text, "--labels"));
    const env = flags.list("env").map((text) => {
      const [key, value] = pair(text, "--env");
      return { name: key, value };
    });
    const port = flags.number("port");
    const pullPolicy = flags.text("image-pull-policy");
    const annotations = flags.list("annotations").map((text) => pair(text, "--annotations"));
    const joins = flags.switch("attach", flags.switch("stdin"));
    if (flags.switch("rm") && !joins) throw new CliError("--rm should only be used for attached containers");
    if (flags.switch("expose") && port === undefined) throw new CliError("--port must be set when exposing a service");
    const restartPolicy = flags.choice("restart", ["Always", "OnFailure", "Never"]);
    const container = {
      name,
      image,
      ...(words.length === 0 ? {} : { [flags.switch("command") ? "command" : "args"]: words }),
      ...(env.length === 0 ? {} : { env }),
      ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy }),
      ...(flags.switch("privileged") ? { securityContext: { privileged: true } } : {}),
      ...(flags.switch("stdin") ? { stdin: true, stdinOnce: !flags.switch("leave-stdin-open") } : {}),
      ...(flags.switch("tty") ? { tty: true } : {}),
      ...(port === undefined ? {} : { ports: [{ containerPort: port }] }),
    };
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        labels: labels.length === 0 ? { run: name } : Object.fromEntries(labels),
        ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
      },
      spec: { containers: [container], restartPolicy },
    };
    const settings = readWriteSettings(flags);
    const deletion = readDeletion(flags);
    const follows = joins && settings.dryRun === "none";
    // What the container writes is not to be mixed with words about it.
    const quiet = { ...settings, shown: () => "" };
    const made = await overridden(session, pod, flags);
    const shown = follows ? quiet : settings;
    if (flags.switch("expose"))
      await createOne(session, serviceOf(made, port!), "the command line", flags, "created", shown);
    await createOne(session, made, "the command line", flags, "created", shown);
    if (!follows) return;
    const timeoutMs = readPodTimeoutMs(flags, POD_TIMEOUT_SECONDS);
    try {
      await join(session, name, name, flags, timeoutMs);
      if (restartPolicy !== "Always" && !flags.switch("leave-stdin-open"))
        await whileWaiting(
          session,
          () => `waiting until pod/${name} is over`,
          () => endAs(session, name, restartPolicy, timeoutMs),
        );
    } finally {
      if (flags.switch("rm")) {
        const target = await readTarget(session, ["pods", name]);
        const [quiet, waits] = [flags.switch("quiet"), flags.switch("wait", true)];
        await deleteAndWait(session, target, { deletion, quiet, waits });
      }
    }
  },
};

const serviceOf = (pod: JsonObject, port: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: nameOf(pod) },
  spec: {
    selector: memberOf(memberOf(pod, "metadata"), "labels"),
    ports: [{ port, protocol: "TCP", targetPort: port }],
  },
});

/** With the exit code of its container, once the pod is over. Fails with CliError when the time is. */
async function endAs(session: Session, name: string, restartPolicy: string, timeoutMs: number): Promise<void> {
  const target = await readTarget(session, ["pods", name]);
  const deadlineMs = session.clock.monotonicMs() + timeoutMs;
  for (;;) {
    session.terminal.interrupted.throwIfAborted();
    const pod = await session.sendForJson({ method: "GET", path: targetPath(target) }, { untilMs: deadlineMs });
    const status = memberOf(pod, "status");
    const phase = textAt(status, "phase");
    if (phase === "Succeeded") return;
    if (phase === "Failed" && restartPolicy === "Never") {
      const [container] = itemsAt(status, "containerStatuses");
      const terminated = memberOf(memberOf(container, "state"), "terminated");
      const code = numberAt(terminated, "exitCode");
      const where = `${textAt(memberOf(pod, "metadata"), "namespace")}/${name}`;
      if (code === 0) throw new CliError(`pod ${where} failed with unknown exit code`);
      session.terminal.writeError(`pod ${where} terminated (${textAt(terminated, "reason")})\n`);
      return session.fail(code);
    }
    if (session.clock.monotonicMs() >= deadlineMs) throw new CliError("timed out waiting for the condition");
    await session.pause(LOOK_MS);
  }
}
