// Asks a webhook to convert objects between versions.
import type { ApiObject } from "../../../meta/object.ts";

export interface WebhookConverter {
  convert(
    definition: ApiObject | undefined,
    objects: readonly ApiObject[],
    apiVersion: string,
  ): Promise<readonly ApiObject[]>;
}

export function webhookConverter(_deps: { names: unknown }): WebhookConverter {
  return { convert: () => Promise.reject(new Error("soon")) };
}
