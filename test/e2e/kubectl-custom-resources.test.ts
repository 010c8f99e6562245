// A real kubectl and kinds that users add: defined, explained, listed, scaled, applied and patched like any other.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKubectl } from "./find-kubectl.ts";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

/** The first with field validation and server-side dry runs as they are. */
const OLDEST_MINOR = 27;
const TIMEOUT_MS = 120_000;

const kubectl = findKubectl(OLDEST_MINOR);

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ferries.harbour.example.com" },
  spec: {
    group: "harbour.example.com",
    scope: "Namespaced",
    names: { plural: "ferries", singular: "ferry", kind: "Ferry", shortNames: ["fy"], categories: ["all", "ships"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.boats",
            statusReplicasPath: ".status.boats",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          { name: "Route", type: "string", jsonPath: ".spec.route", description: "Where it goes." },
          { name: "Boats", type: "integer", jsonPath: ".spec.boats" },
          { name: "Captain", type: "string", jsonPath: ".spec.captain", priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A line of boats between two piers.",
            properties: {
              spec: {
                type: "object",
                required: ["route"],
                properties: {
                  route: { type: "string", description: "The piers, in order." },
                  boats: { type: "integer", minimum: 0, default: 1 },
                  captain: { type: "string" },
                  stops: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["pier"],
                    items: {
                      type: "object",
                      required: ["pier"],
                      properties: { pier: { type: "string" }, minutes: { type: "integer" } },
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: { boats: { type: "integer" }, selector: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
};

const ferry = (name: string, spec: Record<string, unknown>) => ({
  apiVersion: "harbour.example.com/v1",
  kind: "Ferry",
  metadata: { name },
  spec,
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(kubectl === undefined)(
  kubectl === undefined
    ? `kubectl and custom resources (skipped: no kubectl from 1.${OLDEST_MINOR} on)`
    : "kubectl and custom resources",
  () => {
    let server: TestServer;

    beforeAll(async () => {
      server = await startTestServer();
      writeFileSync(join(server.dir, "config"), "apiVersion: v1\nkind: Config\n");
      expect(await succeed(["apply", "-f", "-"], DEFINITION)).toContain("ferries.harbour.example.com created");
      await succeed(["wait", "--for=condition=Established", "crd/ferries.harbour.example.com", "--timeout=30s"]);
      await succeed(["apply", "-f", "-"], ferry("night", { route: "north-south", captain: "Ann" }));
    }, TIMEOUT_MS);
    afterAll(() => server.stop());

    function run(args: readonly string[], input?: object): Promise<Outcome> {
      return new Promise((resolve, reject) => {
        const flags = [
          `--server=${server.url}`,
          `--token=${ADMIN_TOKEN}`,
          "--insecure-skip-tls-verify=true",
          `--cache-dir=${join(server.dir, "cache")}`,
        ];
        const child = spawn(kubectl?.path ?? "", [...flags, ...args], {
          env: { PATH: process.env["PATH"], HOME: server.dir, KUBECONFIG: join(server.dir, "config") },
          cwd: server.dir,
        });
        let [out, err] = ["", ""];
        child.stdout.on("data", (chunk) => {
          out += chunk;
        });
        child.stderr.on("data", (chunk) => {
          err += chunk;
        });
        child.on("error", reject);
        child.on("close", (code) => resolve({ code: code ?? -1, out, err }));
        child.stdin.end(input === undefined ? "" : JSON.stringify(input));
      });
    }

    async function succeed(args: readonly string[], input?: object): Promise<string> {
      const { code, out, err } = await run(args, input);
      expect(code, `kubectl ${args.join(" ")}: ${err}`).toBe(0);
      return out;
    }

    /** The first words of each row of a table. */
    const rowsOf = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((row) => row.trim().split(/\s{2,}/));

    it("explains the kind and its fields", async () => {
      const kind = await succeed(["explain", "ferries"]);
      expect(kind).toMatch(/KIND:\s+Ferry/);
      expect(kind).toContain("A line of boats between two piers.");
      const field = await succeed(["explain", "fy.spec.stops", "--recursive"]);
      expect(field).toMatch(/pier\s+<string> -required-/);
      expect(await succeed(["explain", "ferry.spec.route"])).toContain("The piers, in order.");
    });

    it("finds it by its names and categories, with its columns", async () => {
      for (const word of ["ferries", "ferry", "fy", "ferries.harbour.example.com", "ferries.v1.harbour.example.com"]) {
        expect(rowsOf(await succeed(["get", word]))).toEqual([
          ["NAME", "ROUTE", "BOATS"],
          ["night", "north-south", "1"],
        ]);
      }
      expect(rowsOf(await succeed(["get", "fy", "night", "-o", "wide"]))[0]).toEqual([
        "NAME",
        "ROUTE",
        "BOATS",
        "CAPTAIN",
      ]);
      expect(await succeed(["get", "ships"])).toContain("night");
      expect(await succeed(["get", "all"])).toContain("ferry.harbour.example.com/night");
      expect(await succeed(["api-resources", "--categories=ships", "-o", "name"])).toBe(
        "ferries.harbour.example.com\n",
      );
    });

    it("holds objects to the schema before they are sent, and after", async () => {
      const { code, err } = await run(["apply", "-f", "-"], ferry("bad", { route: "a-b", boots: 3 }));
      expect([code, err]).toEqual([1, expect.stringContaining('unknown field "spec.boots"')]);
      const invalid = await run(["apply", "-f", "-"], ferry("bad", { route: "a-b", boats: -1 }));
      expect(invalid.err).toContain(
        "spec.boats: Invalid value: -1: spec.boats in body should be greater than or equal to 0",
      );
    });

    it("scales it", async () => {
      expect(await succeed(["scale", "ferry/night", "--replicas=3"])).toContain("night scaled");
      expect(await succeed(["get", "ferry/night", "-o", "jsonpath={.spec.boats} {.metadata.generation}"])).toBe("3 2");
      const { code, err } = await run(["scale", "ferry/night", "--current-replicas=9", "--replicas=1"]);
      expect([code, err]).toEqual([1, expect.stringContaining("Expected replicas to be 9, was 3")]);
    });

    it("applies on the server by keys, and tells who owns what", async () => {
      const apply = (manager: string, spec: Record<string, unknown>, ...flags: string[]) =>
        run(["apply", "--server-side", `--field-manager=${manager}`, ...flags, "-f", "-"], ferry("day", spec));
      expect((await apply("one", { route: "a-b", stops: [{ pier: "a", minutes: 1 }] })).out).toContain(
        "serverside-applied",
      );
      expect((await apply("two", { route: "a-b", stops: [{ pier: "b", minutes: 2 }] })).code).toBe(0);
      const stops = "jsonpath={.spec.stops[*].pier}";
      expect(await succeed(["get", "ferry/day", "-o", stops])).toBe("a b");
      const refused = await apply("two", { route: "c-d" });
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/conflict with "one".*\.spec\.route/s)]);
      expect((await apply("two", { route: "c-d" }, "--force-conflicts")).code).toBe(0);
      expect(await succeed(["get", "ferry/day", "-o", stops])).toBe("a");
    });

    it("patches it by merge and JSON patches, never strategically", async () => {
      const patch = (type: string, body: unknown) =>
        run(["patch", "ferry/night", `--type=${type}`, "-v=6", "-p", JSON.stringify(body)]);
      expect((await patch("merge", { spec: { captain: "Bo" } })).out).toContain("patched");
      expect((await patch("json", [{ op: "add", path: "/spec/route", value: "x-y" }])).code).toBe(0);
      expect(await succeed(["get", "ferry/night", "-o", "jsonpath={.spec.captain} {.spec.route}"])).toBe("Bo x-y");
      const { code, err } = await patch("strategic", { spec: { captain: "Cy" } });
      expect(code).toBe(1);
      expect(err).toMatch(/PATCH.*415 Unsupported Media Type/);
      expect(err).toContain("application/strategic-merge-patch+json is not supported");
    });

    it("writes the status apart", async () => {
      const body = JSON.stringify({ status: { boats: 2, selector: "a=b" }, spec: { captain: "Di" } });
      await succeed(["patch", "ferry/night", "--subresource=status", "--type=merge", "-p", body]);
      expect(await succeed(["get", "ferry/night", "-o", "jsonpath={.status.boats} {.spec.captain}"])).toBe("2 Bo");
      expect(await succeed(["get", "ferry/night", "--subresource=scale", "-o", "jsonpath={.status.selector}"])).toBe(
        "a=b",
      );
    });

    it("deletes the objects with their definition", async () => {
      await succeed(["delete", "crd", "ferries.harbour.example.com"]);
      const { code, err } = await run(["get", "ferries"]);
      expect([code, err]).toEqual([1, expect.stringContaining("the server could not find the requested resource")]);
    });
  },
  TIMEOUT_MS,
);
