// The checks of the level baseline: known ways for a pod to take over its node.

import type { PodSpec } from "../../kinds/core/pod/spec.ts";
import type { Check } from "./check.ts";
import { containersOf, containersWhere, named, plural, quoted, setters, sortedQuoted } from "./pod-parts.ts";

const ADDED_CAPABILITIES: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Sysctls that stay inside the pod, by the minor version that learned of them. */
const SAFE_SYSCTLS = new Map<string, number>([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
]);

const SELINUX_TYPES = new Map<string, number>([
  ["", 0],
  ["container_t", 0],
  ["container_init_t", 0],
  ["container_kvm_t", 0],
  ["container_engine_t", 31],
]);

export const baselineChecks: readonly Check[] = [
  {
    id: "appArmorProfile",
    since: 0,
    check({ metadata, spec }, { names }) {
      const allowed = new Set(["RuntimeDefault", "Localhost"]);
      const bad = new Set<string>();
      const isBad = (profile: { type?: string } | null | undefined) => {
        const type = profile?.type;
        if (type === undefined || type === "" || allowed.has(type)) return false;
        bad.add(type);
        return true;
      };
      const pod = isBad(spec.securityContext?.appArmorProfile);
      const containers = containersWhere(spec, ({ securityContext }) => isBad(securityContext?.appArmorProfile));
      const annotations = Object.entries(metadata.annotations ?? {}).filter(
        ([key, value]) =>
          key.startsWith(names.appArmorContainerPrefix) &&
          value !== "" &&
          value !== "runtime/default" &&
          !value.startsWith("localhost/"),
      );
      const values = [...[...bad].sort(), ...annotations.map(annotationText).sort()];
      if (values.length === 0) return undefined;
      const words = annotations.length === 0 ? "" : plural("annotation", "annotations", annotations.length);
      const who = [setters(pod, containers), words].filter((one) => one !== "");
      return {
        reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.length),
        // As upstream: annotations have quotes of their own inside.
        detail: `${who.join(" and ")} must not set AppArmor profile type to ${values.map((one) => `"${one}"`).join(", ")}`,
      };
    },
  },
  {
    id: "capabilities_baseline",
    since: 0,
    check({ spec }) {
      const forbidden = new Set<string>();
      const bad = containersWhere(spec, ({ securityContext }) => {
        const added = (securityContext?.capabilities?.add ?? []).filter((one) => !ADDED_CAPABILITIES.has(one));
        for (const one of added) forbidden.add(one);
        return added.length > 0;
      });
      if (bad.length === 0) return undefined;
      return {
        reason: "non-default capabilities",
        detail: `${named(bad)} must not include ${sortedQuoted(forbidden)} in securityContext.capabilities.add`,
      };
    },
  },
  {
    id: "hostNamespaces",
    since: 0,
    check({ spec }) {
      const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field] === true);
      if (used.length === 0) return undefined;
      return { reason: "host namespaces", detail: used.map((field) => `${field}=true`).join(", ") };
    },
  },
  {
    id: "hostPathVolumes",
    since: 0,
    check({ spec }) {
      const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath != null).map(({ name }) => name);
      if (bad.length === 0) return undefined;
      return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", bad.length)} ${quoted(bad)}` };
    },
  },
  {
    id: "hostPorts",
    since: 0,
    check({ spec }) {
      const ports = new Set<number>();
      const bad = containersWhere(spec, (container) => {
        const own = (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [hostPort] : []));
        for (const port of own) ports.add(port);
        return own.length > 0;
      });
      if (bad.length === 0) return undefined;
      const all = [...ports].map(String).sort().join(", ");
      return {
        reason: "hostPort",
        detail: `${named(bad)} ${plural("uses", "use", bad.length)} ${plural("hostPort", "hostPorts", ports.size)} ${all}`,
      };
    },
  },
  {
    id: "hostProbesAndhostLifecycle",
    since: 34,
    check({ spec }) {
      const hosts = new Set<string>();
      const bad = containersWhere(spec, (container) => {
        const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
        const actions = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
        const own = actions
          .flatMap((action) => [action?.httpGet?.host, action?.tcpSocket?.host])
          .filter((host) => host);
        for (const host of own) hosts.add(host!);
        return own.length > 0;
      });
      if (bad.length === 0) return undefined;
      return {
        reason: plural("probe or lifecycle host", "probe or lifecycle hosts", bad.length),
        detail: `${named(bad)} ${plural("uses", "use", bad.length)} probe or lifecycle ${plural("host", "hosts", hosts.size)} ${sortedQuoted(hosts)}`,
      };
    },
  },
  {
    id: "privileged",
    since: 0,
    check({ spec }) {
      const bad = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
      if (bad.length === 0) return undefined;
      return { reason: "privileged", detail: `${named(bad)} must not set securityContext.privileged=true` };
    },
  },
  {
    id: "procMount",
    since: 0,
    check({ spec }, { relaxedByUserNamespace }) {
      if (relaxedByUserNamespace) return undefined;
      const types = new Set<string>();
      const bad = containersWhere(spec, ({ securityContext }) => {
        const type = securityContext?.procMount ?? "Default";
        if (type === "Default") return false;
        types.add(type);
        return true;
      });
      if (bad.length === 0) return undefined;
      return {
        reason: "procMount",
        detail: `${named(bad)} must not set securityContext.procMount to ${sortedQuoted(types)}`,
      };
    },
  },
  {
    id: "seLinuxOptions",
    since: 0,
    check: ({ spec }, { minor }) => seLinuxFinding(spec, minor),
  },
  {
    id: "seccompProfile_baseline",
    since: 0,
    until: 19,
    check({ metadata: { annotations = {} }, spec }, { names }) {
      const keys = [
        names.seccompPodAnnotation,
        ...containersOf(spec).map(({ name }) => names.seccompContainerPrefix + name),
      ];
      const bad = keys
        .map((key): [string, string | undefined] => [
          key,
          Object.hasOwn(annotations, key) ? annotations[key] : undefined,
        ])
        .filter((entry): entry is [string, string] => entry[1] !== undefined && !isSeccompAnnotation(entry[1]));
      if (bad.length === 0) return undefined;
      return {
        reason: "seccompProfile",
        detail: `forbidden ${plural("annotation", "annotations", bad.length)} ${bad.map(annotationText).sort().join(", ")}`,
      };
    },
  },
  {
    id: "seccompProfile_baseline",
    since: 19,
    check({ spec }) {
      const isBad = (profile: { type?: string } | null | undefined) => profile?.type === "Unconfined";
      const pod = isBad(spec.securityContext?.seccompProfile);
      const bad = containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seccompProfile));
      if (!pod && bad.length === 0) return undefined;
      return {
        reason: "seccompProfile",
        detail: `${setters(pod, bad)} must not set securityContext.seccompProfile.type to "Unconfined"`,
      };
    },
  },
  {
    id: "sysctls",
    since: 0,
    check({ spec }, { minor }) {
      const bad = (spec.securityContext?.sysctls ?? [])
        .map(({ name }) => name)
        .filter((name) => (SAFE_SYSCTLS.get(name) ?? Number.POSITIVE_INFINITY) > minor || !SAFE_SYSCTLS.has(name));
      return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: [...bad].sort().join(", ") };
    },
  },
  {
    id: "windowsHostProcess",
    since: 0,
    check({ spec }) {
      const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
      const bad = containersWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
      if (!pod && bad.length === 0) return undefined;
      return {
        reason: "hostProcess",
        detail: `${setters(pod, bad)} must not set securityContext.windowsOptions.hostProcess=true`,
      };
    },
  },
];

