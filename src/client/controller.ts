// The operator toolkit: a controller is declared by the kind it works for, what else it looks at, and one function that
// brings the world nearer to what an object asks for. Everything else (informers, queue, retries, finalizers) is here.
//
//   const controller = defineController({
//     name: "website", for: website, owns: [deployment],
//     async reconcile(site, { client, owned }) { ... },
//   });
//   await runControllers({ client, controllers: [controller] }, signal);

export { type Condition, conditionOf, conditionsSchema, setCondition } from "./controllers/conditions.ts";
export {
  type AnyController,
  againAfterMs,
  type ControllerDefinition,
  defineController,
  done,
  type Outcome,
  type ReconcileContext,
} from "./controllers/controller-definition.ts";
export { ownerReferenceTo } from "./controllers/owner-reference.ts";
export { annotationsChanged, anyOf, generationChanged, labelsChanged } from "./controllers/predicates.ts";
export { type ControllerRun, runControllers } from "./controllers/run-controllers.ts";
export { owned, type Predicate, watched } from "./controllers/watch-declaration.ts";
