import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { Metrics } from "../base/metrics.ts";
import { measureAnswers } from "./dns-metrics.ts";

/** A question of one name, as it goes over the wire. */
function question(name: string, type: number): Uint8Array {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([Buffer.alloc(12), ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

describe("the resolver's metrics", () => {
  it("count questions by zone and type, and answers by their code", async () => {
    const metrics = new Metrics({ release: "1.34" });
    const answerOf = (rcode: number) => Uint8Array.from([0, 0, 0x80, rcode, 0, 0, 0, 0, 0, 0, 0, 0]);
    let rcode: number | undefined = 0;
    const answer = measureAnswers(async () => (rcode === undefined ? undefined : answerOf(rcode)), {
      metrics,
      clock: new FakeClock(0),
      domain: ["cluster", "local"],
    });
    await answer(question("web.shop.svc.Cluster.LOCAL", 1), "udp");
    rcode = 3;
    await answer(question("example.com", 28), "tcp");
    await answer(Uint8Array.from([...new Array(12).fill(0), 200]), "udp");
    rcode = undefined;
    await answer(question("example.com", 28), "tcp");
    const lines = (await metrics.text()).split("\n").filter((line) => /_total\{|_count/.test(line));
    expect(lines).toEqual([
      'coredns_dns_request_duration_seconds_count{server="dns://:53",zone="cluster.local."} 1',
      'coredns_dns_request_duration_seconds_count{server="dns://:53",zone="."} 2',
      'coredns_dns_requests_total{server="dns://:53",zone="cluster.local.",proto="udp",type="A"} 1',
      'coredns_dns_requests_total{server="dns://:53",zone=".",proto="tcp",type="AAAA"} 1',
      'coredns_dns_requests_total{server="dns://:53",zone=".",proto="udp",type="other"} 1',
      'coredns_dns_responses_total{server="dns://:53",zone="cluster.local.",rcode="NOERROR"} 1',
      'coredns_dns_responses_total{server="dns://:53",zone=".",rcode="NXDOMAIN"} 2',
    ]);
  });
});
