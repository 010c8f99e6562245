// Admission: who else has a say in a write, after authorization. Mutating plug-ins first, validating ones last, in order.

import type { ApiObject, GroupVersionKind } from "../../meta/object.ts";
import type { UserInfo } from "../../meta/user.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** One write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while a generated name is not known yet. */
  readonly name: string;
  /** What is to be stored; mutating plug-ins change it in place or replace it. Undefined for DELETE. */
  object: ApiObject | undefined;
  /** What is stored. Undefined for CREATE. */
  readonly oldObject: ApiObject | undefined;
  /** The options of the request (CreateOptions, UpdateOptions, DeleteOptions, ...), as webhooks see them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Warning headers of the answer. */
  readonly warnings: string[];
  readonly auditAnnotations: Map<string, string>;
}

/** All mutating plug-ins run once more, and no more than once, when one of them asks for it. */
export interface MutationRound {
  /** This is the second round. */
  readonly again: boolean;
  demandAnother(): void;
}

export const ONLY_ROUND: MutationRound = { again: false, demandAnother: () => undefined };

export interface AdmissionPlugin {
  readonly name: string;
  /** Cheap: whether the plug-in wants to see such a request at all. */
  handles(request: AdmissionRequest): boolean;
  /** May change request.object; refuses by throwing a StatusError. */
  mutate?(request: AdmissionRequest, round?: MutationRound): void | Promise<void>;
  /** Refuses by throwing a StatusError. */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    let another = false;
    const demandAnother = () => {
      another = true;
    };
    await this.#mutateOnce(request, { again: false, demandAnother });
    if (another) await this.#mutateOnce(request, { again: true, demandAnother });
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.validate === undefined || !plugin.handles(request)) continue;
      const pending = plugin.validate(request);
      if (pending !== undefined) await pending;
    }
  }

  async #mutateOnce(request: AdmissionRequest, round: MutationRound): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.mutate === undefined || !plugin.handles(request)) continue;
      const pending = plugin.mutate(request, round);
      if (pending !== undefined) await pending;
    }
  }
}
