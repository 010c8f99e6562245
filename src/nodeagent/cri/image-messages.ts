// Messages of the container runtime interface, v1: images and the file systems that hold them.

import { message, p, type Read, type Write } from "../grpc/message.ts";
import { imageSpec } from "./identity-messages.ts";
import { podSandboxConfig } from "./sandbox-messages.ts";
import { int64Value, uint64Value } from "./security-messages.ts";

export type Image = Read<typeof image>;
export type AuthConfig = Write<typeof authConfig>;
export type FilesystemUsage = Read<typeof filesystemUsage>;

const image = message({
  id: p.string(1),
  repoTags: p.many(p.string(2)),
  repoDigests: p.many(p.string(3)),
  size: p.uint64(4),
  uid: p.message(5, int64Value),
  username: p.string(6),
  spec: p.message(7, imageSpec),
  pinned: p.bool(8),
});

const authConfig = message({
  username: p.string(1),
  password: p.string(2),
  auth: p.string(3),
  serverAddress: p.string(4),
  identityToken: p.string(5),
  registryToken: p.string(6),
});

export const filesystemUsage = message({
  timestamp: p.int64(1),
  fsId: p.message(2, message({ mountpoint: p.string(1) })),
  usedBytes: p.message(3, uint64Value),
  inodesUsed: p.message(4, uint64Value),
});

export const listImagesRequest = message({ filter: p.message(1, message({ image: p.message(1, imageSpec) })) });
export const listImagesResponse = message({ images: p.many(p.message(1, image)) });
export const imageStatusRequest = message({ image: p.message(1, imageSpec), verbose: p.bool(2) });
export const imageStatusResponse = message({ image: p.message(1, image), info: p.map(2) });
export const pullImageRequest = message({
  image: p.message(1, imageSpec),
  auth: p.message(2, authConfig),
  sandboxConfig: p.message(3, podSandboxConfig),
});
export const pullImageResponse = message({ imageRef: p.string(1) });
export const removeImageRequest = message({ image: p.message(1, imageSpec) });
export const imageFsInfoResponse = message({
  imageFilesystems: p.many(p.message(1, filesystemUsage)),
  containerFilesystems: p.many(p.message(2, filesystemUsage)),
});
