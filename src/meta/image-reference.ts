// References of container images: a registry, a repository, a tag and a digest, most of which may be left out.

interface ImageReference {
  /** `registry.example.com/team/app` */
  readonly repository: string;
  /** `registry.example.com`, undefined where the reference names none. */
  readonly registry?: string;
  readonly tag?: string;
  readonly digest?: string;
}

const MAX_IMAGE_LENGTH = 4096;
/** Of a repository with its registry, which stands before it where the reference names none. */
const MAX_REPOSITORY_LENGTH = 255;
const USUAL_REGISTRY = "docker.io/";
const USUAL_FOLDER = "library/";
const PATH_PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const DOMAIN = /^(?:\[[a-fA-F0-9:]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?)(?::[0-9]+)?$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Undefined when the text is no reference. */
export function parseImage(image: string): ImageReference | undefined {
  if (image === "" || image.length > MAX_IMAGE_LENGTH) return undefined;
  const [name = "", digest, ...rest] = image.split("@");
  if (rest.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  // The colon of a port stands before a slash, that of a tag behind the last one.
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const repository = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  // The identifier of an image is none of a repository.
  if (/^[0-9a-f]{64}$/.test(name)) return undefined;
  const registry = registryOf(repository);
  const path = registry === undefined ? repository : repository.slice(registry.length + 1);
  if (registry !== undefined && !DOMAIN.test(registry)) return undefined;
  const unsaid = registry === undefined ? USUAL_REGISTRY + (path.includes("/") ? "" : USUAL_FOLDER) : "";
  if (unsaid.length + repository.length > MAX_REPOSITORY_LENGTH) return undefined;
  if (!path.split("/").every((part) => PATH_PART.test(part)) || (tag !== undefined && !TAG.test(tag))) return undefined;
  return {
    repository,
    ...(registry === undefined ? {} : { registry }),
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The first part, where it cannot be one of a path. */
function registryOf(repository: string): string | undefined {
  const slash = repository.indexOf("/");
  const first = repository.slice(0, slash);
  const isRegistry = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  return isRegistry ? first : undefined;
}
