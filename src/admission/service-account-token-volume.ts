// The volume with a token, the CA bundle and the namespace that containers of a pod find under a well-known path.

import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";

/** An hour, and the time that a node agent may be late to renew. */
const TOKEN_SECONDS = 60 * 60 + 7;
const VOLUME_PREFIX = "kube-api-access-";
const FILE_MODE = 0o644;

/** A volume that was added before serves containers that came later, by a webhook or a policy. */
export function mountToken(names: Names, { spec }: Pod, randomSuffix: () => string): void {
  const path = names.serviceAccountMountPath;
  const there = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX))?.name;
  const volumeName = there ?? VOLUME_PREFIX + randomSuffix();
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === path)) continue;
    needed = true;
    container.volumeMounts = [...mounts, { name: volumeName, readOnly: true, mountPath: path }];
  }
  if (needed && there === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(volumeName)];
}

function tokenVolume(name: string) {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: TOKEN_SECONDS } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: FILE_MODE,
    },
  };
}
