// Controller: chooses who holds a lease among the LeaseCandidates that want it. It runs in the process of an API server, in
// one of several, and not in a manager: who waits to be chosen is the manager.

import { kinds } from "../../client/built-in-kinds.ts";
import { parseKeyText } from "../../client/informer.ts";
import { againAfterMs, type ControllerDefinition, done, type KeyQueue } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";
import { ANSWER_MS, nextStep, pingTimeOf } from "./election-step.ts";
import { FollowedLeases } from "./followed-leases.ts";
import { type Candidate, leaseKeyOf } from "./lease-key.ts";
import { Observations } from "./observations.ts";

const BY_LEASE = "lease";
const PINGS_AT_ONCE = 10;
const WORKERS = 4;

export const leaderElection: ControllerDefinition = {
  name: "leader-election-controller",
  workers: () => WORKERS,
  build({ client, informers, clock, log }) {
    const keysOf = (candidate: Candidate) => {
      const key = leaseKeyOf(candidate);
      return key === undefined ? [] : [key];
    };
    const candidates = informers.of(kinds.coordination.v1beta1.leaseCandidates, { indexes: { [BY_LEASE]: keysOf } });
    const observations = new Observations();
    const disputes = new Map<string, string>();
    let queue: KeyQueue | undefined;
    const leases = new FollowedLeases({
      client,
      onChange: (key) => queue?.add(key),
      onError: (error) => log.debug({ err: error }, "a lease could not be followed, trying again"),
    });
    const forget = (key: string): void => {
      leases.forget(key);
      observations.forgetLease(key);
      disputes.delete(key);
    };

    const ping = async (candidate: Candidate): Promise<void> => {
      const spec = { ...candidate.spec, pingTime: pingTimeOf(candidate, clock.nowMs()) };
      await client.coordination.v1beta1.leaseCandidates(candidate.metadata.namespace).update({ ...candidate, spec });
    };

    /** Said once, until it is another one. */
    const tellOfDispute = (key: string, dispute: string | undefined): void => {
      if (disputes.get(key) === dispute) return;
      if (dispute === undefined) disputes.delete(key);
      else {
        disputes.set(key, dispute);
        log.warn({ lease: key, why: dispute }, "nobody can be chosen to hold a lease");
      }
    };

    return {
      watch(keys) {
        queue = keys;
        const add = (candidate: Candidate) => {
          for (const key of keysOf(candidate)) keys.add(key);
        };
        candidates.addHandlers({
          added: add,
          updated: add,
          deleted(candidate) {
            observations.forgetCandidate(candidate);
            add(candidate);
          },
        });
      },

      start(signal) {
        signal.addEventListener("abort", () => leases.close(), { once: true });
      },

      async reconcile(key) {
        if (candidates.cache.byIndex(BY_LEASE, key).length === 0) {
          forget(key);
          return done;
        }
        const lease = await leases.find(key);
        const moment = { nowMs: clock.monotonicMs(), timeMs: clock.nowMs() };
        const step = nextStep({
          ...moment,
          lease: lease && observations.lease(key, lease, moment),
          candidates: candidates.cache.byIndex(BY_LEASE, key).map((each) => observations.candidate(each, moment)),
        });
        tellOfDispute(key, step.type === "rest" ? step.dispute : undefined);
        switch (step.type) {
          case "rest":
            return step.againMs === undefined ? done : againAfterMs(step.againMs);
          case "ping":
            await inParallel(PINGS_AT_ONCE, step.candidates, ping);
            return againAfterMs(ANSWER_MS);
          case "write": {
            const { namespace, name } = parseKeyText(key);
            const resource = client.coordination.v1.leases(namespace);
            if (lease === undefined) await resource.create({ metadata: { name }, spec: step.spec });
            else await resource.update({ ...lease, spec: step.spec });
            // Its change brings the next look.
            return done;
          }
        }
      },
    };
  },
};
