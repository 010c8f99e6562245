// Objects of files against a server without a cluster: what each would be refused for. Definitions come first, then
// namespaces, policies and their bindings, then everything else in the order of the files.

import type { Clock } from "../base/clock.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { ApiError, isApiError, readApiError } from "../client/api-error.ts";
import { type Discovery, discover, findKind, pathOf } from "../client/discovery.ts";
import type { ApiRequest, Transport } from "../client/transport.ts";
import { jsonText } from "../codec/json.ts";
import { DIALECTS, type Dialect, namesFor } from "../meta/names.ts";
import { memberOf, textAt } from "./json-members.ts";
import { withQuery } from "./list-pages.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Manifest } from "./read-manifests.ts";

export interface Finding {
  /** The file, and the line on which the document begins. */
  readonly source: string;
  readonly line: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly valid: boolean;
  readonly errors: readonly Problem[];
  readonly warnings: readonly string[];
}

interface Problem {
  /** As the server's Status has it: Invalid, BadRequest, Forbidden, ...; or UnknownKind. */
  readonly reason: string;
  readonly field?: string;
  readonly message: string;
}

interface ValidationInput {
  readonly transport: Transport;
  readonly clock: Clock;
  /** What is asked about. */
  readonly checked: readonly Manifest[];
  /** What must be there for it: definitions, policies, parameters. Told of only where it is wrong. */
  readonly given: readonly Manifest[];
  readonly namespace: string;
}

/** The dialect whose groups the files name most; the first of all where they name none. */
export function dialectOf(manifests: readonly Manifest[]): Dialect {
  const counted = DIALECTS.map((dialect) => {
    const { ownDomain, ownShortDomain } = namesFor(dialect);
    const isOwn = (group: string) => group.endsWith(`.${ownDomain}`) || group.endsWith(`.${ownShortDomain}`);
    return { dialect, count: manifests.filter(({ apiVersion }) => isOwn(apiVersion.split("/", 1)[0]!)).length };
  });
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).dialect;
}

/** In the order of the files. */
export async function validateManifests(input: ValidationInput): Promise<Finding[]> {
  const { checked, given } = input;
  const all = [...given, ...checked];
  const isGiven = new Set(given);
  const ordered = all
    .map((manifest, at) => ({ manifest, at, rank: rankOf(manifest, isGiven.has(manifest)) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at);
  const check = new Check(input);
  const findings = new Map<Manifest, Finding>();
  for (const { manifest } of ordered) findings.set(manifest, await check.one(manifest));
  return all.flatMap((manifest) => {
    const finding = findings.get(manifest)!;
    return isGiven.has(manifest) && finding.valid ? [] : [finding];
  });
}

const DEFINITION = "CustomResourceDefinition";

function rankOf({ kind }: Manifest, given: boolean): number {
  if (kind === DEFINITION) return 0;
  if (kind === "Namespace") return 1;
  // Parameters before the policies that read them.
  if (given && !/Admission(?:Policy|PolicyBinding)$/.test(kind)) return 2;
  if (/AdmissionPolicy$/.test(kind)) return 3;
  return /AdmissionPolicyBinding$/.test(kind) ? 4 : 5;
}

/** A definition that is not served by then never will be. */
const SERVED_WITHIN_MS = 5_000;
const LOOK_MS = 10;

class Check {
  readonly #input: ValidationInput;
  readonly #written = new Set<string>();
  #discovery: Discovery | undefined;

  constructor(input: ValidationInput) {
    this.#input = input;
  }

  async one(manifest: Manifest): Promise<Finding> {
    const { source, line, apiVersion, kind, object } = manifest;
    const namespace = textAt(memberOf(object, "metadata"), "namespace");
    const head = { source, line, apiVersion, kind, ...(namespace === "" ? {} : { namespace }), name: nameOf(object) };
    const warnings: string[] = [];
    try {
      await this.#create(manifest, warnings);
      return { ...head, valid: true, errors: [], warnings };
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof UnknownKind)) throw error;
      return { ...head, valid: false, errors: problemsOf(error), warnings };
    }
  }

  async #create({ apiVersion, kind, object }: Manifest, warnings: string[]): Promise<void> {
    const resource = findKind(await this.#known(), apiVersion, kind);
    if (resource === undefined) throw new UnknownKind(apiVersion, kind);
    const own = textAt(memberOf(object, "metadata"), "namespace");
    const namespace = resource.namespaced ? own || this.#input.namespace : undefined;
    const path = pathOf(resource, namespace, nameOf(object) || undefined);
    const query = new URLSearchParams({ fieldValidation: "Strict", fieldManager: "validate" });
    const create: ApiRequest = {
      method: "POST",
      path: withQuery(pathOf(resource, namespace), query),
      body: jsonText(object),
    };
    try {
      await this.#send(create, warnings);
    } catch (error) {
      // What every server has from its start is changed, not made; what the files have twice is wrong.
      if (!isApiError(error, "AlreadyExists") || this.#written.has(path)) throw error;
      query.set("force", "true");
      const headers = { "content-type": "application/apply-patch+yaml" };
      await this.#send({ method: "PATCH", path: withQuery(path, query), headers, body: jsonText(object) }, warnings);
    }
    this.#written.add(path);
    if (kind === DEFINITION) await this.#untilServed(object);
  }

  async #known(): Promise<Discovery> {
    this.#discovery ??= await discover(this.#input.transport);
    return this.#discovery;
  }

  async #untilServed(definition: JsonObject): Promise<void> {
    const { clock, transport } = this.#input;
    const spec = memberOf(definition, "spec");
    const versions = Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
    const served = versions.filter((version) => version["served"] === true);
    const wanted = served.map((version) => `${textAt(spec, "group")}/${textAt(version, "name")}`);
    const kind = textAt(memberOf(spec, "names"), "kind");
    const endMs = clock.monotonicMs() + SERVED_WITHIN_MS;
    do {
      const discovery = await discover(transport);
      this.#discovery = discovery;
      if (wanted.every((apiVersion) => findKind(discovery, apiVersion, kind) !== undefined)) return;
      await clock.sleep(LOOK_MS);
    } while (clock.monotonicMs() < endMs);
  }

  async #send(request: ApiRequest, warnings: string[]): Promise<void> {
    const response = await this.#input.transport.request(request);
    for (const warning of response.warnings) warnings.push(warning);
    if (response.status >= 300) throw await readApiError(request, response);
    await response.bytes();
  }
}

class UnknownKind extends Error {
  constructor(apiVersion: string, kind: string) {
    super(
      `there is no kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}: give its definition with --with`,
    );
  }
}

function problemsOf(error: ApiError | UnknownKind): Problem[] {
  if (error instanceof UnknownKind) return [{ reason: "UnknownKind", message: error.message }];
  const { reason, status } = error;
  if (reason === "AlreadyExists") return [{ reason, message: "the same object stands in the files twice" }];
  const causes = error.causes.filter(({ message }) => message !== undefined && message !== "");
  if (reason !== "Invalid" || causes.length === 0) return [{ reason, message: status.message ?? "" }];
  return causes.map(({ field, message = "" }) => ({
    reason,
    ...(field === undefined || field === "" ? {} : { field }),
    message,
  }));
}
