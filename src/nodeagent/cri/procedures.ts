// The procedures of the container runtime interface, v1, that the agent calls: one table for its client and for runtimes
// that tests play.

import { serviceMethods } from "../grpc/method.ts";
import * as container from "./container-messages.ts";
import * as image from "./image-messages.ts";
import * as runtime from "./runtime-messages.ts";
import * as sandbox from "./sandbox-messages.ts";
import * as stats from "./stats-messages.ts";

const runtimeService = serviceMethods("runtime.v1.RuntimeService");
const imageService = serviceMethods("runtime.v1.ImageService");
const { unary } = runtimeService;
const { nothing } = runtime;

export const runtimeProcedures = {
  version: unary("Version", runtime.versionRequest, runtime.versionResponse),
  status: unary("Status", runtime.statusRequest, runtime.statusResponse),
  runtimeConfig: unary("RuntimeConfig", nothing, runtime.runtimeConfigResponse),
  updateRuntimeConfig: unary("UpdateRuntimeConfig", runtime.updateRuntimeConfigRequest, nothing),

  runPodSandbox: unary("RunPodSandbox", sandbox.runPodSandboxRequest, sandbox.podSandboxId),
  stopPodSandbox: unary("StopPodSandbox", sandbox.podSandboxId, nothing),
  removePodSandbox: unary("RemovePodSandbox", sandbox.podSandboxId, nothing),
  podSandboxStatus: unary("PodSandboxStatus", sandbox.podSandboxStatusRequest, sandbox.podSandboxStatusResponse),
  listPodSandbox: unary("ListPodSandbox", sandbox.listPodSandboxRequest, sandbox.listPodSandboxResponse),
  updatePodSandboxResources: unary("UpdatePodSandboxResources", sandbox.updatePodSandboxResourcesRequest, nothing),

  createContainer: unary("CreateContainer", runtime.createContainerRequest, container.containerId),
  startContainer: unary("StartContainer", container.containerId, nothing),
  stopContainer: unary("StopContainer", container.stopContainerRequest, nothing),
  removeContainer: unary("RemoveContainer", container.containerId, nothing),
  listContainers: unary("ListContainers", container.listContainersRequest, container.listContainersResponse),
  containerStatus: unary("ContainerStatus", container.containerStatusRequest, container.containerStatusResponse),
  updateContainerResources: unary("UpdateContainerResources", container.updateContainerResourcesRequest, nothing),
  reopenContainerLog: unary("ReopenContainerLog", container.containerId, nothing),
  checkpointContainer: unary("CheckpointContainer", container.checkpointContainerRequest, nothing),

  execSync: unary("ExecSync", container.execSyncRequest, container.execSyncResponse),
  exec: unary("Exec", container.execRequest, runtime.streamUrl),
  attach: unary("Attach", container.attachRequest, runtime.streamUrl),
  portForward: unary("PortForward", sandbox.portForwardRequest, runtime.streamUrl),

  containerStats: unary("ContainerStats", container.containerId, stats.containerStatsResponse),
  listContainerStats: unary("ListContainerStats", stats.listContainerStatsRequest, stats.listContainerStatsResponse),
  podSandboxStats: unary("PodSandboxStats", sandbox.podSandboxId, stats.podSandboxStatsResponse),
  listPodSandboxStats: unary(
    "ListPodSandboxStats",
    stats.listPodSandboxStatsRequest,
    stats.listPodSandboxStatsResponse,
  ),
} as const;

export const imageProcedures = {
  listImages: imageService.unary("ListImages", image.listImagesRequest, image.listImagesResponse),
  imageStatus: imageService.unary("ImageStatus", image.imageStatusRequest, image.imageStatusResponse),
  pullImage: imageService.unary("PullImage", image.pullImageRequest, image.pullImageResponse),
  removeImage: imageService.unary("RemoveImage", image.removeImageRequest, nothing),
  imageFsInfo: imageService.unary("ImageFsInfo", nothing, image.imageFsInfoResponse),
} as const;

/** What of the lists changes by itself: asked for again and again, and a tenth of the work to read. */
export const stateProcedures = {
  listPodSandbox: unary("ListPodSandbox", sandbox.listPodSandboxRequest, sandbox.sandboxStates),
  listContainers: unary("ListContainers", container.listContainersRequest, container.containerStates),
} as const;

/** Not every runtime has it: those fail with Unimplemented. */
export const containerEvents = runtimeService.stream("GetContainerEvents", nothing, runtime.containerEvent);
