// Every built-in kind, by group. Nothing is computed here: a kind costs when it is first used.

import { configMap } from "./core/config-map.ts";
import { namespace } from "./core/namespace.ts";
import { secret } from "./core/secret.ts";
import type { Kind } from "./define-kind.ts";

export const ALL_KINDS: readonly Kind[] = [configMap, namespace, secret];
