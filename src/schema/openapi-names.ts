// The names under which OpenAPI documents publish types: upstream's package path, its domain in the dialect.

import type { Names } from "../meta/names.ts";

/** `core.v1.Pod` is published as <reversed domain>.api.core.v1.Pod. */
export function componentName(structName: string, names: Names): string {
  const dot = structName.lastIndexOf(".");
  const pkg = structName.slice(0, dot);
  return `${domainOf(names)}.${PACKAGE_PATHS.get(pkg) ?? `api.${pkg}`}.${structName.slice(dot + 1)}`;
}

/** The name of a custom resource: example.com/v1 Thing is com.example.v1.Thing. */
export function customComponentName(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** Types that are no structs here and definitions of their own there. */
export const WELL_KNOWN = {
  time: "meta.v1.Time",
  microTime: "meta.v1.MicroTime",
  duration: "meta.v1.Duration",
  quantity: "resourceq.Quantity",
  intOrString: "intstr.IntOrString",
  rawExtension: "runtime.RawExtension",
  fieldsV1: "meta.v1.FieldsV1",
  json: "apiextensions.v1.JSON",
  propsOrBool: "apiextensions.v1.JSONSchemaPropsOrBool",
  propsOrArray: "apiextensions.v1.JSONSchemaPropsOrArray",
  propsOrStringArray: "apiextensions.v1.JSONSchemaPropsOrStringArray",
} as const;

const PACKAGE_PATHS: ReadonlyMap<string, string> = new Map([
  ["apiextensions.v1", "apiextensions-apiserver.pkg.apis.apiextensions.v1"],
  ["apiregistration.v1", "kube-aggregator.pkg.apis.apiregistration.v1"],
  ["apiserverconfig.v1", "apiserver.pkg.apis.apiserver.v1"],
  ["audit.v1", "apiserver.pkg.apis.audit.v1"],
  ["clientauthentication.v1", "client-go.pkg.apis.clientauthentication.v1"],
  ["intstr", "apimachinery.pkg.util.intstr"],
  ["meta.v1", "apimachinery.pkg.apis.meta.v1"],
  ["meta.v1beta1", "apimachinery.pkg.apis.meta.v1beta1"],
  ["resourceq", "apimachinery.pkg.api.resource"],
  ["runtime", "apimachinery.pkg.runtime"],
  ["version", "apimachinery.pkg.version"],
]);

/** Every dialect has one domain below which its groups live: that of the networking group. */
function domainOf(names: Names): string {
  return names.group("networking").split(".").slice(1).reverse().join(".");
}
