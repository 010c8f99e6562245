// One look at a Deployment: brings its ReplicaSets a step nearer, and says how far it has come.

import { cloneJson, equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { againAfterMs, type ControllerContext, done, type Outcome } from "../framework/controller.ts";
import { controllerOf } from "../pods-of-owner/claim-objects.ts";
import { errorWords, isEndingNamespace } from "../pods-of-owner/error-words.ts";
import type { DeploymentCondition } from "./conditions.ts";
import { availableConditions, countReplicas, failureConditions, sameStatus } from "./deployment-status.ts";
import { setsToForget } from "./history.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { isComplete, msUntilDeadline, newSetConditions, pausedConditions, progressConditions } from "./progress.ts";
import { isScalingEvent, planScaling } from "./proportional-scaling.ts";
import { isActiveSet, type OwnedSet, replicasOf, type SetsOfDeployment, splitSets, sumOf } from "./replica-sets.ts";
import { currentSetAnnotations, nextRevision, recordedSizes, sizeAnnotations } from "./revision.ts";
import { planRollingUpdate, type Scaling } from "./rolling-update.ts";
import { historyLimit, type RolloutLimits, rolloutLimits } from "./rollout-limits.ts";
import { equalTemplates } from "./template-hash.ts";

interface RolloutParts {
  readonly context: ControllerContext;
  readonly deployment: Stored<Deployment>;
  /** All that belong to it. */
  readonly sets: readonly OwnedSet[];
  /** The pods of a set, those included that end. */
  readonly podsOf: (set: OwnedSet) => readonly Pod[];
}

/** Whether a status is about the rollout, or only counts. */
type Report = "progress" | "counts";

export class Rollout {
  readonly #context: ControllerContext;
  readonly #deployment: Stored<Deployment>;
  readonly #podsOf: RolloutParts["podsOf"];
  readonly #limits: RolloutLimits;
  #sets: SetsOfDeployment;
  #conditions: readonly DeploymentCondition[];
  #collisionCount: number | undefined;
  #revision: string | undefined;

  constructor({ context, deployment, sets, podsOf }: RolloutParts) {
    this.#context = context;
    this.#deployment = deployment;
    this.#podsOf = podsOf;
    this.#limits = rolloutLimits(deployment);
    this.#sets = splitSets(deployment.spec.template, sets);
    this.#conditions = deployment.status.conditions ?? [];
    this.#collisionCount = deployment.status.collisionCount;
    this.#revision = deployment.metadata.annotations?.[context.names.deploymentRevisionAnnotation];
  }

  async run(): Promise<Outcome> {
    let report: Report;
    try {
      report = await this.#act();
    } catch (error) {
      // What was learned is kept; the counts belong to a step that was not made.
      const { conditions: _conditions, ...counts } = this.#deployment.status;
      await this.#write(counts);
      if (isEndingNamespace(error)) return done;
      throw error;
    }
    const { clock, gateEnabled } = this.#context;
    const nowMs = clock.nowMs();
    const deployment = this.#deployment;
    const withTerminating = gateEnabled("DeploymentReplicaSetTerminatingReplicas");
    const counts = countReplicas(deployment, this.#sets, withTerminating);
    this.#conditions = availableConditions(this.#conditions, this.#limits, counts.availableReplicas ?? 0, nowMs);
    if (report === "progress") {
      const current = this.#sets.current?.metadata.name;
      const subject = current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current}"`;
      const change = { before: deployment.status, now: counts, subject };
      this.#conditions = progressConditions(deployment, this.#conditions, change, nowMs);
      this.#conditions = failureConditions(this.#conditions, this.#sets);
    }
    await this.#write(counts);
    const waitMs = msUntilDeadline(deployment, this.#conditions, counts, nowMs);
    return waitMs === undefined ? done : againAfterMs(waitMs);
  }

  async #act(): Promise<Report> {
    const { clock, names } = this.#context;
    const { metadata, spec } = this.#deployment;
    if (metadata.deletionTimestamp !== undefined) return "counts";
    this.#conditions = pausedConditions(this.#deployment, this.#conditions, clock.nowMs());
    const recorded = recordedSizes(names);
    if (spec.paused === true || isScalingEvent(this.#sets, this.#limits, recorded)) {
      await this.#updateCurrent();
      await this.#scale(planScaling(this.#deployment, this.#limits, this.#sets, recorded));
      if (spec.paused === true) await this.#forgetHistory();
      return "counts";
    }
    const waits = spec.strategy.type === "Recreate" ? await this.#recreate() : await this.#roll();
    if (!waits && isComplete(this.#deployment, this.#deployment.status)) await this.#forgetHistory();
    return "progress";
  }

  /** True while something was scaled or has to end first. */
  async #roll(): Promise<boolean> {
    const current = (await this.#updateCurrent()) ?? (await this.#createCurrent());
    return this.#scale(planRollingUpdate(this.#limits, { ...this.#sets, current }));
  }

  /** All old pods end before the first new one begins. */
  async #recreate(): Promise<boolean> {
    const found = await this.#updateCurrent();
    const active = this.#sets.old.filter(isActiveSet);
    if (await this.#scale(active.map((set) => ({ set, replicas: 0 })))) return true;
    if (this.#oldPodsRun()) return true;
    const current = found ?? (await this.#createCurrent());
    const { replicas } = this.#limits;
    return replicasOf(current) === replicas ? false : this.#scale([{ set: current, replicas }]);
  }

  #oldPodsRun(): boolean {
    const { old } = this.#sets;
    if (sumOf(old, ({ status }) => status.replicas) > 0) return true;
    const runs = ({ status: { phase } }: Pod) => phase !== "Failed" && phase !== "Succeeded";
    return old.some((set) => this.#podsOf(set).some(runs));
  }

  /** Tells the current set which revision it is, and what else the deployment says of it. Undefined when there is none. */
  async #updateCurrent(): Promise<OwnedSet | undefined> {
    const { names, clock } = this.#context;
    const { current, old } = this.#sets;
    if (current === undefined) return undefined;
    const { spec } = this.#deployment;
    const held = current.metadata.annotations ?? {};
    const annotations = currentSetAnnotations(names, this.#deployment, held, nextRevision(names, old));
    let updated = current;
    const sameWait = (current.spec.minReadySeconds ?? 0) === (spec.minReadySeconds ?? 0);
    if (!sameWait || !equalJson(annotations, held)) {
      updated = await this.#updateSet(current, (set) => {
        set.metadata.annotations = annotations;
        set.spec.minReadySeconds = spec.minReadySeconds ?? 0;
      });
    }
    this.#revision = annotations[names.deploymentRevisionAnnotation];
    const message = `Found new replica set "${current.metadata.name}"`;
    this.#conditions = newSetConditions(this.#deployment, this.#conditions, { type: "found", message }, clock.nowMs());
    return updated;
  }

  async #createCurrent(): Promise<OwnedSet> {
    const { client, events, names, clock } = this.#context;
    const deployment = this.#deployment;
    const { old } = this.#sets;
    const revision = nextRevision(names, old);
    const draft = newReplicaSet(names, { deployment, limits: this.#limits, old, revision });
    const { name } = draft.metadata;
    const note = (type: "created" | "refused", message: string) => {
      this.#conditions = newSetConditions(deployment, this.#conditions, { type, message }, clock.nowMs());
    };
    let current: OwnedSet;
    try {
      current = await client.apps.v1.replicaSets(deployment.metadata.namespace).create(draft);
      note("created", `Created new replica set "${name}"`);
      if (replicasOf(current) > 0)
        events.normal(deployment, SCALING, `Scaled up replica set ${name} from 0 to ${replicasOf(current)}`);
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) {
        current = await this.#takeExisting(name, error);
      } else {
        if (!isEndingNamespace(error)) {
          const message = `Failed to create new replica set "${name}": ${errorWords(error)}`;
          note("refused", message);
          events.warning(deployment, "ReplicaSetCreateError", message);
        }
        throw error;
      }
    }
    this.#revision = String(revision);
    this.#sets = { current, old };
    return current;
  }

  /** The name is taken: by the very set that was meant, which the cache does not show yet, or by another. */
  async #takeExisting(name: string, error: unknown): Promise<OwnedSet> {
    const { client } = this.#context;
    const { metadata, spec } = this.#deployment;
    const existing = await client.apps.v1.replicaSets(metadata.namespace).find(name);
    if (
      existing !== undefined &&
      controllerOf(existing)?.uid === metadata.uid &&
      equalTemplates(existing.spec.template, spec.template)
    )
      return existing;
    // Another name next time.
    this.#collisionCount = (this.#collisionCount ?? 0) + 1;
    throw error;
  }

  /** One set after the other; true when any had to be changed in size. */
  async #scale(scalings: readonly Scaling[]): Promise<boolean> {
    const { events, names } = this.#context;
    const sizes = sizeAnnotations(names, this.#limits);
    let scaled = false;
    for (const { set, replicas } of scalings) {
      const before = replicasOf(set);
      const annotations = { ...set.metadata.annotations, ...sizes };
      if (before === replicas && equalJson(annotations, set.metadata.annotations)) continue;
      await this.#updateSet(set, (changed) => {
        changed.metadata.annotations = annotations;
        changed.spec.replicas = replicas;
      });
      if (before === replicas) continue;
      scaled = true;
      const way = replicas > before ? "up" : "down";
      const message = `Scaled ${way} replica set ${set.metadata.name} from ${before} to ${replicas}`;
      events.normal(this.#deployment, SCALING, message);
    }
    return scaled;
  }

  /** With its version: a step that was planned on an older one must not be made. */
  async #updateSet(set: OwnedSet, change: (set: OwnedSet) => void): Promise<OwnedSet> {
    const changed = cloneJson(set);
    change(changed);
    const updated = await this.#context.client.apps.v1.replicaSets(set.metadata.namespace).update(changed);
    const { current, old } = this.#sets;
    this.#sets = {
      current: current === set ? updated : current,
      old: old.map((each) => (each === set ? updated : each)),
    };
    return updated;
  }

  async #forgetHistory(): Promise<void> {
    const { client, names } = this.#context;
    const { old } = this.#sets;
    for (const { metadata } of setsToForget(names, old, historyLimit(this.#deployment))) {
      const { namespace, name, uid, resourceVersion } = metadata;
      try {
        // With its version: it may have got pods since.
        await client.apps.v1.replicaSets(namespace).delete(name, { preconditions: { uid, resourceVersion } });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
    }
  }

  /** Status and revision, in one go, when either is new. */
  async #write(counts: Omit<Deployment["status"], "conditions">): Promise<void> {
    const { client, names } = this.#context;
    const deployment = this.#deployment;
    const held = deployment.metadata.annotations;
    const annotations =
      this.#revision === undefined ? held : { ...held, [names.deploymentRevisionAnnotation]: this.#revision };
    const { collisionCount: _before, ...rest } = counts;
    const status = {
      ...rest,
      ...(this.#collisionCount === undefined ? {} : { collisionCount: this.#collisionCount }),
      conditions: [...this.#conditions],
    };
    if (sameStatus(status, deployment.status) && equalJson(annotations, held)) return;
    const metadata = annotations === undefined ? deployment.metadata : { ...deployment.metadata, annotations };
    const { status: endpoint } = client.apps.v1.deployments(deployment.metadata.namespace);
    await endpoint.update({ ...deployment, metadata, status }, { answer: "unread" });
  }
}

const SCALING = "ScalingReplicaSet";
