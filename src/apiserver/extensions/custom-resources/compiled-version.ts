// One version of a definition, ready for use: its schema as trees, its rules, columns and fields. Made on first use and let go
// again when many others were used since, so that definitions that nobody touches cost their bytes only.

import { BoundedCache } from "../../../base/bounded-cache.ts";
import { roughBytes } from "../../../base/rough-bytes.ts";
import type {
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import type { Column, Kind } from "../../../kinds/define-kind.ts";
import { objectMeta } from "../../../kinds/meta/object-meta.ts";
import { keepingUnknown, type Props } from "../../../schema/crd-props.ts";
import { schemaFromCrd, withObjectMeta } from "../../../schema/from-crd.ts";
import { type RuleNode, ruleTreeOf } from "../../../schema/rule-evaluation.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import { columnsOf, rowFieldsOf } from "./columns.ts";
import type { DefinitionSummary } from "./definition.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";

export interface CompiledVersion {
  /** As the definition says it. */
  readonly props: Props;
  /** What pruning, defaulting and validation read. */
  readonly root: StructSchema;
  /** With the metadata that every object has: what apply and encodings read. */
  readonly whole: StructSchema;
  readonly rules: RuleNode | undefined;
  readonly columns: readonly Column[];
  /** What the columns look at; undefined where that may be anything. */
  readonly rowFields: Kind["rowFields"];
  readonly scale: CustomResourceSubresourceScale | undefined;
}

/** So many versions stay compiled. */
const MAX_COMPILED = 128;
const MAX_COMPILED_BYTES = 256 * 1024 * 1024;
const MS_PER_SECOND = 1000;

/** Without a schema nothing is known and everything is kept. */
const OPEN: Props = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export class CompiledVersions {
  readonly #namespace: string;
  readonly #compiled = new BoundedCache<object, CompiledVersion>({
    maxEntries: MAX_COMPILED,
    maxBytes: MAX_COMPILED_BYTES,
    // What is derived from a schema is about as large as the schema, several times over.
    sizeBytes: (_, { props }) => 4 * roughBytes(props),
  });

  readonly #observer: ExpressionObserver;

  /** `namespace`: the brand of library types in expressions. */
  constructor(namespace: string, observer: ExpressionObserver) {
    this.#namespace = namespace;
    this.#observer = observer;
  }

  /** `owner` stands for the version; `read` finds what the definition says of it. */
  get(
    owner: object,
    read: () => CustomResourceDefinitionVersion | undefined,
    { keepsUnknown }: Pick<DefinitionSummary, "keepsUnknown">,
  ): CompiledVersion {
    return this.#compiled.getOrMake(owner, () => this.#compile(read(), keepsUnknown));
  }

  forget(owner: object): void {
    this.#compiled.delete(owner);
  }

  #compile(version: CustomResourceDefinitionVersion | undefined, keepsUnknown: boolean): CompiledVersion {
    const declared = (version?.schema?.openAPIV3Schema as Props | undefined) ?? OPEN;
    const props = keepsUnknown ? keepingUnknown(declared) : declared;
    const root = schemaFromCrd(props);
    const startMs = performance.now();
    const rules = ruleTreeOf(root, { namespace: this.#namespace });
    if (rules !== undefined) this.#observer.compiled((performance.now() - startMs) / MS_PER_SECOND);
    return {
      props,
      root,
      whole: withObjectMeta(root, objectMeta),
      rules,
      columns: columnsOf(version?.additionalPrinterColumns),
      rowFields: rowFieldsOf(version?.additionalPrinterColumns),
      scale: version?.subresources?.scale ?? undefined,
    };
  }
}
