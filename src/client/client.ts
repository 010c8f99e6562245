// The client with every built-in group and its types: `client.core.v1.pods("shop").get("web")`.

import { kinds } from "./built-in-kinds.ts";
import { type ClientOptions, ResourceClient } from "./resource-client.ts";
import { PodResource } from "./resources/pod-resource.ts";
import type { RequestSender } from "./resources/request-sender.ts";
import { Resource } from "./resources/resource.ts";
import { type BuiltInKind, type ObjectOfKind, resourceTypeOf } from "./resources/resource-type.ts";
import { ServiceAccountResource } from "./resources/service-account-resource.ts";

type Groups = typeof kinds;

/** The objects of a kind; without a namespace, those of all namespaces. */
type Accessor<Name, K> = K extends { readonly scope: "Cluster" }
  ? () => Resource<ObjectOfKind<K>>
  : (namespace?: string) => Name extends keyof SpecialResources ? SpecialResources[Name] : Resource<ObjectOfKind<K>>;

/** Resources with methods of their own. */
interface SpecialResources {
  readonly pods: PodResource;
  readonly serviceAccounts: ServiceAccountResource;
}

type TypedGroups = {
  readonly [G in keyof Groups]: {
    readonly [V in keyof Groups[G]]: {
      readonly [K in keyof Groups[G][V]]: Accessor<K, Groups[G][V][K]>;
    };
  };
};

interface TypedClient extends ResourceClient, TypedGroups {}

/** Connects nothing by itself: the transport is given. */
export const Client = class Client extends ResourceClient {
  static {
    const groups: AnyGroups = kinds;
    for (const [name, versions] of Object.entries(groups)) {
      Object.defineProperty(Client.prototype, name, {
        // Made when somebody asks: components have a client each, and use a few kinds.
        get(this: Client) {
          const value = typedVersions(this.sender, versions);
          Object.defineProperty(this, name, { value });
          return value;
        },
      });
    }
  }
} as unknown as new (
  options: ClientOptions,
) => TypedClient;

export type Client = TypedClient;

function typedVersions(sender: RequestSender, versions: AnyGroups[string]): object {
  return mapValues(versions, (resources) => mapValues(resources, (kind) => accessorOf(sender, kind)));
}

/** Group, version, accessor. */
type AnyGroups = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, BuiltInKind<unknown>>>>>>>;

function accessorOf(sender: RequestSender, kind: BuiltInKind<unknown>): (namespace?: string) => unknown {
  const type = resourceTypeOf(kind, sender.names);
  if (kind === kinds.core.v1.pods) return (namespace) => new PodResource(sender, type, namespace);
  if (kind === kinds.core.v1.serviceAccounts) return (namespace) => new ServiceAccountResource(sender, type, namespace);
  return (namespace) => new Resource(sender, type, namespace);
}

function mapValues<V, R>(values: Readonly<Record<string, V>>, map: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
