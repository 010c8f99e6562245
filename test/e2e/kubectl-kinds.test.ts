// A real kubectl and every resource type of a real server: listed, explained, created in a dry run, held to its fields,
// shown as a wide table. Many objects go through one command, each with a line of its own in the answer.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { namesFor } from "../../src/meta/names.ts";
import {
  apiVersionOf,
  CREATABLE_KINDS,
  KINDS_NAMESPACE,
  minimalObject,
  STORED_KINDS,
} from "../conformance/minimal-objects.testing.ts";
import { findKubectl } from "./find-kubectl.ts";

const OLDEST_MINOR = 27;
const PROCESSES = 2;
const TIMEOUT_MS = 120_000;
/** Each reads large schemas and ends: threads of its own, and collecting after it, take half of its time. */
const FRUGAL = { GOGC: "off", GOMAXPROCS: "1" };

const kubectl = findKubectl(OLDEST_MINOR);
const names = namesFor("kubernetes");
const SERVED = ALL_KINDS.filter((kind) => kind.resource !== "");
/** What can only be created once another object is there. */
const NEEDS_OTHERS = new Set(["Binding"]);

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(kubectl === undefined)(
  kubectl === undefined ? `kubectl and every kind (skipped: no kubectl from 1.${OLDEST_MINOR} on)` : "every kind",
  () => {
    let folder: TestFolder;
    let server: Running;
    let flags: string[];

    beforeAll(async () => {
      folder = new TestFolder();
      server = await startCommand(["apiserver", "--dialect=kubernetes", ...folder.serverFlags()]);
      const url = await readyUrl(server);
      folder.file("config", "apiVersion: v1\nkind: Config\n");
      flags = [
        `--server=${url}`,
        `--token=${ADMIN_TOKEN}`,
        "--insecure-skip-tls-verify=true",
        `--cache-dir=${join(folder.path, "cache")}`,
        `--namespace=${KINDS_NAMESPACE}`,
      ];
      await succeed(["create", "namespace", KINDS_NAMESPACE]);
      await succeed(["create", "serviceaccount", "default"]);
    });
    afterAll(async () => {
      await server.stop();
      folder.remove();
    });

    function run(args: readonly string[], input = ""): Promise<Outcome> {
      return new Promise((resolve, reject) => {
        const child = spawn(kubectl?.path ?? "", [...flags, ...args], {
          env: { PATH: process.env["PATH"], HOME: folder.path, KUBECONFIG: join(folder.path, "config"), ...FRUGAL },
          cwd: folder.path,
        });
        let out = "";
        let err = "";
        child.stdout.on("data", (chunk) => {
          out += chunk;
        });
        child.stderr.on("data", (chunk) => {
          err += chunk;
        });
        child.on("error", reject);
        child.on("close", (code) => resolve({ code: code ?? -1, out, err }));
        child.stdin.end(input);
      });
    }

    async function succeed(args: readonly string[], input?: string): Promise<string> {
      const { code, out, err } = await run(args, input);
      expect(code, `kubectl ${args.join(" ")}: ${err}`).toBe(0);
      return out;
    }

    it("is among the resources", async () => {
      const rows = (await succeed(["api-resources", "--no-headers"])).trim().split("\n");
      // The short names in between may be missing.
      const shown = rows.map((row) => row.split(/ +/)).map((cells) => [cells[0], ...cells.slice(-3)].join(" "));
      const expected = SERVED.filter((kind) => kind !== HPA_V1).map((kind) =>
        [kind.resource, apiVersionOf(kind, names), kind.scope === "Namespaced", kind.kind].join(" "),
      );
      expect(shown.sort()).toEqual(expected.sort());
    });

    it("is explained down to its last field", { timeout: TIMEOUT_MS }, async () => {
      const problems: string[] = [];
      await forEach(SERVED, async (kind) => {
        const args = ["explain", kind.resource, `--api-version=${apiVersionOf(kind, names)}`, "--recursive"];
        const { code, out, err } = await run(args);
        const missing = [...kind.schema.fields.keys()].filter((field) => !new RegExp(`^ +${field}\\b`, "m").test(out));
        if (code !== 0 || missing.length > 0) problems.push(`${kind.kind}: ${missing} ${err}`);
      });
      expect(problems).toEqual([]);
    });

    it("is refused with a field that it does not have, by the server, with the path of the field", async () => {
      const kinds = CREATABLE_KINDS.filter(({ verbs }) => verbs.includes("patch"));
      const { code, err } = await run(
        ["create", "--dry-run=server", "--validate=strict", "-f", "-"],
        documents(kinds.map(withWrongFields)),
      );
      expect(code).toBe(1);
      const lines = err.split("\n").filter((line) => line.startsWith("Error from server (BadRequest)"));
      expect(kinds.filter((kind) => !lines.some((line) => isRefusal(line, kind))).map(title)).toEqual([]);
      expect(lines).toHaveLength(kinds.length);
    });

    it("is refused so too where kubectl asks for no check, because it cannot be patched", async () => {
      const kinds = CREATABLE_KINDS.filter(({ verbs }) => !verbs.includes("patch"));
      expect(kinds.length).toBeGreaterThan(0);
      for (const kind of kinds) {
        const { err } = await run(["create", "--raw", strictPath(kind), "-f", "-"], documents([withWrongFields(kind)]));
        expect(err).toSatisfy((text: string) => isRefusal(text, kind));
      }
    });

    it("is created in a dry run and leaves nothing behind", async () => {
      const kinds = CREATABLE_KINDS.filter(({ kind }) => !NEEDS_OTHERS.has(kind));
      const out = await succeed(
        ["create", "--dry-run=server", "--validate=strict", "-f", "-"],
        documents(kinds.map((kind) => minimalObject(kind, names))),
      );
      expect(out.trim().split("\n").sort()).toEqual(
        kinds.map((kind) => `${reference(kind)} created (server dry run)`).sort(),
      );
      const left = await succeed(["get", STORED_KINDS.map(typeArgument).join(","), "-o", "name"]);
      expect(kinds.map(reference).filter((each) => left.split("\n").includes(each))).toEqual([]);
    });

    it("is created, and shown in a wide table with its columns", { timeout: TIMEOUT_MS }, async () => {
      const made = STORED_KINDS.map((kind) => minimalObject(kind, names));
      await succeed(["create", "--validate=strict", "-f", "-"], documents(made));
      const binding = CREATABLE_KINDS.filter(({ kind }) => NEEDS_OTHERS.has(kind));
      await succeed(
        ["create", "--dry-run=server", "-f", "-"],
        documents(binding.map((kind) => minimalObject(kind, names))),
      );

      const readable = SERVED.filter(({ verbs }) => verbs.includes("list"));
      const out = await succeed(["get", readable.map(typeArgument).join(","), "-o", "wide"]);
      const tables = out.split("\n\n");
      expect(tables).toHaveLength(readable.length);
      const problems = readable.flatMap((kind, index) => {
        const [header = "", ...rows] = tables[index]!.split("\n");
        const announced = kind.columns?.filter(({ unannounced }) => unannounced !== true);
        const columns = announced?.map(({ name }) => name.toUpperCase()) ?? ["NAME", "CREATED AT"];
        if (header.trimEnd().split(/ {2,}/).join("|") !== columns.join("|")) return [`${title(kind)}: ${header}`];
        const isShown = rows.some((row) => row.includes(reference(kind)));
        return STORED_KINDS.includes(kind) && !isShown ? [`${title(kind)}: no row of ${reference(kind)}: ${rows}`] : [];
      });
      expect(problems).toEqual([]);
    });
  },
);

