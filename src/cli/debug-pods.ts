// What helps to look into pods and nodes: a container beside those of a pod, a copy of a pod, a pod that sees a node. Pure.

import { isObject, type JsonObject } from "../base/json.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";

type DebugProfile = keyof typeof PROFILES;

/** What a container may do beyond its image. */
const PROFILES = {
  legacy: {},
  general: { capabilities: { add: ["SYS_PTRACE"] } },
  baseline: {},
  restricted: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  },
  netadmin: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
  sysadmin: { privileged: true },
} satisfies Readonly<Record<string, JsonObject>>;

/** The container that is added. */
export interface DebugContainer {
  /** The first name that is free when not given. */
  readonly name: string | undefined;
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** Instead of the image's own. */
  readonly command: readonly string[];
  readonly argumentsOnly: boolean;
  readonly env: readonly JsonObject[];
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly profile: DebugProfile;
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"];

function containerNames(pod: JsonObject): Set<string> {
  const spec = memberOf(pod, "spec");
  return new Set(LISTS.flatMap((list) => itemsAt(spec, list)).map((container) => textAt(container, "name")));
}

/** As a pod has it. Fails with CliError where the pod has one of the name. */
export function debugContainer(wanted: DebugContainer, pod: JsonObject): JsonObject {
  const taken = containerNames(pod);
  if (wanted.name !== undefined && taken.has(wanted.name))
    throw new CliError(`the pod has a container ${JSON.stringify(wanted.name)} already: choose another name with -c`);
  let number = 1;
  while (taken.has(`debugger-${number}`)) number += 1;
  const security: JsonObject = PROFILES[wanted.profile];
  return {
    name: wanted.name ?? (taken.size === 0 ? "debugger" : `debugger-${number}`),
    image: wanted.image,
    ...(wanted.pullPolicy === undefined ? {} : { imagePullPolicy: wanted.pullPolicy }),
    ...(wanted.command.length === 0 ? {} : { [wanted.argumentsOnly ? "args" : "command"]: [...wanted.command] }),
    ...(wanted.env.length === 0 ? {} : { env: [...wanted.env] }),
    ...(Object.keys(security).length === 0 ? {} : { securityContext: security }),
    stdin: wanted.stdin,
    tty: wanted.tty,
    terminationMessagePolicy: "File",
  };
}

export interface CopyWish {
  readonly name: string;
  /** Undefined where only images change. */
  readonly container: DebugContainer | undefined;
  /** By the names of containers; `*` for all. */
  readonly images: ReadonlyMap<string, string>;
  readonly sameNode: boolean;
  readonly shareProcesses: boolean;
  readonly keep: {
    readonly labels: boolean;
    readonly annotations: boolean;
    readonly initContainers: boolean;
    /** Members of containers that are left out otherwise. */
    readonly probes: ReadonlySet<string>;
  };
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

/** The copy, and the container of it that is looked into. Without labels nothing takes it for one of its own. */
export function podCopy(pod: JsonObject, wish: CopyWish): { readonly copy: JsonObject; readonly container: string } {
  const { labels, annotations, namespace } = memberOf(pod, "metadata");
  const { nodeName, ephemeralContainers: _, initContainers, ...spec } = memberOf(pod, "spec");
  const changed = itemsAt(pod["spec"], "containers").map((container) => {
    const image = wish.images.get(textAt(container, "name")) ?? wish.images.get("*");
    const rest = Object.entries(container).filter(([field]) => !PROBES.includes(field) || wish.keep.probes.has(field));
    return { ...Object.fromEntries(rest), ...(image === undefined ? {} : { image }) };
  });
  for (const name of wish.images.keys())
    if (name !== "*" && !changed.some((container) => textAt(container, "name") === name))
      throw new CliError(`unable to find container named ${JSON.stringify(name)}`);
  const replaced = changed.findIndex((container) => textAt(container, "name") === wish.container?.name);
  const added =
    wish.container === undefined
      ? undefined
      : debugContainer(wish.container, replaced < 0 ? pod : withoutContainer(pod, wish.container.name));
  const containers =
    added === undefined
      ? changed
      : replaced < 0
        ? [...changed, added]
        : changed.map((container, at) => (at === replaced ? { ...container, ...added } : container));
  const copy = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: wish.name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(wish.keep.labels && isObject(labels) ? { labels } : {}),
      ...(wish.keep.annotations && isObject(annotations) ? { annotations } : {}),
    },
    spec: {
      ...spec,
      ...(wish.sameNode && nodeName !== undefined ? { nodeName } : {}),
      ...(wish.keep.initContainers && initContainers !== undefined ? { initContainers } : {}),
      ...(wish.shareProcesses ? { shareProcessNamespace: true } : {}),
      containers,
    },
  };
  return { copy, container: textAt(added ?? changed[0], "name") };
}

function withoutContainer(pod: JsonObject, name: string | undefined): JsonObject {
  const spec = memberOf(pod, "spec");
  return {
    ...pod,
    spec: { ...spec, containers: itemsAt(spec, "containers").filter((each) => textAt(each, "name") !== name) },
  };
}

/** A pod that shares everything with its node; the node's files are below /host. */
export function nodePod(node: string, wanted: DebugContainer): JsonObject {
  const container = debugContainer({ ...wanted, name: wanted.name ?? "debugger" }, {});
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: `node-debugger-${node}-` },
    spec: {
      containers: [{ ...container, volumeMounts: [{ name: "host-root", mountPath: "/host" }] }],
      volumes: [{ name: "host-root", hostPath: { path: "/" } }],
      hostIPC: true,
      hostNetwork: true,
      hostPID: true,
      nodeName: node,
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
    },
  };
}
