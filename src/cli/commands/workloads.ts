// `pctl expose` and `run`: a Service in front of a workload, and a pod by itself.

import { CliError, type Command } from "../command.ts";
import { pair, splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, numberAt } from "../json-members.ts";
import { podLabelsOf } from "../pod-labels.ts";
import { readTarget, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";
import { NEW_NAME_FLAG } from "./autoscale.ts";
import { createOne } from "./create.ts";
import { deleteAndWait } from "./delete.ts";
import { join } from "./pods.ts";

export const expose: Command = {
  name: "expose",
  summary: "a Service in front of a workload or of pods",
  arguments: "TYPE NAME | TYPE/NAME [--port=PORT]",
  flags: [
    ...WRITE_FLAGS,
    NEW_NAME_FLAG,
    { name: "port", value: "port", summary: "the port of the Service; that of the containers when not given" },
    { name: "target-port", value: "port", summary: "the port of the containers, or its name" },
    { name: "protocol", value: "protocol", summary: "TCP (when not given), UDP, SCTP" },
    { name: "type", value: "type", summary: "ClusterIP (when not given), NodePort, LoadBalancer" },
  ],
  async run(session, args, flags) {
    const named = await readTarget(session, args);
    const object = await session.sendForJson({ method: "GET", path: targetPath(named) });
    const selector = podLabelsOf(object);
    if (Object.keys(selector).length === 0) throw new CliError("the object selects no pods by labels, and has none");
    const own = portsOf(object);
    const asked = flags.number("port");
    const target = flags.text("target-port");
    const protocol = flags.choice("protocol", ["TCP", "UDP", "SCTP"]);
    const numbers = asked === undefined ? own : [asked];
    if (numbers.length === 0) throw new CliError("couldn't find port via --port flag or introspection");
    const ports = numbers.map((port, index) => ({
      ...(numbers.length > 1 ? { name: `port-${index + 1}` } : {}),
      port,
      protocol,
      targetPort: target === undefined ? port : /^\d+$/.test(target) ? Number(target) : target,
    }));
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: flags.text("name") ?? named.name, labels: memberOf(memberOf(object, "metadata"), "labels") },
      spec: { type: flags.choice("type", ["ClusterIP", "NodePort", "LoadBalancer"]), selector, ports },
    };
    await createOne(session, service, "the command line", flags, "exposed");
  },
};

function portsOf(object: unknown): number[] {
  const spec = memberOf(object, "spec");
  const holder = [memberOf(memberOf(spec, "template"), "spec"), spec].find(
    (each) => itemsAt(each, "containers").length > 0,
  );
  const ports = itemsAt(holder, "containers").flatMap((container) => itemsAt(container, "ports"));
  const numbers = ports.map((port) => numberAt(port, "containerPort"));
  return numbers.length > 0 ? numbers : itemsAt(spec, "ports").map((port) => numberAt(port, "port"));
}

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
    { name: "rm", summary: "delete the pod when it is over" },
  ],
  async run(session, args, flags) {
    const [name, ...words] = args;
    const image = flags.text("image");
    if (name === undefined || image === undefined) throw new CliError("NAME and --image are needed");
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
    const { dryRun } = readWriteSettings(flags);
    const container = {
      name,
      image,
      ...(words.length === 0 ? {} : { [flags.switch("command") ? "command" : "args"]: words }),
      ...(env.length === 0 ? {} : { env }),
      ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy }),
      ...(flags.switch("privileged") ? { securityContext: { privileged: true } } : {}),
      ...(flags.switch("stdin") ? { stdin: true, stdinOnce: true } : {}),
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
      spec: { containers: [container], restartPolicy: flags.choice("restart", ["Always", "OnFailure", "Never"]) },
    };
    await createOne(session, pod, "the command line", flags);
    if (!joins || dryRun !== "none") return;
    try {
      await join(session, name, name, flags);
    } finally {
      if (flags.switch("rm")) await deleteAndWait(session, await readTarget(session, ["pods", name]));
    }
  },
};
