// The server's own keys and certificates: given by files, or made on the first start and kept. Public face of pki/.
//
//   ca.crt ca.key                  the authority of the serving certificate
//   apiserver.crt apiserver.key    the serving certificate
//   client-ca.crt client-ca.key    the authority of the administrator's client certificate
//   admin.crt admin.key            the administrator's client certificate
//   apiserver-kubelet-client.crt .key                  who the server is for the agents of nodes
//   node-NAME.crt .key, node-NAME-server.crt .key      of a node of its own
//   sa.key                         signs service account tokens

import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { systemClock } from "../base/clock.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { issueCertificate, type KeyedCertificate } from "./pki/issue-certificate.ts";
import { asAuthority, BACKDATE_MS, PkiFolder } from "./pki/pki-folder.ts";

export type { KeyedCertificate } from "./pki/issue-certificate.ts";

export interface ServingCertificate extends KeyedCertificate {
  /** The authority that clients must trust, when it is ours. */
  readonly caPem?: string;
}

/** The certificate for these names from the folder; made anew when it is missing, near its end, or lacks a name. */
export async function generatedServingCertificate(dir: string, names: readonly string[]): Promise<ServingCertificate> {
  const folder = new PkiFolder(dir);
  const authority = await folder.authority("ca", "plinth-ca");
  const leaf = await folder.leaf(
    "apiserver",
    { use: "server", subject: { commonName: "plinth-apiserver" }, names },
    authority,
  );
  return { ...leaf, caPem: authority.certificatePem };
}

/** The certificate of a node agent for these names, from the folder: nodeagent.crt and .key, and their own authority. */
export async function generatedAgentCertificate(dir: string, names: readonly string[]): Promise<ServingCertificate> {
  const folder = new PkiFolder(dir);
  const authority = await folder.authority("nodeagent-ca", "plinth-nodeagent-ca");
  const leaf = await folder.leaf(
    "nodeagent",
    { use: "server", subject: { commonName: names[0] ?? "nodeagent" }, names },
    authority,
  );
  return { ...leaf, caPem: authority.certificatePem };
}

/** Paths. */
interface ClientFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface OwnNodeCertificates {
  /** Who the agent of the node is for the API server. */
  readonly client: KeyedCertificate;
  /** Paths: who it is, what it serves with, and whom it believes. */
  readonly files: {
    readonly client: ClientFiles;
    readonly agentCertificate: string;
    readonly agentKey: string;
    readonly agentAuthority: string;
    readonly clientAuthority: string;
  };
}

/** Who the server is for the agents of nodes that believe client-ca.crt; paths, made where they are missing. */
export async function agentCallerCertificate(dir: string): Promise<ClientFiles> {
  const folder = new PkiFolder(dir);
  const authority = await folder.authority("client-ca", "plinth-client-ca");
  const name = "apiserver-kubelet-client";
  const subject = { commonName: "kube-apiserver-kubelet-client", organizations: [SYSTEM_MASTERS] };
  await folder.leaf(name, { use: "client", subject }, authority);
  return filesOf(folder, name);
}

/** The certificates of a node that the server's own authorities vouch for, from the folder. `names[0]` is the node's. */
export async function ownNodeCertificates(
  dir: string,
  names: readonly [string, ...string[]],
  { user, groups }: { readonly user: string; readonly groups: readonly string[] },
): Promise<OwnNodeCertificates> {
  const folder = new PkiFolder(dir);
  const [serving, clients] = [
    await folder.authority("ca", "plinth-ca"),
    await folder.authority("client-ca", "plinth-client-ca"),
  ];
  // By the name of the node: who is called otherwise is somebody else.
  const [agent, self] = [`node-${names[0]}-server`, `node-${names[0]}`];
  await folder.leaf(agent, { use: "server", subject: { commonName: names[0] }, names }, serving);
  const subject = { commonName: user, organizations: groups };
  return {
    client: await folder.leaf(self, { use: "client", subject }, clients),
    files: {
      client: filesOf(folder, self),
      agentCertificate: folder.path(`${agent}.crt`),
      agentKey: folder.path(`${agent}.key`),
      agentAuthority: folder.path("ca.crt"),
      clientAuthority: folder.path("client-ca.crt"),
    },
  };
}

const filesOf = (folder: PkiFolder, name: string): ClientFiles => ({
  certificateFile: folder.path(`${name}.crt`),
  keyFile: folder.path(`${name}.key`),
});

