// What the resolver was asked and how it answered, as monitors of clusters know it from the resolver that most of them run.

import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Transport } from "./forward/forwarder.ts";
import { type DomainName, HEADER_BYTES, QUERY_TYPE, RCODE, TYPE } from "./message/message.ts";

type Answer = (bytes: Uint8Array, transport: Transport) => Promise<Uint8Array | undefined>;

const SERVER = "dns://:53";
/** 0.25 ms to 8 s. */
const SECONDS = Array.from({ length: 16 }, (_, power) => 0.00025 * 2 ** power);

export function measureAnswers(
  answer: Answer,
  { metrics, clock, domain }: { readonly metrics: Metrics; readonly clock: Clock; readonly domain: DomainName },
): Answer {
  const requests = metrics.counter({
    name: "coredns_dns_requests_total",
    help: "Counter of DNS requests made per zone, protocol and type.",
    labels: ["server", "zone", "proto", "type"],
    stability: "ALPHA",
  });
  const responses = metrics.counter({
    name: "coredns_dns_responses_total",
    help: "Counter of response status codes.",
    labels: ["server", "zone", "rcode"],
    stability: "ALPHA",
  });
  const durations = metrics.histogram({
    name: "coredns_dns_request_duration_seconds",
    help: "Histogram of the time (in seconds) each request took per zone.",
    labels: ["server", "zone"],
    buckets: SECONDS,
    stability: "ALPHA",
  });
  return async (bytes, transport) => {
    const startedMs = clock.monotonicMs();
    const answered = await answer(bytes, transport);
    if (answered === undefined) return undefined;
    const { type, zone } = askedFor(bytes, domain);
    requests.with(SERVER, zone, transport, type).inc();
    responses.with(SERVER, zone, RCODES.get(answered[3]! & 15) ?? "other").inc();
    durations.with(SERVER, zone).observe((clock.monotonicMs() - startedMs) / 1000);
    return answered;
  };
}

const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...TYPE, ...QUERY_TYPE }).map(([name, type]) => [type, name]),
);
const RCODES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, code]) => [code, name]));

/** The cluster's own zone or all others: askers choose names, and a series for each would be theirs to make. */
function askedFor(bytes: Uint8Array, domain: DomainName): { readonly type: string; readonly zone: string } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (at < bytes.length && bytes[at]! > 0) {
    const end = at + 1 + bytes[at]!;
    labels.push(
      Buffer.from(bytes.subarray(at + 1, end))
        .toString("latin1")
        .toLowerCase(),
    );
    at = end;
  }
  const isOwn =
    domain.length <= labels.length && domain.every((label, index) => label === labels.at(index - domain.length));
  const type = ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  return { type: TYPES.get(type) ?? "other", zone: isOwn ? `${domain.join(".")}.` : "." };
}