const annotationText = ([key, value]: readonly [string, string]): string => `${key}=${JSON.stringify(value)}`;

const isSeccompAnnotation = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

function seLinuxFinding(spec: PodSpec, minor: number) {
  const types = new Set<string>();
  let user = false;
  let role = false;
  const isBad = (options: { type?: string; user?: string; role?: string } | null | undefined) => {
    if (options == null) return false;
    const type = options.type ?? "";
    const typeIsBad = !SELINUX_TYPES.has(type) || SELINUX_TYPES.get(type)! > minor;
    if (typeIsBad) types.add(type);
    const [userIsBad, roleIsBad] = [(options.user ?? "") !== "", (options.role ?? "") !== ""];
    user ||= userIsBad;
    role ||= roleIsBad;
    return typeIsBad || userIsBad || roleIsBad;
  };
  const pod = isBad(spec.securityContext?.seLinuxOptions);
  const bad = containersOf(spec)
    .filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions))
    .map(({ name }) => name);
  if (!pod && bad.length === 0) return undefined;
  const what = [
    ...(types.size > 0 ? [`${plural("type", "types", types.size)} ${sortedQuoted(types)}`] : []),
    ...(user ? ["user may not be set"] : []),
    ...(role ? ["role may not be set"] : []),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${setters(pod, bad)} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
  };
}
