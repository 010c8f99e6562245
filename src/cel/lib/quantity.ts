// The quantity library: amounts such as 500m and 1Gi, compared and added exactly.

import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityAsFloat,
  quantityAsInt64,
  quantityOfInt,
  quantityProblem,
  quantitySign,
  subtractQuantities,
} from "../../meta/quantity.ts";
import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { intOf } from "../operations/numbers.ts";
import { countWork } from "../operations/work.ts";
import { BOOL, type CelType, DOUBLE, INT, opaqueType, STRING } from "../types.ts";
import { CelDouble, type CelInt, CelOpaque, type CelValue } from "../values.ts";
import { ADDRESS_TEXT } from "./ip.ts";

class QuantityValue extends CelOpaque {
  readonly type: CelType;
  readonly quantity: Quantity;

  constructor(type: CelType, quantity: Quantity) {
    super();
    this.type = type;
    this.quantity = quantity;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

/** Reading a quantity takes so long, however short it is. */
const WORK_PER_QUANTITY = 20;
const NOT_AN_INTEGER = new CelError("cannot convert value to integer");

/** `namespace` is the brand that the library's type is named with. */
export function quantityLibrary(namespace: string): Library {
  const type = opaqueType(`${namespace}.Quantity`);
  const order = (test: (order: number) => CelValue) => (a: QuantityValue, b: QuantityValue) => {
    return test(compareQuantities(a.quantity, b.quantity));
  };
  const calculate =
    (apply: (a: Quantity, b: Quantity) => Quantity) => (a: QuantityValue, b: QuantityValue | CelInt) => {
      return new QuantityValue(type, apply(a.quantity, b instanceof QuantityValue ? b.quantity : quantityOfInt(b)));
    };
  const sign = (value: QuantityValue): CelValue => quantitySign(value.quantity);
  return {
    name: "quantity",
    types: [type],
    functions: [
      declareFunction(
        "quantity",
        globalOverload(
          "string_to_quantity",
          [STRING],
          type,
          (text: string) => {
            countWork(WORK_PER_QUANTITY);
            const quantity = parseQuantity(text);
            return quantity === undefined
              ? new CelError(quantityProblem(text) ?? "")
              : new QuantityValue(type, quantity);
          },
          ADDRESS_TEXT,
        ),
      ),
      declareFunction(
        "isQuantity",
        globalOverload(
          "is_quantity_string",
          [STRING],
          BOOL,
          (text: string) => {
            countWork(WORK_PER_QUANTITY);
            return parseQuantity(text) !== undefined;
          },
          ADDRESS_TEXT,
        ),
      ),
      // The document lists sign among the members; upstream declares it as a plain function. Both work.
      declareFunction(
        "sign",
        globalOverload("quantity_sign", [type], INT, sign),
        memberOverload("quantity_sign_member", [type], INT, sign),
      ),
      declareFunction(
        "isGreaterThan",
        memberOverload(
          "quantity_is_greater_than",
          [type, type],
          BOOL,
          order((found) => found > 0),
        ),
      ),
      declareFunction(
        "isLessThan",
        memberOverload(
          "quantity_is_less_than",
          [type, type],
          BOOL,
          order((found) => found < 0),
        ),
      ),
      declareFunction(
        "compareTo",
        memberOverload(
          "quantity_compare_to",
          [type, type],
          INT,
          order((found) => found),
        ),
      ),
      declareFunction(
        "asApproximateFloat",
        memberOverload(
          "quantity_get_float",
          [type],
          DOUBLE,
          (value: QuantityValue) => new CelDouble(quantityAsFloat(value.quantity)),
        ),
      ),
      declareFunction(
        "asInteger",
        memberOverload("quantity_get_int", [type], INT, (value: QuantityValue) => {
          const integer = quantityAsInt64(value.quantity);
          return integer === undefined ? NOT_AN_INTEGER : intOf(integer);
        }),
      ),
      declareFunction(
        "isInteger",
        memberOverload(
          "quantity_is_integer",
          [type],
          BOOL,
          (value: QuantityValue) => quantityAsInt64(value.quantity) !== undefined,
        ),
      ),
      declareFunction(
        "add",
        memberOverload("quantity_add", [type, type], type, calculate(addQuantities)),
        memberOverload("quantity_add_int", [type, INT], type, calculate(addQuantities)),
      ),
      declareFunction(
        "sub",
        memberOverload("quantity_sub", [type, type], type, calculate(subtractQuantities)),
        memberOverload("quantity_sub_int", [type, INT], type, calculate(subtractQuantities)),
      ),
    ],
  };
}
