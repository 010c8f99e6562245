// Maps that the server adds to: a wide one is copied in steps, and its keys are handed on.

import { expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import type { Steps } from "../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf, settleKeys } from "../base/wide-keys.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { completed, context } from "./complete.testing.ts";
import { namespace } from "./core/namespace.ts";
import { secret } from "./core/secret.ts";
import type { Kind } from "./define-kind.ts";

function wide(): Record<string, string> {
  const map = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, index) => [`k${index}`, "dg=="]));
  settleKeys(map, Object.keys(map));
  return map;
}

/** What defaults make of an object with this map. */
function filled<T>(kind: Kind<T>, draft: object, put: (object: T) => void) {
  const object = completed(kind, draft as never);
  put(object);
  const work = kind.hooks!.default!(object, context) as Steps<void>;
  return { object, ...counted(work) };
}

it.each([
  [
    "labels of a namespace",
    () => {
      const { object, steps } = filled(namespace, {}, ({ metadata }) => {
        Object.assign(metadata, { name: "n", labels: wide() });
      });
      return { map: object.metadata.labels!, steps, added: { "kubernetes.io/metadata.name": "n" } };
    },
  ],
  [
    "annotations of a daemon set",
    () => {
      const { object, steps } = filled(daemonSet, {}, ({ metadata }) => {
        metadata.annotations = wide();
      });
      return { map: object.metadata.annotations!, steps, added: { "deprecated.daemonset.template.generation": "0" } };
    },
  ],
  [
    "data of a secret",
    () => {
      const { object, steps } = filled(secret, {}, (object) => {
        Object.assign(object, { data: wide(), stringData: { a: "1", k1: "2" } });
      });
      return { map: object.data!, steps, added: { a: "MQ==", k1: "Mg==" } };
    },
  ],
])("%s", (_, make) => {
  const { map, steps, added } = make();
  expect(map).toEqual({ ...wide(), ...added });
  expect(steps).toBeGreaterThan(3);
  expect(isSettled(map)).toBe(true);
  expect(keysOf(map)).toEqual(Object.keys(map));
});
