// The methods that look at client certificates: the authenticating proxy, then certificates of users.

import type { X509Certificate } from "node:crypto";
import { StartError } from "../base/start-error.ts";
import type { StartFiles } from "../base/start-files.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuthenticationMetrics } from "./authentication-metrics.ts";
import type { AuthenticationParts } from "./authentication-parts.ts";
import type { Authenticator } from "./authenticator.ts";
import { checkApart } from "./x509/authorities-apart.ts";
import {
  type AuthorityBundle,
  type FollowedAuthorities,
  followAuthorities,
  readAuthorityBundle,
} from "./x509/authority-file.ts";
import { parseCertificates } from "./x509/certificate-authorities.ts";
import { clientCertificates } from "./x509/client-certificate.ts";
import { requestHeaders } from "./x509/request-header.ts";

/** The flags that certificates are judged by. */
type CertificateOptions = Pick<
  ApiServerOptions,
  | "clientCaFile"
  | "requestheaderClientCaFile"
  | "requestheaderAllowedNames"
  | "requestheaderUsernameHeaders"
  | "requestheaderUidHeaders"
  | "requestheaderGroupHeaders"
  | "requestheaderExtraHeadersPrefix"
>;

/** Authorities of users and of authenticating proxies. */
export interface CertificateSources {
  readonly clientBundle: AuthorityBundle | undefined;
  readonly proxyBundle: AuthorityBundle | undefined;
}

/** `ownClientCaPem`: an authority of our own beside --client-ca-file. Fails with StartError. */
export function readCertificateSources(
  options: CertificateOptions,
  ownClientCaPem?: string,
  startFiles?: StartFiles,
): CertificateSources {
  const { clientCaFile, requestheaderClientCaFile } = options;
  const clientBundle = readAuthorityBundle("client-ca-file", clientCaFile, ownClientCaPem, startFiles);
  const proxyBundle = readAuthorityBundle("requestheader-client-ca-file", requestheaderClientCaFile, "", startFiles);
  if (clientBundle !== undefined && proxyBundle !== undefined)
    checkBundles(clientBundle, proxyBundle, options.requestheaderAllowedNames);
  return { clientBundle, proxyBundle };
}

function checkBundles(client: AuthorityBundle, proxy: AuthorityBundle, allowedNames: readonly string[]): void {
  try {
    checkApart(parseCertificates(proxy.pem), parseCertificates(client.pem), allowedNames);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

export interface CertificateMethods {
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
  options: CertificateOptions,
  { names, clock, log, gateEnabled }: Pick<AuthenticationParts, "names" | "clock" | "log" | "gateEnabled">,
  { proxyBundle, clientBundle }: CertificateSources,
  metrics?: AuthenticationMetrics,
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
