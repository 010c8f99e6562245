// The methods that look at client certificates: the authenticating proxy, then certificates of users.

import type { X509Certificate } from "node:crypto";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuthenticationMetrics } from "./authentication-metrics.ts";
import type { AuthenticationParts } from "./authentication-parts.ts";
import type { AuthenticationSources } from "./authentication-sources.ts";
import type { Authenticator } from "./authenticator.ts";
import { checkApart } from "./x509/authorities-apart.ts";
import { type AuthorityBundle, type FollowedAuthorities, followAuthorities } from "./x509/authority-file.ts";
import { clientCertificates } from "./x509/client-certificate.ts";
import { requestHeaders } from "./x509/request-header.ts";

interface CertificateMethods {
  readonly methods: readonly Authenticator[];
  readonly clientAuthorities: ClientAuthorities;
  close(): void;
}

/** Whose certificates the listener is to ask for and accept. */
export interface ClientAuthorities {
  readonly certificates: readonly X509Certificate[];
  /** Told of every change. */
  onChange: (() => void) | undefined;
}

export function certificateMethods(
  options: ApiServerOptions,
  { names, clock, log, gateEnabled }: AuthenticationParts,
  { proxyBundle, clientBundle }: AuthenticationSources,
  metrics: AuthenticationMetrics | undefined,
): CertificateMethods {
  const clientAuthorities: ClientAuthorities = {
    get certificates() {
      return [...(proxy?.authorities.certificates ?? []), ...(client?.authorities.certificates ?? [])];
    },
    onChange: undefined,
  };
  const follow = (bundle: AuthorityBundle, other: () => FollowedAuthorities | undefined): FollowedAuthorities =>
    followAuthorities(bundle, {
      clock,
      log,
      check: (next) => checkApart(next, other()?.authorities.certificates ?? [], options.requestheaderAllowedNames),
      onChange: () => clientAuthorities.onChange?.(),
    });
  const proxy: FollowedAuthorities | undefined = proxyBundle && follow(proxyBundle, () => client);
  const client: FollowedAuthorities | undefined = clientBundle && follow(clientBundle, () => proxy);
  const methods: Authenticator[] = [];
  if (proxy !== undefined) {
    methods.push(
      requestHeaders(proxy.authorities, {
        usernameHeaders: options.requestheaderUsernameHeaders,
        uidHeaders: gateEnabled("RemoteRequestHeaderUID") ? options.requestheaderUidHeaders : [],
        groupHeaders: options.requestheaderGroupHeaders,
        extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
        allowedNames: options.requestheaderAllowedNames,
      }),
    );
  }
  if (client !== undefined) {
    const withUid = gateEnabled("AllowParsingUserUIDFromCertAuth");
    methods.push(
      clientCertificates(names, client.authorities, {
        withUid,
        ...(metrics === undefined
          ? {}
          : { onShown: (expiresAtMs) => metrics.certificateShown((expiresAtMs - clock.nowMs()) / 1000) }),
      }),
    );
  }
  return {
    methods,
    clientAuthorities,
    close() {
      proxy?.close();
      client?.close();
    },
  };
}
