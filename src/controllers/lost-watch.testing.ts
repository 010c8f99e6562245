// A controller manager that is blind for a while: its streams end, and nothing can be listed or followed, while requests go
// through. What comes and goes meanwhile it never hears of.

import type { ApiRequest, ApiResponse, Transport } from "../client/transport.ts";

export class LostWatch {
  #lost = deferred();
  #isLost = false;
  readonly #isMeant: (path: string) => boolean;

  /** `isMeant`: which paths cannot be read. */
  constructor(isMeant: (path: string) => boolean) {
    this.#isMeant = isMeant;
  }

  /** For controllersInProcess(). */
  readonly beforeManager = (inner: Transport): Transport => ({
    connect: (sent) => inner.connect(sent),
    close: () => inner.close(),
    request: async (sent) => {
      if (sent.method !== "GET" || !this.#isMeant(sent.path)) return inner.request(sent);
      if (this.#isLost) return refusal();
      return isWatch(sent) ? this.#cut(await inner.request(sent)) : inner.request(sent);
    },
  });

  lose(): void {
    this.#isLost = true;
    this.#lost.resolve();
  }

  find(): void {
    this.#isLost = false;
    this.#lost = deferred();
  }

  #cut(answer: ApiResponse): ApiResponse {
    const { promise: lost } = this.#lost;
    return {
      ...answer,
      async *stream() {
        const pieces = answer.stream()[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await Promise.race([pieces.next(), lost]);
            if (next === undefined) {
              yield Buffer.from(`${JSON.stringify({ type: "ERROR", object: status(410, "Expired") })}\n`);
              return;
            }
            if (next.done === true) return;
            yield next.value;
          }
        } finally {
          void pieces.return?.();
        }
      },
    };
  }
}

const isWatch = ({ path }: ApiRequest): boolean => /[?&]watch=/.test(path);

function deferred(): { readonly promise: Promise<undefined>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<undefined>((done) => {
    resolve = () => done(undefined);
  });
  return { promise, resolve };
}

const status = (code: number, reason: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "nothing can be seen",
  reason,
  code,
});

function refusal(): ApiResponse {
  const body = Buffer.from(JSON.stringify(status(503, "ServiceUnavailable")));
  return {
    status: 503,
    headers: new Map([["content-type", "application/json"]]),
    warnings: [],
    bytes: async () => body,
    async *stream() {
      yield body;
    },
  };
}
