// What the runtime is told of one container.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { ContainerConfig, Device, LinuxContainerSecurityContext, Mount } from "../cri/container-messages.ts";
import type { StopSignal } from "../cri/signals.ts";
import type { DeviceAnswer } from "../plugins/device-messages.ts";
import { expandVariables } from "./expand-variables.ts";
import type { LinuxResources } from "./linux-resources.ts";
import { containerAnnotations, containerLabels, containerLogPath } from "./runtime-names.ts";

interface ContainerParts {
  readonly names: Names;
  readonly restartCount: number;
  /** As the runtime names it. */
  readonly imageRef: string;
  readonly runtimeHandler: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  /** What plug-ins want the container to have for the devices that it got. */
  readonly devices: readonly DeviceAnswer[];
  /** Volumes that the container gets as devices. */
  readonly blockDevices: readonly Device[];
  readonly resources: LinuxResources;
  readonly securityContext: LinuxContainerSecurityContext;
}

export function containerConfig(
  pod: Pod,
  container: Container | EphemeralContainer,
  parts: ContainerParts,
): ContainerConfig {
  const { names, restartCount, imageRef, runtimeHandler, environment, devices, resources, securityContext } = parts;
  const expand = (texts: readonly string[] | undefined) =>
    (texts ?? []).map((text) => expandVariables(text, (name) => environment.get(name)));
  const stopSignal = container.lifecycle?.stopSignal;
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: imageRef, userSpecifiedImage: container.image ?? "", runtimeHandler },
    command: expand(container.command),
    args: expand(container.args),
    workingDir: container.workingDir ?? "",
    envs: [...withDeviceVariables(environment, devices)].map(([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: [...devices.flatMap((each) => each.mounts.map(deviceMount)), ...parts.mounts],
    devices: [...devices.flatMap((each) => each.devices), ...parts.blockDevices],
    cdiDevices: devices.flatMap((each) => each.cdiDevices),
    labels: containerLabels(names, pod, container),
    annotations: {
      ...Object.fromEntries(devices.flatMap((each) => Object.entries(each.annotations))),
      ...containerAnnotations(names, pod, container, restartCount),
    },
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: { resources, securityContext },
    ...(stopSignal === undefined ? {} : { stopSignal: signalOf(stopSignal) }),
  };
}

/** The container's own settings win. */
function withDeviceVariables(environment: ReadonlyMap<string, string>, devices: readonly DeviceAnswer[]) {
  return new Map([...devices.flatMap(({ envs }) => Object.entries(envs)), ...environment]);
}

function deviceMount({ containerPath, hostPath, readOnly }: DeviceAnswer["mounts"][number]): Mount {
  return { containerPath, hostPath, readonly: readOnly };
}

/** The interface has no signs in its words: SIGRTMIN+1 is SIGNAL_SIGRTMINPLUS1. */
function signalOf(signal: string): StopSignal {
  return `SIGNAL_${signal.replace("+", "PLUS").replace("-", "MINUS")}` as StopSignal;
}
