// Through which proxy a server is reached: the one of its kubeconfig entry, or what the environment says (HTTPS_PROXY,
// HTTP_PROXY, NO_PROXY), by the rules that other clients keep to.

import { BlockList, isIP } from "node:net";

interface ProxyQuestion {
  readonly server: URL;
  /** Of the kubeconfig entry: wins over the environment. */
  readonly proxyUrl?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Undefined for a direct connection. Fails with a TypeError when the proxy is no address of one of PROTOCOLS. */
export function proxyFor({ server, proxyUrl, env }: ProxyQuestion): URL | undefined {
  if (proxyUrl !== undefined) return parseProxy(proxyUrl, "proxy-url");
  const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const address = ofEnvironment(env, variable);
  if (address === undefined || isLoopback(server.hostname)) return undefined;
  if (isExcepted(server, ofEnvironment(env, "NO_PROXY") ?? "")) return undefined;
  return parseProxy(address, variable);
}

/** The proxy looks names up itself, in both forms of socks5. */
const PROTOCOLS: ReadonlySet<string> = new Set(["http", "https", "socks5", "socks5h"]);

const ofEnvironment = (env: NodeJS.ProcessEnv, name: string): string | undefined =>
  env[name] || env[name.toLowerCase()] || undefined;

function parseProxy(address: string, from: string): URL {
  // Programs take `proxy.example:3128` as well.
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(text)) throw new TypeError(`${from}: ${JSON.stringify(address)} is not an address`);
  const url = new URL(text);
  const protocol = url.protocol.slice(0, -1);
  if (!PROTOCOLS.has(protocol) || url.hostname === "") {
    throw new TypeError(
      `${from}: a proxy is reached by ${[...PROTOCOLS].join(", ")}, not by ${JSON.stringify(address)}`,
    );
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isExcepted(server: URL, list: string): boolean {
  const host = bare(server.hostname).toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  return list
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .some((item) => item !== "" && matches(item, host, port));
}

/** An entry is `*`, an address, a range of addresses, or a domain; domains and addresses may have a port. */
function matches(item: string, host: string, port: string): boolean {
  if (item === "*") return true;
  if (item.includes("/")) return inRange(item, host);
  if (isIP(bare(item)) !== 0) return bare(item) === host;
  const colon = /:(\d+)$/.exec(item);
  if (colon !== null && colon[1] !== port) return false;
  const name = bare(colon === null ? item : item.slice(0, colon.index));
  if (isIP(name) !== 0) return name === host;
  const domain = name.replace(/^\*(?=\.)/, "");
  if (domain.startsWith(".")) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function inRange(item: string, host: string): boolean {
  const version = isIP(host);
  const [network = "", prefix = ""] = item.split("/");
  if (version === 0 || isIP(network) !== version || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const range = new BlockList();
  range.addSubnet(network, Number(prefix), family);
  return range.check(host, family);
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");
