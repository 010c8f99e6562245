// Where a runtime looks for networks and their plug-ins: in what it says of itself when asked in detail.

import { isObject } from "../../base/json.ts";

interface NetworkFolders {
  /** Of configurations. */
  readonly configuration: string;
  /** Of plug-ins, in the order in which they are looked through. */
  readonly plugins: readonly string[];
}

const USUAL: NetworkFolders = { configuration: "/etc/cni/net.d", plugins: ["/opt/cni/bin", "/usr/lib/cni"] };

/** `info` is the detail of a runtime's status; what it does not say is as usual. */
export function networkFolders(info: Readonly<Record<string, string>>): NetworkFolders {
  const cni = cniOf(info["config"] ?? "");
  const text = (value: unknown): string[] => (typeof value === "string" && value.startsWith("/") ? [value] : []);
  const plugins = Array.isArray(cni["binDirs"]) ? cni["binDirs"].flatMap(text) : text(cni["binDir"]);
  return {
    configuration: text(cni["confDir"])[0] ?? USUAL.configuration,
    plugins: plugins.length > 0 ? plugins : USUAL.plugins,
  };
}

function cniOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(text);
    const cni = isObject(config) ? config["cni"] : undefined;
    return isObject(cni) ? cni : {};
  } catch {
    return {};
  }
}
