// What a driver is told of a volume, as one JSON object of words. Pure.

import type { Pod } from "../../kinds/core/pod.ts";

/** A volume of a driver, brought by a pod itself or by a claim. */
export interface FlexVolume {
  /** Of the volume in the pod, or of the persistent volume. */
  readonly name: string;
  readonly driver: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly options: Readonly<Record<string, string>>;
  readonly secret: { readonly namespace: string; readonly name: string } | undefined;
}

interface FlexSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
  readonly secretRef?: { readonly name?: string; readonly namespace?: string } | undefined;
}

/** A secret that is named without its namespace is one of the pod's. */
export function flexVolumeOf(name: string, source: FlexSource, pod: Pod, isReadOnly = false): FlexVolume {
  const { driver, fsType = "", readOnly = false, options = {}, secretRef } = source;
  const secret = secretRef?.name
    ? { name: secretRef.name, namespace: secretRef.namespace || (pod.metadata.namespace ?? "") }
    : undefined;
  return { name, driver, fsType, readOnly: readOnly || isReadOnly, options, secret };
}

/** `domain` is the platform's own. What the volume says itself wins. */
export function volumeOptions({ name, fsType, readOnly, options }: FlexVolume, domain: string): Record<string, string> {
  return {
    [`${domain}/fsType`]: fsType,
    [`${domain}/readwrite`]: readOnly ? "ro" : "rw",
    [`${domain}/pvOrVolumeName`]: name,
    ...options,
  };
}

/** With what is told when it is mounted for a pod. `secrets` are values in base64. */
export function mountOptions(
  volume: FlexVolume,
  pod: Pod,
  { domain, secrets }: { readonly domain: string; readonly secrets: Readonly<Record<string, string>> },
): Record<string, string> {
  const { metadata, spec } = pod;
  const group = spec.securityContext?.fsGroup;
  return {
    ...Object.fromEntries(Object.entries(secrets).map(([key, value]) => [`${domain}/secret/${key}`, value])),
    ...(group === undefined ? {} : { [`${domain}/mounterArgs.FsGroup`]: String(group) }),
    [`${domain}/pod.name`]: metadata.name ?? "",
    [`${domain}/pod.namespace`]: metadata.namespace ?? "",
    [`${domain}/pod.uid`]: metadata.uid ?? "",
    [`${domain}/serviceAccount.name`]: spec.serviceAccountName ?? "",
    ...volumeOptions(volume, domain),
  };
}
