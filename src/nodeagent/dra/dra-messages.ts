// Messages and procedures of drivers that prepare the devices of resource claims on the node, v1 and v1beta1.

import { message, p } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";

const claim = message({ namespace: p.string(1), uid: p.string(2), name: p.string(3) });
const device = message({
  requestNames: p.many(p.string(1)),
  poolName: p.string(2),
  deviceName: p.string(3),
  cdiDeviceIds: p.many(p.string(4)),
});
const prepared = message({ devices: p.many(p.message(1, device)), error: p.string(2) });
const unprepared = message({ error: p.string(1) });
const claims = message({ claims: p.many(p.message(1, claim)) });

/** Of the service as it is called in full: the versions differ in nothing else. */
export function draProcedures(service: string) {
  const { unary } = serviceMethods(service);
  return {
    prepare: unary(
      "NodePrepareResources",
      claims,
      message({ claims: p.many(p.message(1, message({ key: p.string(1), value: p.message(2, prepared) }))) }),
    ),
    unprepare: unary(
      "NodeUnprepareResources",
      claims,
      message({ claims: p.many(p.message(1, message({ key: p.string(1), value: p.message(2, unprepared) }))) }),
    ),
  } as const;
}
