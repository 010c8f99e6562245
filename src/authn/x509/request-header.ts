// The authenticating proxy: a trusted client that names the user in headers. Requirements: document 2,
// "Authenticating proxy".

import { setKey } from "../../base/json.ts";
import type { HeaderList } from "../../http/message.ts";
import { extraKey } from "../../meta/user.ts";
import type { Authenticator } from "../authenticator.ts";
import { NO_CREDENTIALS } from "../authenticator.ts";
import type { CertificateAuthorities } from "./certificate-authorities.ts";

interface RequestHeaderOptions {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** Common names that the proxy's certificate may have; any when empty. */
  readonly allowedNames: readonly string[];
}

export function requestHeaders(authorities: CertificateAuthorities, options: RequestHeaderOptions): Authenticator {
  const lower = (words: readonly string[]) =>
    words.map((word) => word.trim().toLowerCase()).filter((word) => word !== "");
  const usernameHeaders = lower(options.usernameHeaders);
  const uidHeaders = lower(options.uidHeaders);
  const groupHeaders = lower(options.groupHeaders);
  const prefixes = lower(options.extraHeaderPrefixes);
  return {
    authenticate(request) {
      const proxy = authorities.verify(request);
      if (proxy === undefined) return NO_CREDENTIALS;
      if (!proxy.trusted) return { result: "refused", error: proxy.problem };
      const commonName = proxy.subject.commonNames.at(-1) ?? "";
      if (options.allowedNames.length > 0 && !options.allowedNames.includes(commonName)) {
        return {
          result: "refused",
          error: `the proxy's certificate has the common name ${JSON.stringify(commonName)}, which is not allowed`,
        };
      }
      const { headers } = request;
      const name = firstValue(headers, usernameHeaders);
      if (name === undefined) return NO_CREDENTIALS;
      const uid = firstValue(headers, uidHeaders);
      const extra = extraOf(headers, prefixes);
      return {
        result: "user",
        user: {
          name,
          ...(uid === undefined ? {} : { uid }),
          groups: groupHeaders.flatMap((header) => headers.all(header)).filter((group) => group !== ""),
          ...(extra === undefined ? {} : { extra }),
        },
      };
    },
  };
}

function firstValue(headers: HeaderList, names: readonly string[]): string | undefined {
  for (const name of names) {
    // Of repeated lines the first counts: joined they would be a name that nobody has.
    const [value = ""] = headers.all(name);
    if (value !== "") return value;
  }
  return undefined;
}

function extraOf(headers: HeaderList, prefixes: readonly string[]): Record<string, string[]> | undefined {
  let extra: Record<string, string[]> | undefined;
  for (const prefix of prefixes) {
    for (const name of headers.namesWithPrefix(prefix)) {
      extra ??= Object.create(null) as Record<string, string[]>;
      const key = extraKey(name.slice(prefix.length));
      setKey(extra, key, [...(extra[key] ?? []), ...headers.all(name)]);
    }
  }
  return extra;
}
