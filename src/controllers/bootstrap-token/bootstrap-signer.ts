// Controller: signs the public ConfigMap `cluster-info` with every bootstrap token that is meant for it, so that whoever
// has a token can tell that what it says comes from this cluster. Requirements: document 2, "Bootstrap tokens".

import { cloneJson } from "../../base/json.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { detachedSignature, msUntilExpiry, signingToken } from "./bootstrap-token.ts";

const NAME = "cluster-info";
const CONTENT = "kubeconfig";
const SIGNATURE_PREFIX = "jws-kubeconfig-";

export const bootstrapSigner: ControllerDefinition = {
  name: "bootstrap-signer-controller",
  aliases: ["bootstrapsigner"],
  account: "bootstrap-signer",
  offByDefault: true,
  build({ client, informers, names, clock }) {
    const { systemNamespace, publicNamespace, bootstrapTokenType } = names;
    const tokens = informers.of(kinds.core.v1.secrets, {
      namespace: systemNamespace,
      fieldSelector: `type=${bootstrapTokenType}`,
    });
    const infos = informers.of(kinds.core.v1.configMaps, {
      namespace: publicNamespace,
      fieldSelector: `metadata.name=${NAME}`,
    });
    return {
      watch(queue) {
        const add = () => queue.add(NAME);
        tokens.addHandlers({ added: add, updated: add, deleted: add });
        infos.addHandlers({ added: add, updated: add, deleted: add });
      },
      async reconcile() {
        const info = infos.cache.get({ namespace: publicNamespace, name: NAME });
        const content = info?.data?.[CONTENT];
        if (info === undefined || content === undefined) return done;
        const nowMs = clock.nowMs();
        const wanted = new Map<string, string>(
          tokens.cache.list().flatMap((secret) => {
            const token = signingToken(names, secret, nowMs);
            return token === undefined
              ? []
              : [[`${SIGNATURE_PREFIX}${token.id}`, detachedSignature(names, content, token)] as const];
          }),
        );
        const data = info.data ?? {};
        const stale = Object.keys(data).filter((key) => key.startsWith(SIGNATURE_PREFIX) && !wanted.has(key));
        const changed = [...wanted].filter(([key, value]) => data[key] !== value);
        if (stale.length > 0 || changed.length > 0) {
          const kept = Object.entries(data).filter(([key]) => !stale.includes(key));
          const signed = { ...cloneJson(info), data: { ...Object.fromEntries(kept), ...Object.fromEntries(changed) } };
          // Its role lets it update, not patch.
          await client.core.v1.configMaps(publicNamespace).update(signed);
        }
        let nextMs = Number.POSITIVE_INFINITY;
        for (const secret of tokens.cache.list()) {
          const leftMs = msUntilExpiry(secret, nowMs) ?? 0;
          if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        }
        return Number.isFinite(nextMs) ? againAfterMs(nextMs) : done;
      },
    };
  },
};
