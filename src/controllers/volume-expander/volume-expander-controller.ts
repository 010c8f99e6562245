// Controller: says of claims that ask for more than they have that somebody else makes their volumes larger: drivers do.

import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../meta/quantity.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";

type Claim = Stored<PersistentVolumeClaim>;

export const volumeExpanderController: ControllerDefinition = {
  name: "persistentvolume-expander-controller",
  reportsAs: "volume_expand",
  aliases: ["persistentvolume-expander"],
  account: "expand-controller",
  build({ client, informers, events }) {
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    return {
      watch(queue) {
        const add = (claim: Claim): void => {
          if (claim.status.phase === "Bound") queue.add(keyText(keyOf(claim)));
        };
        claims.addHandlers({
          added: add,
          updated(claim, old) {
            const grew = isMore(requested(claim), requested(old)) || isMore(capacity(claim), capacity(old));
            if (grew || old.status.phase !== "Bound") add(claim);
          },
        });
      },
      subject: (key) => claims.cache.get(key),
      async reconcile(key) {
        const claim = claims.cache.get(key);
        if (claim === undefined || !isMore(requested(claim), capacity(claim))) return done;
        const volume = await client.core.v1.persistentVolumes().get(claim.spec.volumeName ?? "");
        if (volume.spec.claimRef?.uid !== claim.metadata.uid)
          throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
        events.normal(claim, "ExternalExpanding", "waiting for an external controller to expand this PVC");
        return done;
      },
    };
  },
};

const requested = ({ spec }: Claim): Quantity => storage(spec.resources?.requests);
const capacity = ({ status }: Claim): Quantity => storage(status.capacity);

const ZERO = parseQuantity("0")!;
const storage = (amounts: Readonly<Record<string, string>> | undefined): Quantity =>
  parseQuantity(amounts?.["storage"] ?? "0") ?? ZERO;

const isMore = (one: Quantity, other: Quantity): boolean => compareQuantities(one, other) > 0;
