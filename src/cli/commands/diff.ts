// `pctl diff`: what an apply of files would change, as a unified diff. Exit code 1 when there is a difference.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { withQuery } from "../list-pages.ts";
import { type Colour, hasColours, paint } from "../printing/colours.ts";
import { kindWord, nameOf, objectText, withoutManagedFields } from "../printing/object-text.ts";
import { visibleLines } from "../printing/visible-text.ts";
import type { Manifest } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, manifestsOf, metadataText, resourceOfManifest, withNamespace } from "../targets.ts";

/** Above it, as diff itself has it: something went wrong. */
const FAILED = 2;

export const diff: Command = {
  name: "diff",
  summary: "show what an apply would change",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    { name: "field-manager", value: "name", summary: "who would own the fields (pctl)" },
    { name: "force-conflicts", summary: "as if fields were taken over from other owners" },
    { name: "show-managed-fields", summary: "with who owns which field" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    const manifests = await manifestsOf(session, flags);
    if (manifests.length === 0) throw new CliError("must specify -f");
    const query = new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl",
      dryRun: "All",
      ...(flags.switch("force-conflicts") ? { force: "true" } : {}),
    });
    const shown = (object: Json | undefined): string => {
      if (!isObject(object ?? null)) return "";
      const whole = object as JsonObject;
      return objectText(flags.switch("show-managed-fields") ? whole : withoutManagedFields(whole), "yaml");
    };
    let differs = false;
    for (const manifest of manifests) {
      const { name, before, after } = await beforeAndAfter(session, manifest, query, flags.text("namespace"));
      const text = unifiedDiff(name, shown(before), shown(after));
      differs ||= text !== "";
      session.terminal.write(hasColours(session.terminal) ? Buffer.from(colouredDiff(text)) : text);
    }
    if (differs) session.fail(1);
  },
};

async function beforeAndAfter(
  session: Session,
  manifest: Manifest,
  query: URLSearchParams,
  given: string | undefined,
): Promise<{ readonly name: string; readonly before: Json | undefined; readonly after: Json }> {
  const resource = await resourceOfManifest(session, manifest);
  const object = resource.namespaced ? withNamespace(session, manifest.object, given) : manifest.object;
  const path = pathOf(resource, metadataText(object, "namespace"), nameOf(object));
  let before: Json | undefined;
  try {
    before = await session.sendForJson({ method: "GET", path });
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
  const after = await session.sendForJson({
    method: "PATCH",
    path: withQuery(path, query),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: jsonText(object),
    idempotent: true,
  });
  const place = metadataText(object, "namespace");
  return {
    name: [kindWord(resource), ...(place === undefined ? [] : [place]), nameOf(object)].join("."),
    before,
    after,
  };
}

const LINE_COLOURS: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "@": "cyan" };

const colouredDiff = (text: string): string =>
  visibleLines(text)
    .split("\n")
    .map((line) => paint(line, /^(?:---|\+\+\+) /.test(line) ? "bold" : LINE_COLOURS[line.charAt(0)]))
    .join("\n");

/** By the program that every system has; empty when both are the same. */
function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const folder = mkdtempSync(join(tmpdir(), "pctl-diff-"));
  try {
    const [left, right] = [join(folder, "live"), join(folder, "merged")];
    writeFileSync(left, before, { mode: 0o600 });
    writeFileSync(right, after, { mode: 0o600 });
    const labels = ["--label", `live/${name}`, "--label", `merged/${name}`];
    const { status, stdout, error } = spawnSync("diff", ["-u", "-N", ...labels, left, right], { encoding: "utf8" });
    if (error !== undefined || status === null || status >= FAILED)
      throw new CliError(`the program diff failed: ${error?.message ?? `exit code ${status}`}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