/** A certificate for these names and the authority that signed it, kept in memory only. */
export async function temporaryServingCertificate(
  names: readonly string[],
  { nowMs, lifeMs }: { readonly nowMs: number; readonly lifeMs: number },
): Promise<ServingCertificate & { readonly caPem: string }> {
  const validity = { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + lifeMs };
  const [commonName = "plinth"] = names;
  const authority = await issueCertificate({
    use: "authority",
    subject: { commonName: `${commonName}-ca` },
    ...validity,
  });
  const leaf = await issueCertificate(
    { use: "server", subject: { commonName }, names, ...validity },
    asAuthority(authority),
  );
  return { ...leaf, caPem: authority.certificatePem };
}

/** --tls-cert-file and --tls-private-key-file. */
export function readServingCertificate(
  certificateFile: string,
  keyFile: string,
  read?: ReadFile,
): Promise<ServingCertificate> {
  return readKeyedCertificate(
    { flag: "--tls-cert-file", file: certificateFile },
    { flag: "--tls-private-key-file", file: keyFile },
    read,
  );
}

interface FlagFile {
  readonly flag: string;
  readonly file: string;
}

/** A certificate and its key from two files. Fails with StartError, naming flags and files. */
export async function readKeyedCertificate(
  certificate: FlagFile,
  key: FlagFile,
  read: ReadFile = readSmallFileSync,
): Promise<KeyedCertificate> {
  const [certificatePem, keyPem] = [readPem(certificate, read), readPem(key, read)];
  const [certificateWord, keyWord] = [`${certificate.flag} ${certificate.file}`, `${key.flag} ${key.file}`];
  try {
    if (new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem)))
      return { certificatePem, keyPem };
  } catch (error) {
    throw new StartError(`${certificateWord} and ${keyWord}: ${(error as Error).message}`);
  }
  throw new StartError(`${keyWord} is not the key of ${certificateWord}`);
}

interface AdminCredentials extends KeyedCertificate {
  readonly clientCaPem: string;
}

/** A client certificate in these groups, signed by a client authority of our own. */
export async function adminCredentials(
  dir: string,
  user: string,
  groups: readonly string[],
): Promise<AdminCredentials> {
  const folder = new PkiFolder(dir);
  const authority = await folder.authority("client-ca", "plinth-client-ca");
  const subject = { commonName: user, organizations: groups };
  return {
    ...(await folder.leaf("admin", { use: "client", subject }, authority)),
    clientCaPem: authority.certificatePem,
  };
}

/** The client certificate that this server shows to servers behind it, signed by an authority of its own. */
export async function generatedProxyCertificate(dir: string): Promise<ServingCertificate> {
  const folder = new PkiFolder(dir);
  const authority = await folder.authority("front-proxy-ca", "front-proxy-ca");
  const subject = { commonName: "front-proxy-client" };
  const leaf = await folder.leaf("front-proxy-client", { use: "client", subject }, authority);
  return { ...leaf, caPem: authority.certificatePem };
}

/** The path of a private key on P-256 that is made on the first call. */
export async function generatedSigningKey(dir: string): Promise<string> {
  const folder = new PkiFolder(dir);
  await folder.once("sa.key", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  });
  return folder.path("sa.key");
}

/** Names and addresses of this machine, with what the server is bound to; every address when it is bound to all. */
export function machineNames(bindAddress: string): string[] {
  const everywhere = bindAddress === "0.0.0.0" || bindAddress === "::";
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const bound = everywhere
    ? own.filter(({ internal }) => !internal).map(({ address }) => address.split("%")[0]!)
    : [bindAddress];
  return [...new Set(["localhost", "127.0.0.1", "::1", hostname(), ...bound])];
}

interface FileWatch {
  /** Resolves when the files have been looked at for the first time: later changes are seen. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Calls back when one of the files has changed, some seconds later at most. */
export function watchFiles(files: readonly string[], onChange: () => void, intervalMs: number = POLL_MS): FileWatch {
  let last: string | undefined;
  const look = async () => {
    const now = (await Promise.all(files.map(fingerprint))).join();
    if (last !== undefined && last !== now) onChange();
    last = now;
  };
  const ready = look();
  let running = ready;
  const timer = systemClock.every(intervalMs, () => {
    running = running.then(look);
  });
  return { ready, stop: () => timer.cancel() };
}

const POLL_MS = 5_000;

/** Replaced files get another inode, edited ones another time: a rename into place is seen too. */
async function fingerprint(file: string): Promise<string> {
  const info = await stat(file).catch(() => undefined);
  return info === undefined ? "missing" : `${info.ino}:${info.mtimeMs}:${info.size}`;
}

function readPem({ flag, file }: FlagFile, read: ReadFile): string {
  try {
    return read(file).toString("utf8");
  } catch (error) {
    throw new StartError(`${flag}: ${(error as Error).message}`);
  }
}
