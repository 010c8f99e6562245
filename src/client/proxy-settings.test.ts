// Which proxy a server is reached through.

import { describe, expect, it } from "vitest";
import { proxyFor } from "./proxy-settings.ts";

const P = "http://proxy:3128";
const ask = (server: string, env: NodeJS.ProcessEnv, proxyUrl?: string) =>
  proxyFor({ server: new URL(server), env, ...(proxyUrl === undefined ? {} : { proxyUrl }) })?.href;

describe("the proxy", () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ["https://api.test", {}, undefined],
    ["https://api.test", { HTTPS_PROXY: P }, "http://proxy:3128/"],
    ["https://api.test", { https_proxy: P }, "http://proxy:3128/"],
    ["https://api.test", { HTTPS_PROXY: "proxy:3128" }, "http://proxy:3128/"],
    ["https://api.test", { HTTP_PROXY: P }, undefined],
    ["http://api.test", { HTTP_PROXY: P }, "http://proxy:3128/"],
    ["https://localhost:6443", { HTTPS_PROXY: P }, undefined],
    ["https://127.0.0.1:6443", { HTTPS_PROXY: P }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: P }, undefined],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: "*" }, undefined],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: "x.test, API.test" }, undefined],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: "test" }, undefined],
    ["https://test", { HTTPS_PROXY: P, NO_PROXY: ".test" }, "http://proxy:3128/"],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: ".test" }, undefined],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: "*.test" }, undefined],
    ["https://api.test", { HTTPS_PROXY: P, no_proxy: "pi.test" }, "http://proxy:3128/"],
    ["https://api.test", { HTTPS_PROXY: P, NO_PROXY: "api.test:443" }, undefined],
    ["https://api.test:6443", { HTTPS_PROXY: P, NO_PROXY: "api.test:443" }, "http://proxy:3128/"],
    ["https://10.1.2.3", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, "http://proxy:3128/"],
    ["https://10.1.2.3", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/99,x/8,fd00::/8" }, "http://proxy:3128/"],
    ["https://[fd00::1]", { HTTPS_PROXY: P, NO_PROXY: "fd00::/8" }, undefined],
    ["https://10.1.2.3:6443", { HTTPS_PROXY: P, NO_PROXY: "10.1.2.3" }, undefined],
  ])("for %s with %j is %s", (server, env, expected) => expect(ask(server, env)).toBe(expected));

  it("of the kubeconfig entry wins over the environment and its exceptions", () => {
    expect(ask("https://127.0.0.1", { HTTPS_PROXY: P, NO_PROXY: "*" }, "https://u:p@own:1")).toBe("https://u:p@own:1/");
  });

  it.each(["socks5://x:1", "socks5h://x"])("may be %s", (proxyUrl) => {
    expect(ask("https://api.test", {}, proxyUrl)).toBe(proxyUrl);
  });

  it.each(["socks4://x:1", "socks5://", "ftp://x", "http://", "http://[x"])("cannot be %s", (proxyUrl) => {
    expect(() => ask("https://api.test", {}, proxyUrl)).toThrow(/^proxy-url: /);
  });
});
