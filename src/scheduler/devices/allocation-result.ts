// What was found for a claim, as its status says it. Pure.

import { equalJson } from "../../base/json.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../kinds/core/node-selector.ts";
import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { Device } from "../../kinds/resource/resource-slice-schema.ts";
import { formatQuantity } from "../../meta/quantity.ts";
import type { CapacityAmounts } from "../state/capacity-amounts.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { PooledDevice } from "./pools.ts";
import type { Way } from "./requests.ts";

export interface Taken {
  readonly device: PooledDevice;
  readonly way: Way;
  /** Of a device that others may use, too. */
  readonly share: CapacityAmounts | undefined;
}

export function allocationOf(
  claim: DeviceClaim,
  taken: readonly Taken[],
  nodeName: string,
  { newShareId }: Pick<DeviceLookup, "newShareId">,
): AllocationResult {
  const results = taken.map(({ device: { device, slice }, way, share }) => ({
    request: way.name,
    driver: slice.spec.driver,
    pool: slice.spec.pool.name,
    device: device.name,
    ...(way.isAdmin ? { adminAccess: true } : {}),
    ...(way.tolerations.length === 0 ? {} : { tolerations: [...way.tolerations] }),
    ...conditionsOf(device),
    ...(share === undefined ? {} : { shareID: newShareId() }),
    ...(share === undefined || share.size === 0 ? {} : { consumedCapacity: textsOf(share) }),
  }));
  const config = configurationOf(claim, taken);
  const nodeSelector = nodeSelectorOf(taken, nodeName);
  return {
    devices: { results, ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function conditionsOf({ bindingConditions = [], bindingFailureConditions = [] }: Device) {
  return {
    ...(bindingConditions.length === 0 ? {} : { bindingConditions: [...bindingConditions] }),
    ...(bindingFailureConditions.length === 0 ? {} : { bindingFailureConditions: [...bindingFailureConditions] }),
  };
}

const textsOf = (amounts: CapacityAmounts): Record<string, string> =>
  Object.fromEntries(Array.from(amounts, ([name, amount]) => [name, formatQuantity(amount)]));

type Configuration = NonNullable<NonNullable<AllocationResult["devices"]>["config"]>;

/** Of the classes first, then of the claim as far as it concerns what was chosen. */
function configurationOf({ spec }: DeviceClaim, taken: readonly Taken[]): Configuration {
  const ways = (spec.devices?.requests ?? []).flatMap(
    ({ name }) => taken.find(({ way }) => way.requestName === name)?.way ?? [],
  );
  const ofClasses = ways.flatMap(({ deviceClass }) =>
    (deviceClass.spec.config ?? []).map((each) => ({ source: "FromClass", ...each })),
  );
  const ofClaim = (spec.devices?.config ?? []).flatMap((each) => {
    const { requests = [] } = each;
    const concerned = ways.filter(({ name, requestName }) => requests.includes(requestName) || requests.includes(name));
    // As often as it is meant.
    const times = requests.length === 0 ? 1 : concerned.length;
    return Array.from({ length: times }, () => ({ source: "FromClaim", ...each }));
  });
  return [...ofClasses, ...ofClaim];
}

/** Where all devices of the claim can be used; undefined: everywhere. */
function nodeSelectorOf(taken: readonly Taken[], nodeName: string): AllocationResult["nodeSelector"] {
  const fields: NodeSelectorRequirement[] = [];
  const expressions: NodeSelectorRequirement[] = [];
  for (const { device } of taken) {
    const { spec } = device.slice;
    const where = spec.perDeviceNodeSelection === true ? device.device : spec;
    if (where.nodeName || device.device.bindsToNode === true)
      return {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }],
      };
    const [term]: readonly NodeSelectorTerm[] = where.nodeSelector?.nodeSelectorTerms ?? [];
    addMissing(fields, term?.matchFields ?? []);
    addMissing(expressions, term?.matchExpressions ?? []);
  }
  if (fields.length === 0 && expressions.length === 0) return undefined;
  const term = {
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
    ...(fields.length === 0 ? {} : { matchFields: fields }),
  };
  return { nodeSelectorTerms: [term] };
}

function addMissing(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[]): void {
  const sorted = ({ values, ...others }: NodeSelectorRequirement) => ({
    ...others,
    values: [...(values ?? [])].sort(),
  });
  for (const each of from) if (!to.some((known) => equalJson(sorted(known), sorted(each)))) to.push(each);
}
