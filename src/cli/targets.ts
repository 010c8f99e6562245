// The objects that a command acts on: by name, by label, all of a type, or as files name them.

import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { ApiError } from "../client/api-error.ts";
import { apiVersionOf, type DiscoveredResource, findKind, pathOf } from "../client/discovery.ts";
import { type LabelSelector, parseLabelSelector } from "../meta/label-selector.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { download } from "./download.ts";
import { memberOf } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "./list-pages.ts";
import { nameOf } from "./printing/object-text.ts";
import { type Manifest, type ManifestSources, readManifests } from "./read-manifests.ts";
import { checkNamed, readSelection } from "./selection.ts";
import type { Session } from "./session.ts";

export interface Target {
  readonly resource: DiscoveredResource;
  /** Undefined for resources without namespaces. */
  readonly namespace: string | undefined;
  readonly name: string;
}

export const FILE_FLAGS: readonly Flag[] = [
  { name: "filename", short: "f", value: "path", summary: "files, folders, or - for standard input; may be repeated" },
  { name: "recursive", short: "R", summary: "folders in folders too" },
  {
    name: "kustomize",
    short: "k",
    value: "folder",
    summary: "",
    refused: "build the folder first, and pass what comes of it: kustomize build FOLDER | pctl apply -f -",
  },
  { name: "allow-urls", summary: "-f may be an address of another server" },
];

const SELECTOR_FLAG: Flag = { name: "selector", short: "l", value: "selector", summary: "with these labels" };

/** What `manifestsOf` reads. */
export const MANIFEST_FLAGS: readonly Flag[] = [...FILE_FLAGS, SELECTOR_FLAG];

export const TARGET_FLAGS: readonly Flag[] = [
  ...MANIFEST_FLAGS,
  { name: "field-selector", value: "selector", summary: "with these fields: metadata.name=a" },
  { name: "all", summary: "all objects of the type, in the namespace" },
  { name: "all-namespaces", short: "A", summary: "in all namespaces" },
];

interface TargetWish {
  /** A type without names means all of it. */
  readonly allWhenUnnamed?: boolean;
}

/** Fails with CliError. */
export async function readTargets(
  session: Session,
  args: readonly string[],
  flags: Flags,
  { allWhenUnnamed = false }: TargetWish = {},
): Promise<Target[]> {
  if (flags.list("filename").length > 0) return ofFiles(session, args, flags);
  return ofWords(session, args, flags, allWhenUnnamed);
}

/** Exactly one object. Fails with CliError. */
export async function readTarget(session: Session, args: readonly string[]): Promise<Target> {
  const selection = await readSelection(session, args);
  const [first, ...more] = selection;
  const [name, ...others] = first?.names ?? [];
  if (first === undefined || name === undefined || more.length > 0 || others.length > 0)
    throw new CliError("exactly one object must be named: TYPE NAME, or TYPE/NAME");
  return { resource: first.resource, namespace: first.resource.namespaced ? session.namespace : undefined, name };
}

/** Acts on one after the other: of several that fail, each is told of. */
export async function forEachTarget<T>(
  session: Session,
  targets: readonly T[],
  act: (target: T) => Promise<void>,
): Promise<void> {
  for (const target of targets) {
    try {
      await act(target);
    } catch (error) {
      if (targets.length === 1) throw error;
      session.report(error);
    }
  }
}

/** The same for objects of files. */
export function forEachManifest(
  session: Session,
  manifests: readonly Manifest[],
  act: (manifest: Manifest) => Promise<void>,
): Promise<void> {
  return forEachTarget(session, manifests, (manifest) => withPlace(manifests, manifest, act));
}

/** Of several objects of files, what the server says of one is said with the place of that one. */
export async function withPlace<T>(
  manifests: readonly Manifest[],
  manifest: Manifest,
  act: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  try {
    return await act(manifest);
  } catch (error) {
    if (manifests.length === 1 || !(error instanceof ApiError)) throw error;
    const { status, request, attempts } = error;
    const message = `${manifest.place}: ${status.message ?? ""}`;
    throw new ApiError({ status: { ...status, message }, request, attempts });
  }
}

export function targetPath({ resource, namespace, name }: Target, subresource = ""): string {
  return `${pathOf(resource, namespace, name)}${subresource === "" ? "" : `/${subresource}`}`;
}

