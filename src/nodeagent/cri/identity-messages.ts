// Messages of the container runtime interface, v1: what sandboxes, containers and images are known by.

import { message, p } from "../grpc/message.ts";

export const podSandboxMetadata = message({
  name: p.string(1),
  uid: p.string(2),
  namespace: p.string(3),
  attempt: p.uint32(4),
});

export const containerMetadata = message({ name: p.string(1), attempt: p.uint32(2) });

export const imageSpec = message({
  image: p.string(1),
  annotations: p.map(2),
  userSpecifiedImage: p.string(18),
  runtimeHandler: p.string(19),
  imageRef: p.string(20),
});
