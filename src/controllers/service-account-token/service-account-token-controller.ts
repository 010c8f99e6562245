// Controller: fills Secrets of the service account token type with a token that does not expire, deletes them with
// their account, and takes those that are gone out of its list. Requirements: document 2, "Methods".

import { cloneJson } from "../../base/json.ts";
import { signText } from "../../base/jwt-signature.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import { parseSigningKey, type SigningKey } from "../../base/signing-keys.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, parseKeyText } from "../../client/informer.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { type AccountIdentity, judgeSecret, legacyClaims } from "./token-secret.ts";

const BY_ACCOUNT = "service-account";
const BY_LISTED_SECRET = "listed-secret";

export const serviceAccountTokenController: ControllerDefinition = {
  name: "serviceaccount-token-controller",
  aliases: ["serviceaccount-token"],
  workers: ({ concurrentServiceaccountTokenSyncs }) => concurrentServiceaccountTokenSyncs,
  missing: ({ serviceAccountPrivateKeyFile }) =>
    serviceAccountPrivateKeyFile === undefined ? "--service-account-private-key-file" : undefined,
  build({ client, informers, names, options }) {
    const accountKey = (namespace: string, name: string) => `${namespace}/${name}`;
    const secrets = informers.of(kinds.core.v1.secrets, {
      fieldSelector: `type=${names.serviceAccountTokenType}`,
      indexes: {
        [BY_ACCOUNT]: ({ metadata: { namespace = "", annotations } }) => {
          const name = annotations?.[names.serviceAccountNameAnnotation];
          return name === undefined ? [] : [accountKey(namespace, name)];
        },
      },
    });
    const accounts = informers.of(kinds.core.v1.serviceAccounts, {
      indexes: {
        [BY_LISTED_SECRET]: ({ metadata: { namespace = "" }, secrets: listed = [] }) =>
          listed.flatMap(({ name }) => (name === undefined ? [] : [keyText({ namespace, name })])),
      },
    });
    let key: SigningKey | undefined;
    let caPem: string | undefined;

    /** Accounts list their Secrets by name: one that is gone must not give its place to another of its name. */
    async function unlist(secretKey: string): Promise<void> {
      const listing = accounts.cache.byIndex(BY_LISTED_SECRET, secretKey);
      const { namespace, name } = parseKeyText(secretKey);
      if (listing.length === 0 || (await client.core.v1.secrets(namespace).find(name)) !== undefined) return;
      for (const { metadata } of listing)
        try {
          await client.core.v1.serviceAccounts(namespace).modify(metadata.name, (changed) => {
            changed.secrets = (changed.secrets ?? []).filter((listed) => listed.name !== name);
          });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
    }

    return {
      watch(queue) {
        secrets.addHandlers(enqueueItself(queue));
        const addSecrets = ({ metadata }: { metadata: { namespace?: string; name: string } }) => {
          const of = accountKey(metadata.namespace ?? "", metadata.name);
          for (const secret of secrets.cache.byIndex(BY_ACCOUNT, of)) queue.add(keyText(keyOf(secret)));
        };
        accounts.addHandlers({ added: addSecrets, updated: addSecrets, deleted: addSecrets });
      },
      async start() {
        key = parseSigningKey((await readSmallFile(options.serviceAccountPrivateKeyFile ?? "")).toString("utf8"));
        caPem =
          options.rootCaFile === undefined ? undefined : (await readSmallFile(options.rootCaFile)).toString("utf8");
      },
      async reconcile(secretKey) {
        const secret = secrets.cache.get(secretKey);
        if (secret === undefined) await unlist(secretKey);
        const accountName = secret?.metadata.annotations?.[names.serviceAccountNameAnnotation];
        if (secret === undefined || accountName === undefined) return done;
        const { namespace = "", name, uid } = secret.metadata;
        const known = accounts.cache.get({ namespace, name: accountName });
        const account: AccountIdentity | undefined =
          known === undefined ? undefined : { name: accountName, uid: known.metadata.uid };
        let verdict = judgeSecret(names, secret, account, caPem);
        if (verdict.type === "keep") return done;
        const live = client.core.v1.secrets(namespace);
        if (verdict.type === "delete") {
          // The cache may be behind: nothing is deleted for an account that has just been made.
          const newest = await client.core.v1.serviceAccounts(namespace).find(accountName);
          const identity = newest === undefined ? undefined : { name: accountName, uid: newest.metadata.uid };
          verdict = judgeSecret(names, secret, identity, caPem);
          if (verdict.type !== "delete") return done;
          try {
            await live.delete(name, { preconditions: { uid } });
          } catch (error) {
            if (!isApiError(error, "NotFound", "Conflict")) throw error;
          }
          return done;
        }
        const token = verdict.token ? await signedToken(key!, legacyClaims(names, secret, account!)) : undefined;
        const changed = cloneJson(secret);
        changed.metadata.annotations = {
          ...changed.metadata.annotations,
          [names.serviceAccountUidAnnotation]: account!.uid,
        };
        changed.data = {
          ...changed.data,
          namespace: changed.data?.["namespace"] || Buffer.from(namespace).toString("base64"),
          ...(caPem === undefined ? {} : { "ca.crt": Buffer.from(caPem).toString("base64") }),
          ...(token === undefined ? {} : { token: Buffer.from(token).toString("base64") }),
        };
        // With its version: one of the same name that names another account by now must not get this token.
        await live.update(changed);
        return done;
      },
    };
  },
};

async function signedToken(key: SigningKey, claims: Record<string, string>): Promise<string> {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
  return `${text}.${(await signText(text, key.algorithm, key.privateKey)).toString("base64url")}`;
}
