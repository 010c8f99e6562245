// The fields that the row of an object is made of. Pure.

/**
 * Dotted paths as lists of names, with those of the columns that nearly every kind has. Lists on the way are gone through;
 * a last "*" stands for the keys of an object without their values.
 */
export function rowFields(...paths: readonly string[]): readonly (readonly string[])[] {
  return ["metadata.name", "metadata.creationTimestamp", ...paths].map((path) => path.split("."));
}
