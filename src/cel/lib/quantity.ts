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
import { CelDouble, type CelInt, type CelValue } from "../values.ts";
import { ADDRESS_TEXT } from "./ip.ts";
import { OrderedValue, orderFunctions } from "./ordered-values.ts";

type QuantityValue = OrderedValue<Quantity>;

/** Reading a quantity takes so long, however short it is. */
const WORK_PER_QUANTITY = 20;
const NOT_AN_INTEGER = new CelError("cannot convert value to integer");

/** A quantity as expressions see it. */
export const quantityValue = (namespace: string, quantity: Quantity): CelValue =>
  new OrderedValue(typeFor(namespace), quantity, compareQuantities);

const typeFor = (namespace: string): CelType => opaqueType(`${namespace}.Quantity`);

/** `namespace` is the brand that the library's type is named with. */
export function quantityLibrary(namespace: string): Library {
  const type = typeFor(namespace);
  const made = (quantity: Quantity): QuantityValue => new OrderedValue(type, quantity, compareQuantities);
  const calculate =
    (apply: (a: Quantity, b: Quantity) => Quantity) => (a: QuantityValue, b: QuantityValue | CelInt) => {
      return made(apply(a.held, b instanceof OrderedValue ? b.held : quantityOfInt(b)));
    };
  const sign = (value: QuantityValue): CelValue => quantitySign(value.held);
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
            return quantity === undefined ? new CelError(quantityProblem(text) ?? "") : made(quantity);
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
      ...orderFunctions("quantity", type, compareQuantities),
      declareFunction(
        "asApproximateFloat",
        memberOverload(
          "quantity_get_float",
          [type],
          DOUBLE,
          (value: QuantityValue) => new CelDouble(quantityAsFloat(value.held)),
        ),
      ),
      declareFunction(
        "asInteger",
        memberOverload("quantity_get_int", [type], INT, (value: QuantityValue) => {
          const integer = quantityAsInt64(value.held);
          return integer === undefined ? NOT_AN_INTEGER : intOf(integer);
        }),
      ),
      declareFunction(
        "isInteger",
        memberOverload(
          "quantity_is_integer",
          [type],
          BOOL,
          (value: QuantityValue) => quantityAsInt64(value.held) !== undefined,
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
