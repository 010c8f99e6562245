import { describe, expect, it } from "vitest";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LinuxContainerSecurityContext } from "../cri/container-messages.ts";
import { namespacesOf } from "./namespaces.ts";
import { type ImageUser, securityContextOf } from "./security-context.ts";

type Own = NonNullable<Container["securityContext"]>;
type Shared = NonNullable<Pod["spec"]["securityContext"]>;

function contextOf(
  own: Own,
  shared: Shared = {},
  imageUser: ImageUser = {},
  spec: object = {},
): LinuxContainerSecurityContext {
  const pod = {
    metadata: { name: "p", namespace: "n", uid: "u" },
    spec: { securityContext: shared, ...spec },
    status: {},
  } as unknown as Pod;
  const parts = { namespaces: namespacesOf(pod), seccomp: { profileType: "Unconfined" }, imageUser } as const;
  return securityContextOf(pod, { name: "c", securityContext: own }, parts);
}

describe("the rights of a container", () => {
  it.each<[string, Own, Shared, ImageUser, LinuxContainerSecurityContext]>([
    [
      "take the container's user and group first",
      { runAsUser: 5, runAsGroup: 6 },
      { runAsUser: 1, runAsGroup: 2 },
      {},
      { runAsUser: { value: 5 }, runAsGroup: { value: 6 } },
    ],
    ["take the pod's user next", {}, { runAsUser: 1 }, { uid: 9 }, { runAsUser: { value: 1 } }],
    ["take the image's user last", {}, {}, { uid: 9 }, { runAsUser: { value: 9 } }],
    ["take the name of the image's user", {}, {}, { username: "app" }, { runAsUsername: "app" }],
    [
      "add and drop capabilities",
      { capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } },
      {},
      {},
      { capabilities: { addCapabilities: ["NET_ADMIN"], dropCapabilities: ["ALL"] } },
    ],
    ["may be all of them", { privileged: true }, {}, {}, { privileged: true }],
    ["may leave the root file system alone", { readOnlyRootFilesystem: true }, {}, {}, { readonlyRootfs: true }],
    ["may never grow", { allowPrivilegeEscalation: false }, {}, {}, { noNewPrivs: true }],
    ["may grow by default", {}, {}, {}, { noNewPrivs: false }],
    ["bring groups", {}, { supplementalGroups: [10, 11], fsGroup: 12 }, {}, { supplementalGroups: [12, 10, 11] }],
    [
      "name an AppArmor profile of the node",
      { appArmorProfile: { type: "Localhost", localhostProfile: "web" } },
      { appArmorProfile: { type: "Unconfined" } },
      {},
      { apparmor: { profileType: "Localhost", localhostRef: "web" }, apparmorProfile: "localhost/web" },
    ],
    [
      "name the pod's AppArmor profile",
      {},
      { appArmorProfile: { type: "RuntimeDefault" } },
      {},
      { apparmor: { profileType: "RuntimeDefault" }, apparmorProfile: "runtime/default" },
    ],
  ])("%s", (_, own, shared, image, expected) => {
    expect(contextOf(own, shared, image)).toMatchObject(expected);
  });

  it("hide parts of /proc unless they shall be seen", () => {
    expect(contextOf({}).maskedPaths).toContain("/proc/kcore");
    expect(contextOf({ procMount: "Unmasked" }).maskedPaths).toBeUndefined();
  });

  it.each<[string, Own, Shared, ImageUser]>([
    ["container's runAsUser breaks non-root policy", { runAsNonRoot: true, runAsUser: 0 }, {}, {}],
    ["image will run as root", {}, { runAsNonRoot: true }, { uid: 0 }],
    ["image will run as root", {}, { runAsNonRoot: true }, {}],
    ["image will run as root", {}, { runAsNonRoot: true }, { username: "" }],
    ["image has non-numeric user (app)", { runAsNonRoot: true }, {}, { username: "app" }],
  ])("are refused where root is: %s", (message, own, shared, image) => {
    expect(() => contextOf(own, shared, image)).toThrow(message);
  });

  it("are those of another user where root is refused", () => {
    expect(contextOf({ runAsNonRoot: true }, { runAsUser: 7 }, { uid: 0 }).runAsUser).toEqual({ value: 7 });
    expect(contextOf({ runAsNonRoot: false }, { runAsNonRoot: true }, { uid: 0 }).runAsUser).toEqual({ value: 0 });
  });
});

describe("namespaces", () => {
  it.each<[string, object, object]>([
    ["are the pod's own", {}, { network: "POD", ipc: "POD", pid: "CONTAINER", usernsOptions: { mode: "NODE" } }],
    [
      "are the node's where asked for",
      { hostNetwork: true, hostIPC: true, hostPID: true },
      { network: "NODE", ipc: "NODE", pid: "NODE" },
    ],
    ["share processes where asked for", { shareProcessNamespace: true }, { pid: "POD" }],
  ])("%s", (_, spec, expected) => {
    expect(namespacesOf({ spec } as unknown as Pod)).toMatchObject(expected);
  });

  it("map users of the pod to a range of the node", () => {
    const { usernsOptions } = namespacesOf({ spec: {} } as unknown as Pod, {
      users: { hostId: 65_536, length: 65_536 },
    });
    const mapping = [{ containerId: 0, hostId: 65_536, length: 65_536 }];
    expect(usernsOptions).toEqual({ mode: "POD", uids: mapping, gids: mapping });
  });

  it("let a container see the processes of another", () => {
    expect(namespacesOf({ spec: {} } as unknown as Pod, { targetId: "x" })).toMatchObject({
      pid: "TARGET",
      targetId: "x",
    });
  });
});
