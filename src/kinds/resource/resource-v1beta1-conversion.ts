// Claims and slices of the resource group between the versions v1beta1 and v1. Pure; the given object is not changed.

import type { ApiObject } from "../../meta/object.ts";

type Members = Record<string, unknown>;

export const claimToV1 = (claim: ApiObject): ApiObject => withSpec(claim, (spec) => mapRequests(spec, requestToV1));
export const claimFromV1 = (claim: ApiObject): ApiObject => withSpec(claim, (spec) => mapRequests(spec, requestFromV1));

export const templateToV1 = (template: ApiObject): ApiObject => withInnerSpec(template, requestToV1);
export const templateFromV1 = (template: ApiObject): ApiObject => withInnerSpec(template, requestFromV1);

export const sliceToV1 = (slice: ApiObject): ApiObject => withSpec(slice, sliceSpecToV1);
export const sliceFromV1 = (slice: ApiObject): ApiObject => withSpec(slice, sliceSpecFromV1);

/** A request names exactly one kind of device in members of its own, or several to choose from. */
function requestToV1({ name, firstAvailable, ...exactly }: Members): Members {
  const asksExactly = Object.values(exactly).some((value) => value !== undefined && value !== "");
  return {
    name,
    ...(asksExactly && { exactly: { deviceClassName: "", ...exactly } }),
    ...(firstAvailable !== undefined && { firstAvailable }),
  };
}

function requestFromV1({ name, exactly, firstAvailable }: Members): Members {
  return {
    name,
    deviceClassName: "",
    ...(exactly as Members | undefined),
    ...(firstAvailable !== undefined && { firstAvailable }),
  };
}

function sliceSpecToV1({ devices, ...spec }: Members): Members {
  return {
    ...spec,
    devices: mapList(devices, ({ basic, ...device }) => ({ ...device, ...(basic as Members | undefined) })),
  };
}

function sliceSpecFromV1({ devices, nodeName, allNodes, ...spec }: Members): Members {
  return {
    ...spec,
    // Not pointers here: empty is absent.
    ...(nodeName ? { nodeName } : {}),
    ...(allNodes ? { allNodes } : {}),
    devices: mapList(devices, ({ name, ...basic }) => ({ name, basic })),
  };
}

function mapRequests(spec: Members, convert: (request: Members) => Members): Members {
  const devices = (spec["devices"] ?? {}) as Members;
  if (devices["requests"] === undefined) return spec;
  return { ...spec, devices: { ...devices, requests: mapList(devices["requests"], convert) } };
}

function withInnerSpec(template: ApiObject, convert: (request: Members) => Members): ApiObject {
  return withSpec(template, (outer) => ({ ...outer, spec: mapRequests((outer["spec"] ?? {}) as Members, convert) }));
}

function withSpec(object: ApiObject, convert: (spec: Members) => Members): ApiObject {
  return { ...object, spec: convert((object["spec"] ?? {}) as Members) };
}

function mapList(list: unknown, convert: (element: Members) => Members): unknown {
  return Array.isArray(list) ? list.map((element: Members) => convert(element)) : list;
}
