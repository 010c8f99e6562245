// The methods that look at client certificates: the authenticating proxy, then certificates of users.

import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuthenticationMetrics } from "./authentication-metrics.ts";
import type { AuthenticationSources } from "./authentication-sources.ts";
import type { Authenticator } from "./authenticator.ts";
import type { AuthenticationParts } from "./build-authenticator.ts";
import { followAuthorities } from "./x509/authority-file.ts";
import { clientCertificates } from "./x509/client-certificate.ts";
import { requestHeaders } from "./x509/request-header.ts";

export interface CertificateMethods {
  readonly methods: readonly Authenticator[];
  close(): void;
}

export function certificateMethods(
  options: ApiServerOptions,
  { names, clock, log, gateEnabled }: AuthenticationParts,
  { proxyBundle, clientBundle }: AuthenticationSources,
  metrics: AuthenticationMetrics | undefined,
): CertificateMethods {
  const proxy = proxyBundle && followAuthorities(proxyBundle, clock, log);
  const client = clientBundle && followAuthorities(clientBundle, clock, log);
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
    close() {
      proxy?.close();
      client?.close();
    },
  };
}
