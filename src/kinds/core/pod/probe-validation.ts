// Probes of a container and the handlers around its life.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { httpHeaderNameProblems, portNameProblems, portNumberProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { addProblems, checkRequired } from "../../meta/value-checks.ts";
import type { Container } from "./container.ts";
import {
  type HTTPGetAction,
  type Lifecycle,
  type LifecycleHandler,
  type Probe,
  type ProbeHandler,
  probe as probeSchema,
} from "./probe.ts";
import type { PodSpec } from "./spec.ts";
import { STOP_SIGNALS } from "./stop-signals.ts";
import type { PodRules } from "./validation-rules.ts";

/** The probes and handlers of a container that runs as long as its pod. */
export function validateProbes(
  container: Pick<Container, "lifecycle" | "livenessProbe" | "readinessProbe" | "startupProbe">,
  at: string,
  spec: PodSpec,
  rules: PodRules,
  errors: FieldError[],
): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  if (container.lifecycle) checkLifecycle(container.lifecycle, `${at}.lifecycle`, spec, rules, errors);
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[name];
    if (!probe) continue;
    const field = `${at}.${name}`;
    checkProbe(probe, field, graceSeconds, rules, errors);
    if (name === "readinessProbe") {
      if (probe.terminationGracePeriodSeconds === undefined) continue;
      const detail = "must not be set for readinessProbes";
      errors.push(invalid(`${field}.terminationGracePeriodSeconds`, probe.terminationGracePeriodSeconds, detail));
    } else if (probe.successThreshold !== 1) {
      errors.push(invalid(`${field}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
    }
  }
}

function checkProbe(
  probe: Probe,
  at: string,
  graceSeconds: number | undefined,
  rules: PodRules,
  errors: FieldError[],
): void {
  checkHandler(probe, at, graceSeconds, rules, errors);
  checkFields(probe, probeSchema, at, errors);
  const own = probe.terminationGracePeriodSeconds;
  if (own !== undefined && own <= 0) {
    errors.push(invalid(`${at}.terminationGracePeriodSeconds`, own, "must be greater than 0"));
  }
}

function checkLifecycle(lifecycle: Lifecycle, at: string, spec: PodSpec, rules: PodRules, errors: FieldError[]): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  const { postStart, preStop, stopSignal } = lifecycle;
  if (postStart) checkHandler(postStart, `${at}.postStart`, graceSeconds, rules, errors);
  if (preStop) checkHandler(preStop, `${at}.preStop`, graceSeconds, rules, errors);
  if (stopSignal !== undefined) checkStopSignal(stopSignal, `${at}.stopSignal`, spec.os?.name, errors);
}

type Handler = ProbeHandler & LifecycleHandler;

/** A handler does exactly one thing. */
function checkHandler(
  handler: Handler,
  at: string,
  graceSeconds: number | undefined,
  rules: PodRules,
  errors: FieldError[],
): void {
  let count = 0;
  const take = (name: keyof Handler): boolean => {
    if (handler[name] === undefined) return false;
    count += 1;
    if (count > 1) errors.push(forbiddenField(`${at}.${name}`, "may not specify more than 1 handler type"));
    return count === 1;
  };
  if (take("exec") && !handler.exec?.command?.length) errors.push(required(`${at}.exec.command`));
  if (take("httpGet")) checkHttpGet(handler.httpGet!, `${at}.httpGet`, errors);
  if (take("tcpSocket")) checkPort(handler.tcpSocket!.port, `${at}.tcpSocket.port`, errors);
  if (take("grpc")) checkPort(handler.grpc!.port, `${at}.grpc.port`, errors);
  if (take("sleep")) checkSleep(handler.sleep!.seconds, `${at}.sleep`, graceSeconds, rules, errors);
  if (count === 0) errors.push(required(at, "must specify a handler type"));
}

const SCHEMES = ["HTTP", "HTTPS"];

function checkHttpGet({ path, port, scheme, httpHeaders }: HTTPGetAction, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.path`, path);
  checkPort(port, `${at}.port`, errors);
  if (!SCHEMES.includes(scheme ?? "")) errors.push(notSupported(`${at}.scheme`, scheme ?? "", SCHEMES));
  for (const { name } of httpHeaders ?? []) {
    addProblems(errors, `${at}.httpHeaders`, name, httpHeaderNameProblems(name));
  }
}

function checkPort(port: number | string, field: string, errors: FieldError[]): void {
  const problems = typeof port === "number" ? portNumberProblems(port) : portNameProblems(port);
  addProblems(errors, field, port, problems);
}

function checkSleep(
  seconds: number,
  field: string,
  graceSeconds: number | undefined,
  rules: PodRules,
  errors: FieldError[],
): void {
  if (graceSeconds === undefined) return;
  const zeroAllowed = rules.gateEnabled("PodLifecycleSleepActionAllowZero");
  const least = zeroAllowed ? 0 : 1;
  if (seconds >= least && seconds <= graceSeconds) return;
  const detail = zeroAllowed
    ? `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`
    : `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`;
  errors.push(invalid(field, seconds, detail));
}

const WINDOWS_SIGNALS = ["SIGKILL", "SIGTERM"];

function checkStopSignal(signal: string, field: string, os: string | undefined, errors: FieldError[]): void {
  if (os === undefined) {
    errors.push(forbiddenField(field, "may not be set for containers with empty `spec.os.name`"));
    return;
  }
  const known: readonly string[] | undefined =
    os === "windows" ? WINDOWS_SIGNALS : os === "linux" ? STOP_SIGNALS : undefined;
  if (known && !known.includes(signal)) errors.push(notSupported(field, signal, known));
}
