// Admission: a new Ingress that names no class gets the default one; of several the newest.
// Requirements: document 3, "IngressClass".

import type { IngressClass } from "../kinds/networking/ingress-class.ts";
import type { Ingress } from "../kinds/networking/ingress-schema.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";

/** As much of a live copy of the classes as the plug-in needs. */
interface IngressClasses {
  values(): Iterable<IngressClass>;
}

export function defaultIngressClass(names: Names, classes: IngressClasses | undefined): AdmissionPlugin {
  const group = names.group("networking");
  return {
    name: "DefaultIngressClass",
    resources: ["ingresses"],
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" && resource.resource === "ingresses" && resource.group === group && subresource === "",
    mutate(request) {
      const ingress = request.object as unknown as Ingress | undefined;
      if (ingress === undefined || ingress.spec.ingressClassName !== undefined) return;
      // The old way to name a class.
      if (ingress.metadata.annotations?.[names.ingressClassAnnotation] !== undefined) return;
      const chosen = chooseDefault(classes?.values() ?? [], names);
      if (chosen?.metadata.name !== undefined) ingress.spec.ingressClassName = chosen.metadata.name;
    },
  };
}

/** The newest class that is marked as default; of equally old ones the first by name. */
function chooseDefault(classes: Iterable<IngressClass>, names: Names): IngressClass | undefined {
  let best: IngressClass | undefined;
  for (const one of classes) {
    const isDefault = one.metadata.annotations?.[names.defaultIngressClassAnnotation] === "true";
    if (isDefault && (best === undefined || isBetter(one, best))) best = one;
  }
  return best;
}

function isBetter({ metadata: a }: IngressClass, { metadata: b }: IngressClass): boolean {
  const [bornA, bornB] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  return bornA === bornB ? (a.name ?? "") < (b.name ?? "") : bornA > bornB;
}
