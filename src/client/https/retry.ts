// When a request is sent again. Requirements: document 1, "Errors": 429 and 503 say when to come back.

interface Answered {
  readonly status: number;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;
  readonly idempotent: boolean;
  /** How often the request was sent. */
  readonly attempts: number;
  /** The time of the answer. */
  readonly nowMs: number;
}

interface RetryLimits {
  readonly maxAttempts: number;
  /** A server that asks for more patience than this is not waited for. */
  readonly maxRetryAfterMs: number;
}

/** How long to wait before sending again; undefined when the answer is final. */
export function retryDelayMs(answered: Answered, limits: RetryLimits): number | undefined {
  const { status, idempotent, attempts } = answered;
  // 429: turned away before anything was done. 503 may come from a proxy, after the server has heard the request.
  const safe = status === 429 || (status === 503 && idempotent);
  if (!safe || attempts >= limits.maxAttempts) return undefined;
  const delayMs = askedDelayMs(answered);
  return delayMs === undefined || delayMs > limits.maxRetryAfterMs ? undefined : delayMs;
}

/** Seconds, or the date from which on the server wants to be asked, as proxies write it. */
function askedDelayMs({ retryAfter = "", nowMs }: Answered): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(retryAfter)) return undefined;
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** After a lost connection. `unsent`: the server has certainly not acted on it. */
export function mayResend(
  { unsent, idempotent, attempts }: { readonly unsent: boolean } & Pick<Answered, "idempotent" | "attempts">,
  { maxAttempts }: RetryLimits,
): boolean {
  return attempts < Math.min(maxAttempts, MAX_LOST_ATTEMPTS) && (unsent || idempotent);
}

/** A server that loses connection after connection is not helped by more of them. */
const MAX_LOST_ATTEMPTS = 4;
