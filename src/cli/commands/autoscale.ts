// `pctl autoscale`: lets the number of replicas of a workload follow what its pods use.

import type { JsonObject } from "../../base/json.ts";
import { apiVersionOf } from "../../client/discovery.ts";
import { parseQuantity, quantitySign } from "../../meta/quantity.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { SAVE_CONFIG_FLAG } from "../last-applied.ts";
import { FILE_FLAGS, forEachTarget, readTargets, targetPath } from "../targets.ts";
import { WRITE_FLAGS } from "../write-flags.ts";
import { createOne } from "./create.ts";

export const NEW_NAME_FLAG: Flag = { name: "name", value: "name", summary: "the name of the new object" };

/** What may be aimed at, and the unit of an amount that names none. */
const UNITS = { cpu: "m", memory: "Mi" } as const;

export const autoscale: Command = {
  name: "autoscale",
  summary: "let the number of replicas follow the load",
  arguments: "TYPE NAME | TYPE/NAME | -f FILE --max=COUNT",
  flags: [
    ...FILE_FLAGS,
    ...WRITE_FLAGS,
    SAVE_CONFIG_FLAG,
    NEW_NAME_FLAG,
    { name: "min", value: "count", summary: "at least so many (1)" },
    { name: "max", value: "count", summary: "at most so many" },
    {
      name: "cpu",
      value: "target",
      summary: "the processor time that is aimed at: 70% of what pods ask for (80% without any target), or 500m a pod",
    },
    {
      name: "memory",
      value: "target",
      summary: "the memory that is aimed at: 60% of what pods ask for, or 200Mi a pod",
    },
    { name: "cpu-percent", value: "percent", summary: "--cpu in percent, as it was said before" },
  ],
  async run(session, args, flags) {
    const { min, max } = readBounds(flags);
    const metrics = readMetrics(flags);
    const targets = await readTargets(session, args, flags);
    const isNamed = flags.list("filename").length === 0;
    await forEachTarget(session, targets, async (target) => {
      const { resource, namespace, name } = target;
      // A name with a typing error would never be scaled, and nobody would be told.
      if (isNamed) await session.send({ method: "GET", path: targetPath(target) });
      const object = {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: {
          name: flags.text("name") ?? name,
          ...(namespace === undefined || namespace === session.namespace ? {} : { namespace }),
        },
        spec: {
          scaleTargetRef: { apiVersion: apiVersionOf(resource), kind: resource.kind, name },
          ...(min === undefined ? {} : { minReplicas: min }),
          maxReplicas: max,
          ...(metrics.length === 0 ? {} : { metrics }),
        },
      };
      await createOne(session, object, "the command line", flags, "autoscaled");
    });
  },
};

/** Fails with CliError. */
function readBounds(flags: Flags): { readonly min: number | undefined; readonly max: number } {
  const max = flags.number("max");
  if (max === undefined) throw new CliError('required flag(s) "max" not set');
  if (max < 1) throw new CliError(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  const given = flags.number("min") ?? -1;
  if (given > max)
    throw new CliError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${given}`);
  // The server knows what is usual.
  return { min: given < 0 ? undefined : given, max };
}

/** None where nothing is said: the server aims at what is usual. Fails with CliError. */
function readMetrics(flags: Flags): JsonObject[] {
  const percent = flags.number("cpu-percent") ?? -1;
  if (flags.text("cpu") !== undefined && flags.text("cpu-percent") !== undefined)
    throw new CliError("--cpu and --cpu-percent say the same: give one of them");
  const texts = { cpu: percent < 0 ? flags.text("cpu") : `${percent}%`, memory: flags.text("memory") };
  return (["cpu", "memory"] as const).flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [{ type: "Resource", resource: { name, target: readMetric(name, text) } }];
  });
}

function readMetric(name: keyof typeof UNITS, text: string): JsonObject {
  const [, percent] = /^(\d{1,9})%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) > 0) return { type: "Utilization", averageUtilization: Number(percent) };
  const amount = /^\d+$/.test(text) ? `${text}${UNITS[name]}` : text;
  const quantity = parseQuantity(amount);
  if (quantity === undefined || quantitySign(quantity) <= 0)
    throw new CliError(
      `--${name}: ${JSON.stringify(text)} is neither a percentage, as 70%, nor an amount, as 500${UNITS[name]}`,
    );
  return { type: "AverageValue", averageValue: amount };
}
