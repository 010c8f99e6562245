// Keys, certificates, tokens, issuers and requests for the tests of authentication.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FakeClock } from "../base/clock.ts";
import { algorithmOf, signText } from "../base/jwt-signature.ts";
import { inProcessRequest } from "../http/in-process.ts";
import type { ShownCertificate } from "../http/message.ts";
import { type CertificateRequest, issueCertificate, type KeyedCertificate } from "../http/pki/issue-certificate.ts";
import { bodyOf, startTlsServer } from "../http/tls-server.testing.ts";
import type { CredentialRequest } from "./authenticator.ts";

const HOUR_MS = 3_600_000;

export interface TestAuthority extends KeyedCertificate {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

export async function makeAuthority(commonName: string, issuer?: TestAuthority): Promise<TestAuthority> {
  const made = await issueCertificate(certificateRequest({ use: "authority", subject: { commonName } }), issuer);
  return { ...made, certificate: new X509Certificate(made.certificatePem), key: createPrivateKey(made.keyPem) };
}

interface LeafRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly use?: "client" | "server";
  readonly fromMs?: number;
  readonly untilMs?: number;
}

export async function makeLeaf(
  authority: TestAuthority,
  leaf: LeafRequest,
): Promise<KeyedCertificate & { der: Buffer }> {
  const { commonName, organizations = [], use = "client" } = leaf;
  const made = await issueCertificate(
    certificateRequest({
      use,
      subject: { commonName, organizations },
      ...(use === "server" ? { names: ["localhost", "127.0.0.1"] } : {}),
      ...(leaf.fromMs === undefined ? {} : { notBeforeMs: leaf.fromMs }),
      ...(leaf.untilMs === undefined ? {} : { notAfterMs: leaf.untilMs }),
    }),
    authority,
  );
  return { ...made, der: new X509Certificate(made.certificatePem).raw };
}

function certificateRequest(
  request: Partial<CertificateRequest> & Pick<CertificateRequest, "subject" | "use">,
): CertificateRequest {
  return { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS, ...request };
}

/** A request as authentication sees it. */
export function credentials(
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  clientCertificate?: ShownCertificate,
  path = "/api",
): CredentialRequest & { warnings: string[] } {
  const request = inProcessRequest({
    method: "GET",
    url: path,
    headers,
    ...(clientCertificate && { clientCertificate }),
  });
  return Object.assign(request, { warnings: [] });
}

export async function signJwt(
  claims: Readonly<Record<string, unknown>>,
  key: KeyObject,
  header: { readonly alg?: string; readonly kid?: string } = {},
): Promise<string> {
  const algorithm = header.alg ?? algorithmOf(key) ?? "";
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ ...header, alg: algorithm })}.${encode(claims)}`;
  return `${text}.${(await signText(text, algorithm, key)).toString("base64url")}`;
}

export const rsaKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
export const ecKeys = (namedCurve = "P-256") => generateKeyPairSync("ec", { namedCurve });

export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A TLS server; `answer` gives the JSON of a path and body, undefined for 404, a number for that status. */
export async function tlsServer(
  authority: TestAuthority,
  answer: (path: string, body: unknown) => unknown,
): Promise<TestServer> {
  const leaf = await makeLeaf(authority, { commonName: "localhost", use: "server" });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    const value = await answer(request.url ?? "/", text === "" ? undefined : JSON.parse(text));
    if (value === undefined || typeof value === "number") {
      response.writeHead(value ?? 404).end();
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  };
  const { port, close } = await startTlsServer((...exchange) => void handle(...exchange), { certificate: leaf });
  return { url: `https://localhost:${port}`, close };
}

export interface TestIssuer extends TestServer {
  /** What it publishes. */
  keys: Record<string, unknown>[];
  /** The issuer that its discovery document names, where that is not its own URL. */
  named: string | undefined;
  /** Paths that were asked for. */
  readonly asked: string[];
}

export async function openIdIssuer(authority: TestAuthority): Promise<TestIssuer> {
  const issuer = {
    keys: [] as Record<string, unknown>[],
    named: undefined as string | undefined,
    asked: [] as string[],
  };
  const server: TestServer = await tlsServer(authority, (path) => {
    issuer.asked.push(path);
    if (path === "/.well-known/openid-configuration") {
      return { issuer: issuer.named ?? server.url, jwks_uri: `${server.url}/keys` };
    }
    return path === "/keys" ? { keys: issuer.keys } : undefined;
  });
  return Object.assign(issuer, server);
}

/** A key as an issuer publishes it. Read back from its text first: see `temporarySigningKey`. */
export function jwk(key: KeyObject, kid: string): Record<string, unknown> {
  const again = createPublicKey(key.export({ type: "spki", format: "pem" }));
  return { ...again.export({ format: "jwk" }), kid, use: "sig" };
}

/** Resolves when the condition holds; fails after some seconds. The clock, if there is one, goes on meanwhile. */
export async function until(condition: () => boolean | Promise<boolean>, clock?: FakeClock): Promise<void> {
  const endMs = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > endMs) throw new Error("the condition did not come true");
    await clock?.advance(20);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