/** The objects in the files that -f names, of which --selector leaves out some. Fails with CliError. */
export async function manifestsOf(session: Session, flags: Flags): Promise<Manifest[]> {
  const names = flags.list("filename");
  if (names.includes("-")) session.takeStdin("used by stdin resource manifest reader");
  const selector = readSelector(flags);
  const manifests = await readManifests({ names, ...manifestSources(session, flags) });
  if (selector === undefined) return manifests;
  return manifests.filter(({ object }) =>
    selector.matches(memberOf(memberOf(object, "metadata"), "labels") as Record<string, string>),
  );
}

function readSelector(flags: Flags): LabelSelector | undefined {
  const text = flags.text(SELECTOR_FLAG.name);
  try {
    return text === undefined ? undefined : parseLabelSelector(text);
  } catch (error) {
    throw new CliError(`--${SELECTOR_FLAG.name}: ${(error as Error).message}`);
  }
}

/** How files are read, as the flags say. */
export function manifestSources(session: Session, flags: Flags): Omit<ManifestSources, "names"> {
  const { clock, terminal } = session;
  return {
    recursive: flags.switch("recursive"),
    download: flags.switch("allow-urls") ? (url) => download(url, clock) : undefined,
    readInput: terminal.readInput,
  };
}

/** A kind that is not known yet may have come with an object just written. Fails with CliError. */
export async function resourceOfManifest(
  session: Session,
  { apiVersion, kind, place }: Pick<Manifest, "apiVersion" | "kind" | "place">,
): Promise<DiscoveredResource> {
  const known = findKind(await session.discovery(), apiVersion, kind);
  if (known !== undefined) return known;
  session.forgetDiscovery();
  const found = findKind(await session.discovery(), apiVersion, kind);
  if (found !== undefined) return found;
  throw new CliError(
    `${place}: the server has no kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
  );
}

/** The object with the namespace that it is to be written to. Fails with CliError when the command line says another. */
export function withNamespace(session: Session, object: JsonObject): JsonObject {
  const given = session.givenNamespace;
  const own = metadataText(object, "namespace");
  if (own !== undefined && given !== undefined && own !== given) {
    throw new CliError(
      `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(given)}`,
    );
  }
  if (own !== undefined) return object;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), namespace: session.namespace } };
}

/** What a command that changes an object must know of it. Fails with CliError. */
export function nameOfManifest({ object, place }: Manifest): string {
  const name = nameOf(object);
  if (name === "") throw new CliError(`${place}: metadata.name is not set`);
  return name;
}

export function metadataText(object: JsonObject, field: string): string | undefined {
  const metadata = getKey(object, "metadata");
  const value = isObject(metadata) ? getKey(metadata, field) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function ofFiles(session: Session, args: readonly string[], flags: Flags): Promise<Target[]> {
  if (args.length > 0) throw new CliError("names cannot be given together with files");
  const targets: Target[] = [];
  for (const manifest of await manifestsOf(session, flags)) {
    const resource = await resourceOfManifest(session, manifest);
    const namespace = resource.namespaced
      ? (metadataText(manifest.object, "namespace") ?? session.namespace)
      : undefined;
    targets.push({ resource, namespace, name: nameOfManifest(manifest) });
  }
  return targets;
}

async function ofWords(
  session: Session,
  args: readonly string[],
  flags: Flags,
  allWhenUnnamed: boolean,
): Promise<Target[]> {
  const labelSelector = flags.text("selector");
  const fieldSelector = flags.text("field-selector");
  const everything = flags.switch("all") || fieldSelector !== undefined;
  if (flags.switch("all") && labelSelector !== undefined) throw new CliError("--all excludes a selector");
  const namespace = flags.switch("all-namespaces") ? undefined : session.namespace;
  const targets: Target[] = [];
  for (const { resource, names } of await readSelection(session, args)) {
    if (names !== undefined) {
      checkNamed(resource, flags);
      const inside = resource.namespaced ? session.namespace : undefined;
      for (const name of names) targets.push({ resource, namespace: inside, name });
      continue;
    }
    if (labelSelector === undefined && !everything && !allWhenUnnamed) {
      throw new CliError("resource(s) were provided, but no name was specified: give names, a selector, or --all");
    }
    for await (const page of listPages(session, {
      resource,
      namespace,
      labelSelector,
      fieldSelector,
      pageSize: DEFAULT_PAGE_SIZE,
    })) {
      for (const item of itemsOf(page, resource, apiVersionOf(resource))) {
        targets.push({ resource, namespace: metadataText(item, "namespace"), name: nameOf(item) });
      }
    }
  }
  if (targets.length === 0) session.terminal.write("No resources found\n");
  return targets;
}
