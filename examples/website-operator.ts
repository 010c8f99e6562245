// A complete operator: a Website becomes a ConfigMap with its page and a Deployment that serves it.
import {
  conditionsSchema,
  defineController,
  defineKind,
  generationChanged,
  kinds,
  ownerReferenceTo,
  setCondition,
} from "plinth/client";

export const website = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Website",
  schema: {
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["html"],
        properties: { html: { type: "string" }, replicas: { type: "integer", default: 1, minimum: 0 } },
      },
      status: { type: "object", properties: { ready: { type: "integer" }, conditions: conditionsSchema } },
    },
  },
});

const [deployments, configMaps] = [kinds.apps.v1.deployments, kinds.core.v1.configMaps];
export const websiteController = defineController({
  name: "example.com/website",
  for: website,
  predicate: generationChanged,
  owns: [deployments, configMaps],
  async reconcile(site, { client, owned, recorder, key }) {
    const labels = { website: key.name };
    const metadata = { name: key.name, labels, ownerReferences: [ownerReferenceTo(site)] };
    const data = { "index.html": site.spec.html };
    await client.resource(configMaps, key.namespace).apply({ metadata, data }, { force: true });
    const volumes = [{ name: "page", configMap: { name: key.name } }];
    const volumeMounts = [{ name: "page", mountPath: "/usr/share/nginx/html" }];
    const podSpec = { containers: [{ name: "web", image: "nginx", volumeMounts }], volumes };
    const template = { metadata: { labels }, spec: podSpec };
    const spec = { replicas: site.spec.replicas, selector: { matchLabels: labels }, template };
    await client.resource(deployments, key.namespace).apply({ metadata, spec }, { force: true });
    const ready = owned(deployments)[0]?.status.readyReplicas ?? 0;
    const serving = ready >= site.spec.replicas;
    if (serving && site.status?.ready !== ready) recorder.normal(site, "Serving", `${ready} replicas serve the page`);
    const [status, reason] = serving ? (["True", "Serving"] as const) : (["False", "Starting"] as const);
    const conditions = setCondition(site.status?.conditions, { type: "Ready", status, reason }, client.clock.nowMs());
    await client.resource(website).status.patch(key, { merge: { status: { ready, conditions } } });
  },
});
