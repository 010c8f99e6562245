// The environments of the API, by version: which libraries and rules an expression may use.
// A function that arrives in a version is allowed at once in expressions that are stored already, and one version
// later in new ones, so that the previous version of the server can still read what is stored.

import type { Library } from "./declarations.ts";
import { Environment } from "./environment.ts";
import { authorizerLibrary, authorizerSelectorsLibrary, authorizerTypes } from "./lib/authorizer.ts";
import { bindingsLibrary } from "./lib/bindings.ts";
import { cidrLibrary } from "./lib/cidr.ts";
import { extendedListsLibrary } from "./lib/extended-lists.ts";
import { formatLibrary } from "./lib/format.ts";
import { ipLibrary } from "./lib/ip.ts";
import { jsonPatchLibrary } from "./lib/json-patch.ts";
import { listsLibrary } from "./lib/lists.ts";
import { optionalLibrary } from "./lib/optional.ts";
import { quantityLibrary } from "./lib/quantity.ts";
import { regexLibrary } from "./lib/regex.ts";
import { semverLibrary } from "./lib/semver.ts";
import { setsLibrary } from "./lib/sets.ts";
import { standardFunctions } from "./lib/standard-functions.ts";
import { crossTypeComparisons, standardOperators } from "./lib/standard-operators.ts";
import { standardTime } from "./lib/standard-time.ts";
import { stringsLibrary } from "./lib/strings.ts";
import { twoVariableLibrary } from "./lib/two-variable.ts";
import { urlsLibrary } from "./lib/urls.ts";

interface ApiEnvironmentOptions {
  /** The minor version of the API, 34 for 1.34: what was introduced up to it is there. */
  readonly minor: number;
  /** The brand that types of libraries are named with: the dialect. */
  readonly namespace: string;
  /** Selectors in authorizer checks: their gate. Default true. */
  readonly authorizerSelectors?: boolean;
  /** For expressions that build patches. */
  readonly jsonPatch?: boolean;
  /** For expressions that select devices: `cel.bind`. */
  readonly bindings?: boolean;
}

/** An environment without variables: `withVariables` adds those of a field. Environments of one kind are shared. */
export function apiEnvironment(options: ApiEnvironmentOptions): Environment {
  const { minor, namespace, authorizerSelectors = true, jsonPatch = false, bindings = false } = options;
  const key = `${Math.min(minor, NEWEST)} ${namespace} ${authorizerSelectors} ${jsonPatch} ${bindings}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const made = new Environment({
    libraries: apiLibraries({ minor, namespace, authorizerSelectors, jsonPatch, bindings }),
    optionalSyntax: minor >= 28,
    validateLiterals: minor >= 29,
  });
  environments.set(key, made);
  return made;
}

/** Later versions have nothing more. */
const NEWEST = 34;

/** As many as there are versions and options: bounded by the key. */
const environments = new Map<string, Environment>();

export function apiLibraries(options: Required<ApiEnvironmentOptions>): Library[] {
  const { minor, namespace, authorizerSelectors, jsonPatch, bindings } = options;
  const types = authorizerTypes(namespace);
  const since = (introduced: number, ...added: Library[]): Library[] => (minor >= introduced ? added : []);
  return [
    standardOperators,
    standardFunctions,
    standardTime,
    urlsLibrary(namespace),
    regexLibrary,
    listsLibrary,
    stringsLibrary(minor >= 29 ? 2 : 0),
    ...since(27, authorizerLibrary(types)),
    ...since(28, crossTypeComparisons, optionalLibrary, quantityLibrary(namespace)),
    ...since(29, setsLibrary),
    ...since(30, ipLibrary, cidrLibrary),
    ...since(31, formatLibrary(namespace), ...(authorizerSelectors ? [authorizerSelectorsLibrary(types)] : [])),
    ...since(32, twoVariableLibrary),
    ...since(33, semverLibrary(namespace)),
    ...since(34, extendedListsLibrary),
    ...(jsonPatch ? [jsonPatchLibrary] : []),
    ...(bindings ? [bindingsLibrary] : []),
  ];
}

export type { AuthorizerAnswer, AuthorizerPort, AuthorizerQuestion } from "./lib/authorizer.ts";
export { authorizerTypes, authorizerValue, requestResourceValue } from "./lib/authorizer.ts";
export { quantityValue } from "./lib/quantity.ts";
export { semverValue } from "./lib/semver.ts";
