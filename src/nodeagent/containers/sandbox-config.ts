// What the runtime is told of a pod's sandbox: names, network, kernel parameters, namespaces and rights.

import { dottedName } from "../../kinds/core/pod/sysctls.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { PodSandboxConfig, PortMapping } from "../cri/sandbox-messages.ts";
import { podHostname } from "./hosts-file.ts";
import type { SandboxResources } from "./linux-resources.ts";
import { namespacesOf, type UserRange } from "./namespaces.ts";
import type { PodDns } from "./pod-dns.ts";
import { podLabels } from "./runtime-names.ts";
import { numberOf, supplementalGroupsOf } from "./security-context.ts";

interface SandboxParts {
  readonly names: Names;
  readonly attempt: number;
  readonly logDirectory: string;
  readonly dns: PodDns;
  readonly clusterDomain: string;
  readonly users?: UserRange | undefined;
  /** The control group of the pod; empty where the runtime chooses. */
  readonly cgroupParent: string;
  readonly resources: SandboxResources;
}

export function sandboxConfig(pod: Pod, parts: SandboxParts): PodSandboxConfig {
  const { names, attempt, logDirectory, dns, clusterDomain, users, cgroupParent, resources } = parts;
  const { metadata, spec } = pod;
  const { name = "", uid = "", namespace = "" } = metadata;
  const { runAsUser, runAsGroup, sysctls, seLinuxOptions, supplementalGroupsPolicy } = spec.securityContext ?? {};
  const user = numberOf(runAsUser);
  const group = numberOf(runAsGroup);
  const host = podHostname(pod, clusterDomain);
  return {
    metadata: { name, uid, namespace, attempt },
    // In the node's network it has the node's name.
    ...(spec.hostNetwork ? {} : { hostname: (spec.setHostnameAsFQDN ? host.fullName : undefined) ?? host.hostname }),
    logDirectory,
    dnsConfig: dns.config,
    portMappings: portMappings(pod),
    labels: { ...metadata.labels, ...podLabels(names, pod) },
    annotations: { ...metadata.annotations },
    linux: {
      ...(cgroupParent === "" ? {} : { cgroupParent }),
      ...resources,
      sysctls: Object.fromEntries((sysctls ?? []).map((sysctl) => [dottedName(sysctl.name), sysctl.value])),
      securityContext: {
        namespaceOptions: namespacesOf(pod, { users }),
        ...(seLinuxOptions === undefined ? {} : { selinuxOptions: seLinuxOptions }),
        ...(user === undefined ? {} : { runAsUser: { value: user } }),
        ...(group === undefined ? {} : { runAsGroup: { value: group } }),
        supplementalGroups: supplementalGroupsOf(pod),
        ...(supplementalGroupsPolicy === undefined ? {} : { supplementalGroupsPolicy }),
        privileged: hasPrivileged(pod),
        // The process that holds the namespaces needs next to no system calls.
        seccomp: { profileType: "RuntimeDefault" },
      },
    },
  };
}

function portMappings({ spec }: Pod): PortMapping[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containers.flatMap(({ ports }) =>
    (ports ?? []).map(({ protocol = "TCP", containerPort, hostPort = 0, hostIP = "" }) => ({
      protocol,
      containerPort,
      hostPort,
      hostIp: hostIP,
    })),
  );
}

function hasPrivileged({ spec }: Pod): boolean {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containers.some(({ securityContext }) => securityContext?.privileged === true);
}
