// Where a container runtime listens: `containerRuntimeEndpoint` and `imageServiceEndpoint` of the configuration.

/** The path of the socket, undefined when the text names none. `unix:///run/x.sock`; a bare path is taken too. */
export function socketPathOf(endpoint: string): string | undefined {
  const path = endpoint.startsWith("unix://") ? endpoint.slice("unix://".length) : endpoint;
  return path.startsWith("/") && !path.includes("\0") ? path : undefined;
}
