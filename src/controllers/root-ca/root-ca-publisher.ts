// Controller: every namespace has the authority of the server in a ConfigMap, for what runs there.

import { readSmallFile } from "../../base/read-small-file.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";

const NAME = "kube-root-ca.crt";
const KEY = "ca.crt";

export const rootCaPublisher: ControllerDefinition = {
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  account: "root-ca-cert-publisher",
  missing: ({ rootCaFile }) => (rootCaFile === undefined ? "--root-ca-file" : undefined),
  build({ client, informers, names, options }) {
    const namespaces = informers.of(kinds.core.v1.namespaces);
    const published = informers.of(kinds.core.v1.configMaps, { fieldSelector: `metadata.name=${NAME}` });
    const description = {
      [names.descriptionAnnotation]:
        "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
        `internal service IP or ${names.apiService}.default.svc. No other usage is guaranteed across distributions of ` +
        `${names.productName} clusters.`,
    };
    return {
      watch(queue) {
        namespaces.addHandlers(enqueueItself(queue));
        const add = ({ metadata: { namespace = "" } }: { metadata: { namespace?: string } }) => queue.add(namespace);
        // Also those that others make: a restored namespace brings the authority of another cluster.
        published.addHandlers({ added: add, updated: add, deleted: add });
      },
      async reconcile(name) {
        const namespace = namespaces.cache.get(name);
        if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return done;
        const data = { [KEY]: (await readSmallFile(options.rootCaFile ?? "")).toString("utf8") };
        const maps = client.core.v1.configMaps(name);
        const known = published.cache.get({ namespace: name, name: NAME });
        if (known === undefined) {
          try {
            await maps.create({ metadata: { name: NAME, annotations: description }, data });
          } catch (error) {
            if (!isApiError(error, "AlreadyExists", "NotFound")) throw error;
          }
          return done;
        }
        const same = Object.keys(known.data ?? {}).length === 1 && known.data?.[KEY] === data[KEY];
        if (!same) {
          // Its role lets it write, not read: what it knows is in the cache, and a newer one comes from there.
          const annotations = { ...known.metadata.annotations, ...description };
          await maps.update({ ...known, metadata: { ...known.metadata, annotations }, data });
        }
        return done;
      },
    };
  },
};