/** Of two versions of one resource kubectl lists the preferred one. */
const HPA_V1 = SERVED.find(({ kind, version }) => kind === "HorizontalPodAutoscaler" && version === "v1");

const title = (kind: Kind): string => `${kind.kind} ${apiVersionOf(kind, names)}`;

/** As commands take it where several groups have the word. */
function typeArgument(kind: Kind): string {
  return kind.group === "" ? kind.resource : `${kind.resource}.${kind.version}.${names.group(kind.group)}`;
}

/** As commands print an object: `deployment.apps/name`; a review has no name in the answer. */
function reference(kind: Kind): string {
  const group = names.group(kind.group);
  return `${kind.singular}${group === "" ? "" : `.${group}`}/${minimalObject(kind, names).metadata.name ?? "<unknown>"}`;
}

function withWrongFields(kind: Kind): object {
  const object = minimalObject(kind, names);
  return { ...object, metadata: { ...object.metadata, labelz: {} }, wrongField: 1 };
}

function strictPath(kind: Kind): string {
  const apiVersion = apiVersionOf(kind, names);
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = kind.scope === "Namespaced" ? `/namespaces/${KINDS_NAMESPACE}` : "";
  return `${base}${namespace}/${kind.resource}?fieldValidation=Strict&dryRun=All`;
}

function isRefusal(line: string, kind: Kind): boolean {
  return line.includes(
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ` +
      'strict decoding error: unknown field "metadata.labelz", unknown field "wrongField"',
  );
}

/** One document after the other: the items of a List kubectl would check by itself. */
const documents = (objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join("\n");

async function forEach(kinds: readonly Kind[], visit: (kind: Kind) => Promise<void>): Promise<void> {
  const left = [...kinds];
  const next = async (): Promise<void> => {
    for (let kind = left.pop(); kind !== undefined; kind = left.pop()) await visit(kind);
  };
  await Promise.all(Array.from({ length: PROCESSES }, next));
}
