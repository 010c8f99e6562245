// One version of a definition, ready for use: its schema as trees, its rules, columns and fields. Made on first use and let go
// again when many others were used since, so that definitions that nobody touches cost their bytes only.

import { BoundedCache } from "../../../base/bounded-cache.ts";
import { atOnce, type Steps } from "../../../base/steps.ts";
import type {
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import type { Column, Kind } from "../../../kinds/define-kind.ts";
import { objectMeta } from "../../../kinds/meta/object-meta.ts";
import { keepingUnknown, type Props } from "../../../schema/crd-props.ts";
import { schemaFromCrdInSteps, withObjectMeta } from "../../../schema/from-crd.ts";
import { type RuleNode, ruleTreeOf } from "../../../schema/rule-evaluation.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import { columnsOf, rowFieldsOf } from "./columns.ts";
import type { DefinitionSummary } from "./definition.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";

export interface CompiledVersion {
  /** What pruning, defaulting and validation read. */
  readonly root: StructSchema;
  /** With the metadata that every object has: what apply and encodings read. */
  readonly whole: StructSchema;
  readonly rules: RuleNode | undefined;
  readonly columns: readonly Column[];
  /** What the columns look at; undefined where that may be anything. */
  readonly rowFields: Kind["rowFields"];
  readonly scale: CustomResourceSubresourceScale | undefined;
  /** About what it holds in memory. */
  readonly sizeBytes: number;
}

/** What a definition says of a version. */
export interface DeclaredVersion {
  readonly version: CustomResourceDefinitionVersion;
  /** Of the JSON of it, about. */
  readonly sizeBytes: number;
}

/** Stands for a version of one generation of a definition. */
export interface VersionOwner {
  readonly version: string;
}

/** So many versions stay compiled. */
const MAX_COMPILED = 128;
const MAX_COMPILED_BYTES = 256 * 1024 * 1024;
/** What is derived from a schema is several times as large as its text; the more so, the shorter its parts are. */
const BYTES_PER_JSON_BYTE = 12;
const MS_PER_SECOND = 1000;

/** Without a schema nothing is known and everything is kept. */
const OPEN: Props = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export class CompiledVersions {
  readonly #namespace: string;
  readonly #compiled = new BoundedCache<VersionOwner, CompiledVersion>({
    maxEntries: MAX_COMPILED,
    maxBytes: MAX_COMPILED_BYTES,
    sizeBytes: (_, { sizeBytes }) => sizeBytes,
  });

  readonly #observer: ExpressionObserver;

  /** `namespace`: the brand of library types in expressions. */
  constructor(namespace: string, observer: ExpressionObserver) {
    this.#namespace = namespace;
    this.#observer = observer;
  }

  /** `read` finds what the definition says of the version. */
  get(
    owner: VersionOwner,
    read: () => Steps<DeclaredVersion | undefined>,
    keepsUnknown: DefinitionSummary["keepsUnknown"],
  ): CompiledVersion {
    return this.#compiled.get(owner) ?? atOnce(this.getInSteps(owner, read, keepsUnknown));
  }

  /** The same for large definitions. */
  *getInSteps(
    owner: VersionOwner,
    read: () => Steps<DeclaredVersion | undefined>,
    keepsUnknown: DefinitionSummary["keepsUnknown"],
  ): Steps<CompiledVersion> {
    const known = this.#compiled.get(owner);
    if (known !== undefined) return known;
    const made = yield* this.#compile(yield* read(), keepsUnknown);
    this.#compiled.set(owner, made);
    return made;
  }

  has(owner: VersionOwner): boolean {
    return this.#compiled.get(owner) !== undefined;
  }

  forget(owner: VersionOwner): void {
    this.#compiled.delete(owner);
  }

  *#compile(declared: DeclaredVersion | undefined, keepsUnknown: boolean): Steps<CompiledVersion> {
    const version = declared?.version;
    const root = yield* schemaFromCrdInSteps(yield* propsOf(version, keepsUnknown));
    yield;
    const startMs = performance.now();
    const rules = yield* ruleTreeOf(root, { namespace: this.#namespace });
    if (rules !== undefined) this.#observer.compiled((performance.now() - startMs) / MS_PER_SECOND);
    yield;
    return {
      root,
      whole: withObjectMeta(root, objectMeta),
      rules,
      columns: columnsOf(version?.additionalPrinterColumns),
      rowFields: rowFieldsOf(version?.additionalPrinterColumns),
      scale: version?.subresources?.scale ?? undefined,
      sizeBytes: BYTES_PER_JSON_BYTE * (declared?.sizeBytes ?? 0),
    };
  }
}

/** The schema of a version, as its definition says it. */
export function* propsOf(
  version: CustomResourceDefinitionVersion | undefined,
  keepsUnknown: DefinitionSummary["keepsUnknown"],
): Steps<Props> {
  const declared = (version?.schema?.openAPIV3Schema as Props | undefined) ?? OPEN;
  return keepsUnknown ? yield* keepingUnknown(declared) : declared;
}
