import { expect, it } from "vitest";
import { podFromTemplate, podNamePrefix } from "./pod-from-template.ts";

const owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "1", creationTimestamp: "" },
};

it("has what the template says, its owner, and the beginning of a name", () => {
  const template = {
    metadata: { labels: { app: "web" }, annotations: { a: "b" }, finalizers: ["x/y"], name: "ignored" },
    spec: { containers: [{ name: "c", image: "i", resources: {} }] },
  };
  const pod = podFromTemplate(template, owner);
  expect(pod).toEqual({
    metadata: {
      generateName: "web-",
      labels: { app: "web" },
      annotations: { a: "b" },
      finalizers: ["x/y"],
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: "u",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: template.spec,
  });
  pod.metadata.labels["app"] = "changed";
  pod.spec.containers![0]!.image = "changed";
  expect([template.metadata.labels.app, template.spec.containers[0]!.image]).toEqual(["web", "i"]);
});

it.each([
  ["web", "web-"],
  ["web.v1", "web.v1-"],
  ["odd:name", "odd:name"],
])("pods of %s begin with %s", (name, prefix) => {
  expect(podNamePrefix(name)).toBe(prefix);
});
