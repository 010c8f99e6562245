// Static pods from an address (`staticPodURL`): one pod or a list of them, asked for every so often.

import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { refuseNoAnswer } from "../../http/refuse-no-answer.ts";
import type { Pod } from "../../kinds/core/pod.ts";

interface StaticPodUrlOptions {
  readonly clock: Clock;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly intervalMs: number;
  readonly read: (content: Uint8Array, url: string) => Pod;
  /** All pods that there are now. */
  readonly onPods: (pods: readonly Pod[]) => void;
  /** What was answered holds no pods, or nobody answered; the pods of before stay. */
  readonly onProblem: (url: string, error: unknown) => void;
}

/** A hundred pods have less; more would be read at once while all others wait. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Until the last byte is there. */
const TIMEOUT_MS = 10_000;

export class StaticPodUrl {
  readonly #options: StaticPodUrlOptions;
  readonly #loop: BackgroundLoop;
  #known: Buffer = Buffer.alloc(0);

  constructor(options: StaticPodUrlOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      clock: options.clock,
      everyMs: options.intervalMs,
      onError: (error) => options.onProblem(options.url, error),
      reconcile: async (_, signal) => {
        await this.#look(signal);
        return "done";
      },
    });
  }

  start(): void {
    this.#loop.enqueue();
  }

  close(): void {
    this.#loop.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { url, headers, read, onPods, clock } = this.#options;
    const content = await answerOf(url, headers, AbortSignal.any([signal, clock.timeoutSignal(TIMEOUT_MS)]));
    if (content.equals(this.#known)) return;
    const pods = podsIn(content).map((each) => read(each, url));
    this.#known = content;
    onPods(pods);
  }
}

/** Each pod as a document of its own. */
function podsIn(content: Buffer): Uint8Array[] {
  const { value } = decodeYaml(content);
  const items = isObject(value) ? value["items"] : undefined;
  if (!Array.isArray(items)) return [content];
  return items.map((item) =>
    // The items of a list need not say what they are.
    Buffer.from(JSON.stringify(isObject(item) ? { apiVersion: "v1", kind: "Pod", ...item } : item)),
  );
}

async function answerOf(
  url: string,
  headers: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<Buffer> {
  const get = url.startsWith("https:") ? httpsGet : httpGet;
  const sent = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(url, { headers: sent, signal }, resolve);
    refuseNoAnswer(request, reject);
    request.once("error", reject);
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (answer.statusCode !== 200) throw new Error(`the answer has the status ${answer.statusCode}`);
  if (bytes === 0) throw new Error("the answer is empty");
  return Buffer.concat(chunks);
}
