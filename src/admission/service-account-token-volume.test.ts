import { expect, it } from "vitest";
import type { Pod } from "../kinds/core/pod.ts";
import { namesFor } from "../meta/names.ts";
import { mountToken } from "./service-account-token-volume.ts";

interface Container {
  readonly name: string;
  readonly volumeMounts?: { name: string; mountPath: string }[];
}

it("containers that come later share the volume that is there", () => {
  const names = namesFor("kubernetes");
  const [first, init, later]: Container[] = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const spec = { containers: [first], initContainers: [] as unknown[], volumes: [] as { name: string }[] };
  let suffix = 0;
  const mount = () => mountToken(names, { metadata: {}, spec } as unknown as Pod, () => `x${++suffix}`);
  mount();
  spec.containers.push(later);
  spec.initContainers.push(init);
  mount();
  expect(spec.volumes.map(({ name }) => name)).toEqual(["kube-api-access-x1"]);
  const mounted = [first, init, later].map((container) => container?.volumeMounts?.map(({ name }) => name));
  expect(mounted).toEqual([["kube-api-access-x1"], ["kube-api-access-x1"], ["kube-api-access-x1"]]);
});
