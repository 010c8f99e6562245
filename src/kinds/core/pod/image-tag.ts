// The tag of a container image, as far as the pull policy depends on it.

/** The policy for an image that has none: a tag that moves is always pulled. */

export function defaultPullPolicy(image: string | undefined): "Always" | "IfNotPresent" {
  return tagOf(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

const MAX_IMAGE_LENGTH = 4096;
const PATH_PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]+)?$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** `latest` when there is neither tag nor digest, empty when the image cannot be read. */
function tagOf(image: string): string {
  if (image.length > MAX_IMAGE_LENGTH) return "";
  const [name = "", digest, ...rest] = image.split("@");
  if (rest.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return "";
  // The colon of a port stands before a slash, that of a tag behind the last one.
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const repository = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  if (!isRepository(repository) || (tag !== undefined && !TAG.test(tag))) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}

function isRepository(repository: string): boolean {
  const parts = repository.split("/");
  const first = parts[0]!;
  const hasDomain = parts.length > 1 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  if (hasDomain && !DOMAIN.test(first)) return false;
  return (hasDomain ? parts.slice(1) : parts).every((part) => PATH_PART.test(part));
}
