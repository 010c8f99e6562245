// Hosts and ports as URLs, headers and messages have them.

/** An IPv6 address stands in brackets. */
export const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

export const hostPort = (host: string, port: number): string => `${hostInUrl(host)}:${port}`;

/** By which who listens at an address is reached from the same machine: who listens everywhere, at home. */
export const reachableHost = (bindAddress: string): string =>
  bindAddress === "0.0.0.0" ? "127.0.0.1" : bindAddress === "::" ? "::1" : bindAddress;
