// Messages and procedures of storage drivers on the node: the Node service of the container storage interface, v1.

import { message, p, type Read, type Write } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";

export type NodeInfo = Read<typeof nodeInfo>;
export type VolumeCapability = Write<typeof volumeCapability>;
export type PublishRequest = Write<typeof publishRequest>;
export type ExpandRequest = Write<typeof expandRequest>;
export type StatsAnswer = Read<typeof statsAnswer>;
export type StageRequest = Write<typeof stageRequest>;
export type DriverCapability = (typeof CAPABILITIES)[number];

const ACCESS_MODES = [
  "UNKNOWN",
  "SINGLE_NODE_WRITER",
  "SINGLE_NODE_READER_ONLY",
  "MULTI_NODE_READER_ONLY",
  "MULTI_NODE_SINGLE_WRITER",
  "MULTI_NODE_MULTI_WRITER",
  "SINGLE_NODE_SINGLE_WRITER",
  "SINGLE_NODE_MULTI_WRITER",
] as const;
export type CsiAccessMode = (typeof ACCESS_MODES)[number];

const CAPABILITIES = [
  "UNKNOWN",
  "STAGE_UNSTAGE_VOLUME",
  "GET_VOLUME_STATS",
  "EXPAND_VOLUME",
  "VOLUME_CONDITION",
  "SINGLE_NODE_MULTI_WRITER",
  "VOLUME_MOUNT_GROUP",
] as const;

const nothing = message({});

const volumeCapability = message({
  block: p.message(1, nothing),
  mount: p.message(2, message({ fsType: p.string(1), mountFlags: p.many(p.string(2)), volumeMountGroup: p.string(3) })),
  accessMode: p.message(3, message({ mode: p.enumOf(1, ACCESS_MODES) })),
});

const stageRequest = message({
  volumeId: p.string(1),
  publishContext: p.map(2),
  stagingTargetPath: p.string(3),
  volumeCapability: p.message(4, volumeCapability),
  secrets: p.map(5),
  volumeContext: p.map(6),
});

const publishRequest = message({
  volumeId: p.string(1),
  publishContext: p.map(2),
  stagingTargetPath: p.string(3),
  targetPath: p.string(4),
  volumeCapability: p.message(5, volumeCapability),
  readonly: p.bool(6),
  secrets: p.map(7),
  volumeContext: p.map(8),
});

const expandRequest = message({
  volumeId: p.string(1),
  volumePath: p.string(2),
  capacityRange: p.message(3, message({ requiredBytes: p.int64(1) })),
  stagingTargetPath: p.string(4),
  volumeCapability: p.message(5, volumeCapability),
  secrets: p.map(6),
});

const USAGE_UNITS = ["UNKNOWN", "BYTES", "INODES"] as const;
const statsAnswer = message({
  usage: p.many(
    p.message(
      1,
      message({ available: p.int64(1), total: p.int64(2), used: p.int64(3), unit: p.enumOf(4, USAGE_UNITS) }),
    ),
  ),
});

const nodeInfo = message({
  nodeId: p.string(1),
  maxVolumesPerNode: p.int64(2),
  accessibleTopology: p.message(3, message({ segments: p.map(1) })),
});

const capability = message({ rpc: p.message(1, message({ type: p.enumOf(1, CAPABILITIES) })) });
const { unary } = serviceMethods("csi.v1.Node");

export const csiProcedures = {
  info: unary("NodeGetInfo", nothing, nodeInfo),
  capabilities: unary("NodeGetCapabilities", nothing, message({ capabilities: p.many(p.message(1, capability)) })),
  stage: unary("NodeStageVolume", stageRequest, nothing),
  unstage: unary("NodeUnstageVolume", message({ volumeId: p.string(1), stagingTargetPath: p.string(2) }), nothing),
  publish: unary("NodePublishVolume", publishRequest, nothing),
  unpublish: unary("NodeUnpublishVolume", message({ volumeId: p.string(1), targetPath: p.string(2) }), nothing),
  expand: unary("NodeExpandVolume", expandRequest, message({ capacityBytes: p.int64(1) })),
  stats: unary(
    "NodeGetVolumeStats",
    message({ volumeId: p.string(1), volumePath: p.string(2), stagingTargetPath: p.string(3) }),
    statsAnswer,
  ),
} as const;
