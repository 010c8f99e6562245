import { describe, expect, it } from "vitest";
import { accessAttributes } from "./access-attributes.ts";

describe("a request to the agent asks for", () => {
  it.each([
    ["GET", "/stats/summary", "get", ["stats"]],
    ["GET", "/metrics", "get", ["metrics"]],
    ["GET", "/metrics/resource", "get", ["metrics"]],
    ["GET", "/logs/syslog", "get", ["log"]],
    ["GET", "/spec/", "get", ["spec"]],
    ["POST", "/checkpoint/ns/pod/container", "create", ["checkpoint"]],
    ["GET", "/pods", "get", ["pods", "proxy"]],
    ["GET", "/runningpods/", "get", ["pods", "proxy"]],
    ["GET", "/healthz", "get", ["healthz", "proxy"]],
    ["GET", "/healthz/syncloop", "get", ["healthz", "proxy"]],
    ["GET", "/configz", "get", ["configz", "proxy"]],
    ["HEAD", "/configz", "get", ["configz", "proxy"]],
    ["GET", "/containerLogs/ns/pod/container", "get", ["proxy"]],
    ["POST", "/exec/ns/pod/container", "create", ["proxy"]],
    ["GET", "/exec/ns/pod/container", "get", ["proxy"]],
    ["GET", "/attach/ns/pod/container", "get", ["proxy"]],
    ["POST", "/portForward/ns/pod", "create", ["proxy"]],
    ["POST", "/run/ns/pod/container", "create", ["proxy"]],
    ["PUT", "/anything", "update", ["proxy"]],
    ["PATCH", "/anything", "patch", ["proxy"]],
    ["DELETE", "/anything", "delete", ["proxy"]],
    ["GET", "/podsx", "get", ["proxy"]],
    ["GET", "/metricsx", "get", ["proxy"]],
    ["GET", "/%6Cogs/syslog", "get", ["log"]],
    ["POST", "/check%70oint/ns/pod/container", "create", ["checkpoint"]],
    ["GET", "/%zz", "get", ["proxy"]],
    ["BREW", "/pods", "", ["pods", "proxy"]],
  ])("%s %s: %s on %j", (method, path, verb, subresources) => {
    expect(accessAttributes(method, path, true)).toEqual({ verb, subresources });
  });

  it.each(["/pods", "/runningpods/", "/healthz", "/configz"])("proxy alone for %s without the gate", (path) => {
    expect(accessAttributes("GET", path, false)).toEqual({ verb: "get", subresources: ["proxy"] });
  });
});
