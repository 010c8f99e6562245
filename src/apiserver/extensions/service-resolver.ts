// Where a Service can be reached from here, for webhooks that are named by one.

import type { ServiceResolver } from "../../client/webhook-client.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { Catalog } from "../registry/catalog.ts";

export function serviceResolver(catalog: Catalog): ServiceResolver {
  return async (namespace, name, port) => {
    const store = catalog.find("", "v1", "services")?.store;
    const entry = await store?.get(store.keyOf(namespace, name));
    if (store === undefined || entry === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { spec } = store.decode(entry) as unknown as Service;
    if (spec.type === "ExternalName") return { host: spec.externalName ?? "", port };
    const offered = (spec.ports ?? []).some((each) => each.port === port);
    if (!offered) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    if (!spec.clusterIP || spec.clusterIP === "None")
      throw new Error(`service ${JSON.stringify(name)} has no cluster address`);
    return { host: spec.clusterIP, port };
  };
}
