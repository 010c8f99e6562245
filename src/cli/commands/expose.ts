// `pctl expose`: a Service in front of a workload, of pods, or of another Service.

import type { JsonObject } from "../../base/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { pair, splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { SAVE_CONFIG_FLAG } from "../last-applied.ts";
import { OVERRIDE_FLAGS, overridden } from "../patch-here.ts";
import { podLabelsOf } from "../pod-labels.ts";
import { FILE_FLAGS, forEachTarget, readTargets, targetPath } from "../targets.ts";
import { WRITE_FLAGS } from "../write-flags.ts";
import { NEW_NAME_FLAG } from "./autoscale.ts";
import { createOne } from "./create.ts";

export const expose: Command = {
  name: "expose",
  summary: "a Service in front of a workload or of pods",
  arguments: "TYPE NAME | TYPE/NAME | -f FILE [--port=PORT]",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    SAVE_CONFIG_FLAG,
    NEW_NAME_FLAG,
    { name: "port", value: "port", summary: "the port of the Service; that of the containers when not given" },
    { name: "target-port", value: "port", summary: "the port of the containers, or its name" },
    { name: "protocol", value: "protocol", summary: "TCP, UDP, SCTP; that of the containers when not given" },
    { name: "type", value: "type", summary: "ClusterIP (when not given), NodePort, LoadBalancer, ExternalName" },
    { name: "selector", value: "key=value,...", summary: "the pods; those of the object when not given" },
    {
      name: "labels",
      short: "l",
      value: "key=value,...",
      summary: "labels of the Service; those of the object when not given",
    },
    { name: "cluster-ip", value: "address", summary: "the address, or None" },
    { name: "external-ip", value: "address,...", summary: "addresses beside those of the cluster" },
    { name: "load-balancer-ip", value: "address", summary: "the address that the load balancer is asked for" },
    { name: "session-affinity", value: "mode", summary: "None (when not given), ClientIP" },
    ...OVERRIDE_FLAGS,
  ],
  async run(session, args, flags) {
    // --selector says which pods the Service is for, not which objects are meant.
    const targets = await readTargets(session, args, flags.without(["selector"]));
    await forEachTarget(session, targets, async (target) => {
      const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
      const service = serviceFor(object as JsonObject, target.name, flags);
      await createOne(session, await overridden(session, service, flags), "the command line", flags, "exposed");
    });
  },
};

/** Fails with CliError. */
function serviceFor(object: JsonObject, objectName: string, flags: Flags): JsonObject {
  const given = (name: string): Record<string, string> =>
    Object.fromEntries(splitList(flags, name).map((text) => pair(text, `--${name}`)));
  const selector = flags.text("selector") === undefined ? podLabelsOf(object) : given("selector");
  if (Object.keys(selector).length === 0) throw new CliError("the object selects no pods by labels, and has none");
  const labels =
    flags.text("labels") === undefined ? memberOf(memberOf(object, "metadata"), "labels") : given("labels");
  const clusterIP = flags.text("cluster-ip");
  const ports = servicePorts(object, flags);
  if (ports.length === 0 && clusterIP !== "None")
    throw new CliError("couldn't find port via --port flag or introspection");
  const externalIPs = splitList(flags, "external-ip");
  const loadBalancerIP = flags.text("load-balancer-ip");
  const type = flags.choice("type", ["", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]);
  const sessionAffinity = flags.choice("session-affinity", ["", "None", "ClientIP"]);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: flags.text("name") ?? objectName, labels },
    spec: {
      ...(type === "" ? {} : { type }),
      selector,
      ports,
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ...(externalIPs.length === 0 ? {} : { externalIPs }),
      ...(loadBalancerIP === undefined ? {} : { loadBalancerIP }),
      ...(sessionAffinity === "" ? {} : { sessionAffinity }),
    },
  };
}

function servicePorts(object: JsonObject, flags: Flags): JsonObject[] {
  const asked = flags.number("port");
  const target = flags.text("target-port");
  const protocol = flags.choice("protocol", ["", "TCP", "UDP", "SCTP"]);
  const own = portsOf(object);
  const chosen = asked === undefined ? own : [{ port: asked, protocol: protocolOf(own, asked) }];
  return chosen.map(({ port, protocol: itsOwn }, index) => ({
    ...(chosen.length > 1 ? { name: `port-${index + 1}` } : {}),
    port,
    protocol: protocol || itsOwn,
    targetPort: target === undefined ? port : /^\d+$/.test(target) ? Number(target) : target,
  }));
}

interface Port {
  readonly port: number;
  readonly protocol: string;
}

const protocolOf = (ports: readonly Port[], number: number): string =>
  ports.find(({ port }) => port === number)?.protocol ?? "TCP";

/** Of containers, or of a Service. */
function portsOf(object: unknown): Port[] {
  const spec = memberOf(object, "spec");
  const holder = [memberOf(memberOf(spec, "template"), "spec"), spec].find(
    (each) => itemsAt(each, "containers").length > 0,
  );
  const inside = itemsAt(holder, "containers").flatMap((container) => itemsAt(container, "ports"));
  const protocol = (port: JsonObject): string => textAt(port, "protocol") || "TCP";
  if (inside.length > 0)
    return inside.map((port) => ({ port: numberAt(port, "containerPort"), protocol: protocol(port) }));
  return itemsAt(spec, "ports").map((port) => ({ port: numberAt(port, "port"), protocol: protocol(port) }));
}
