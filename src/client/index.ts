// The package `plinth/client`: what operators and tools are built with.

export type { Clock, Timer } from "../base/clock.ts";
export type { Draft } from "../kinds/define-kind.ts";
export type { Dialect, Names } from "../meta/names.ts";
export type { ApiObject, ObjectKey, ObjectMeta, OwnerReference } from "../meta/object.ts";
export { ApiError, isApiError } from "./api-error.ts";
export { kinds } from "./built-in-kinds.ts";
export { Client } from "./client.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export * from "./controller.ts";
export {
  type CustomKind,
  type CustomKindDeclaration,
  type CustomObject,
  defineKind,
  type FromSchema,
  type InstallableKind,
  type JsonSchema,
  kindOfDefinition,
} from "./custom-kind.ts";
export {
  apiVersionOf,
  type DiscoveredResource,
  type Discovery,
  discover,
  findKind,
  findResource,
  pathOf,
} from "./discovery.ts";
export { EventRecorder, type EventRecorderOptions, type Report } from "./event-recorder.ts";
export { Expectations } from "./expectations.ts";
export { type HttpsLimits, HttpsTransport, type HttpsTransportOptions } from "./https-transport.ts";
export { byController, byLabel, byOwner } from "./indexes.ts";
export {
  type IndexFunction,
  type Informer,
  type InformerHandlers,
  type InformerOptions,
  keyOf,
  keyText,
  type ObjectReader,
  parseKeyText,
} from "./informer.ts";
export { type Connection, KubeconfigError } from "./kubeconfig.ts";
export { LeaderElection, type LeaderElectionOptions, LeadershipLost, type Term } from "./leader-election.ts";
export { type ConnectionOptions, loadConnection } from "./load-connection.ts";
export { type ClientOptions, type NamedResource, ResourceClient } from "./resource-client.ts";
export type { ContainerSession } from "./resources/container-session.ts";
export type { Change } from "./resources/follow-resource.ts";
export type { ListOptions, ListPage, ObjectList } from "./resources/list-objects.ts";
export type { PodResource } from "./resources/pod-resource.ts";
export type { ForwardedPort } from "./resources/port-forward.ts";
export type { Resource } from "./resources/resource.ts";
export type { ApiKind, ObjectOfKind, Stored } from "./resources/resource-type.ts";
export type { ServiceAccountResource } from "./resources/service-account-resource.ts";
export type { Subresource } from "./resources/subresource.ts";
export { type WaitOptions, WaitTimeout } from "./resources/wait-for-object.ts";
export type { ApplyOptions, DeleteOptions, MergePatch, Patch, WriteOptions } from "./resources/write-options.ts";
export { SharedInformers } from "./shared-informers.ts";
export { type ApiRequest, type ApiResponse, type ApiSocket, type Transport, TransportError } from "./transport.ts";
export {
  type AdmissionRequest,
  converting,
  type Denial,
  mutating,
  serveWebhooks,
  validating,
  type WebhookDeclaration,
  type WebhookServer,
  type WebhookServerOptions,
} from "./webhook-server.ts";
export { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";
