// The checks that the level restricted adds to baseline, or makes stricter: what hardened pods do.

import type { Check } from "./check.ts";
import { containersWhere, isWindows, named, plural, quoted, setters, sortedQuoted } from "./pod-parts.ts";

const VOLUME_TYPES: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
/** From this version on, checks that mean nothing on Windows are left out there. */
const WINDOWS_KNOWN_SINCE = 25;

export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    since: 8,
    check({ spec }, { minor }) {
      if (minor >= WINDOWS_KNOWN_SINCE && isWindows(spec)) return undefined;
      const bad = containersWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
      if (bad.length === 0) return undefined;
      return {
        reason: "allowPrivilegeEscalation != false",
        detail: `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
    },
  },
  {
    id: "capabilities_restricted",
    replaces: "capabilities_baseline",
    since: 22,
    check({ spec }, { minor }) {
      if (minor >= WINDOWS_KNOWN_SINCE && isWindows(spec)) return undefined;
      const forbidden = new Set<string>();
      const undropped = containersWhere(
        spec,
        ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
      );
      const adding = containersWhere(spec, ({ securityContext }) => {
        const added = (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
        for (const one of added) forbidden.add(one);
        return added.length > 0;
      });
      const details = [
        ...(undropped.length > 0 ? [`${named(undropped)} must set securityContext.capabilities.drop=["ALL"]`] : []),
        ...(adding.length > 0
          ? [`${named(adding)} must not include ${sortedQuoted(forbidden)} in securityContext.capabilities.add`]
          : []),
      ];
      return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
    },
  },
  {
    id: "restrictedVolumes",
    replaces: "hostPathVolumes",
    since: 0,
    check({ spec }) {
      const types = new Set<string>();
      const bad: string[] = [];
      for (const volume of spec.volumes ?? []) {
        const type =
          Object.entries(volume).find(([key, source]) => key !== "name" && source != null)?.[0] ?? "emptyDir";
        if (VOLUME_TYPES.has(type)) continue;
        bad.push(volume.name);
        types.add(type);
      }
      if (bad.length === 0) return undefined;
      return {
        reason: "restricted volume types",
        detail: `${plural("volume", "volumes", bad.length)} ${quoted(bad)} ${plural("uses", "use", bad.length)} ${plural("restricted volume type", "restricted volume types", types.size)} ${sortedQuoted(types)}`,
      };
    },
  },
  {
    id: "runAsNonRoot",
    since: 0,
    check({ spec }, { relaxedByUserNamespace }) {
      if (relaxedByUserNamespace) return undefined;
      const ofPod = spec.securityContext?.runAsNonRoot;
      const explicit = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
      if (ofPod === false || explicit.length > 0) {
        return {
          reason: "runAsNonRoot != true",
          detail: `${setters(ofPod === false, explicit)} must not set securityContext.runAsNonRoot=false`,
        };
      }
      const silent = containersWhere(
        spec,
        ({ securityContext }) => securityContext?.runAsNonRoot == null && ofPod !== true,
      );
      if (silent.length === 0) return undefined;
      return {
        reason: "runAsNonRoot != true",
        detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true`,
      };
    },
  },
  {
    id: "runAsUser",
    since: 23,
    check({ spec }, { relaxedByUserNamespace }) {
      if (relaxedByUserNamespace) return undefined;
      const pod = spec.securityContext?.runAsUser === 0;
      const bad = containersWhere(spec, ({ securityContext }) => securityContext?.runAsUser === 0);
      if (!pod && bad.length === 0) return undefined;
      return { reason: "runAsUser=0", detail: `${setters(pod, bad)} must not set runAsUser=0` };
    },
  },
  {
    id: "seccompProfile_restricted",
    replaces: "seccompProfile_baseline",
    since: 19,
    check({ spec }, { minor }) {
      if (minor >= WINDOWS_KNOWN_SINCE && isWindows(spec)) return undefined;
      const types = new Set<string>();
      const isBad = (profile: { type?: string } | null | undefined) => {
        if (profile == null || profile.type === "RuntimeDefault" || profile.type === "Localhost") return false;
        types.add(profile.type ?? "");
        return true;
      };
      const ofPod = spec.securityContext?.seccompProfile;
      const pod = isBad(ofPod);
      const explicit = containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seccompProfile));
      if (pod || explicit.length > 0) {
        return {
          reason: "seccompProfile",
          detail: `${setters(pod, explicit)} must not set securityContext.seccompProfile.type to ${sortedQuoted(types)}`,
        };
      }
      const silent = containersWhere(
        spec,
        ({ securityContext }) => securityContext?.seccompProfile == null && ofPod == null,
      );
      if (silent.length === 0) return undefined;
      return {
        reason: "seccompProfile",
        detail: `pod or ${named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
    },
  },
];
