import { describe, expect, it } from "vitest";
import { MAX_SERIES } from "./metrics/series-tree.ts";
import { Metrics } from "./metrics.ts";

const NEW = { release: "1.34" };

async function exposition(metrics: Metrics): Promise<string> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text;
}

describe("metrics", () => {
  it("writes a counter with its help, stability, type and labels", async () => {
    const metrics = new Metrics(NEW);
    const counter = metrics.counter({
      name: "requests_total",
      help: "All requests.",
      stability: "STABLE",
      labels: ["verb", "code"],
    });
    counter.with("GET", "200").inc();
    counter.with("GET", "200").inc(2);
    counter.with("PUT", "409").inc();
    expect(await exposition(metrics)).toBe(
      [
        "# HELP requests_total [STABLE] All requests.",
        "# TYPE requests_total counter",
        'requests_total{verb="GET",code="200"} 3',
        'requests_total{verb="PUT",code="409"} 1',
        "",
      ].join("\n"),
    );
  });

  it("shows a counter without labels at zero before its first use", async () => {
    const metrics = new Metrics(NEW);
    metrics.counter({ name: "errors_total", help: "Errors.", stability: "ALPHA" });
    expect(await exposition(metrics)).toContain("\nerrors_total 0\n");
  });

  it("sums the buckets of a histogram up, with bounds that include their own value", async () => {
    const metrics = new Metrics(NEW);
    const histogram = metrics.histogram({
      name: "seconds",
      help: "h",
      stability: "BETA",
      labels: ["verb"],
      buckets: [0.1, 1, 5],
    });
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.with("GET").observe(value);
    expect(await exposition(metrics)).toBe(
      [
        "# HELP seconds [BETA] h",
        "# TYPE seconds histogram",
        'seconds_bucket{verb="GET",le="0.1"} 2',
        'seconds_bucket{verb="GET",le="1"} 3',
        'seconds_bucket{verb="GET",le="5"} 3',
        'seconds_bucket{verb="GET",le="+Inf"} 4',
        'seconds_sum{verb="GET"} 7.65',
        'seconds_count{verb="GET"} 4',
        "",
      ].join("\n"),
    );
  });

  it("asks a gauge for its value when it is exposed", async () => {
    const metrics = new Metrics(NEW);
    const gauge = metrics.gauge({ name: "objects", help: "h", stability: "STABLE", labels: ["resource"] });
    let count = 1;
    gauge.onCollect(() => gauge.with("pods").set(count));
    expect(await exposition(metrics)).toContain('objects{resource="pods"} 1\n');
    count = 5;
    expect(await exposition(metrics)).toContain('objects{resource="pods"} 5\n');
  });

  it("escapes what users can put into label values", async () => {
    const metrics = new Metrics(NEW);
    metrics
      .counter({ name: "c", help: "h", stability: "ALPHA", labels: ["name"] })
      .with('a"b\\c\nd')
      .inc();
    expect(await exposition(metrics)).toContain('c{name="a\\"b\\\\c\\nd"} 1\n');
  });

  it("counts everything beyond the limit of series in one series", async () => {
    const metrics = new Metrics(NEW);
    const counter = metrics.counter({ name: "c", help: "h", stability: "ALPHA", labels: ["user"] });
    for (let index = 0; index < MAX_SERIES + 100; index += 1) counter.with(`user-${index}`).inc();
    const lines = (await exposition(metrics)).split("\n").filter((line) => line.startsWith("c{"));
    expect(lines).toHaveLength(MAX_SERIES + 1);
    expect(lines.at(-1)).toBe('c{user="overflow"} 100');
  });

  it.each([
    ["1.32", false, "# HELP old [STABLE] (Deprecated from 1.32) h"],
    ["1.31", false, undefined],
    ["1.31", true, "# HELP old [STABLE] (Deprecated from 1.31) h"],
  ])("a metric deprecated from %s, hidden ones shown: %s", async (deprecatedSince, showHidden, expected) => {
    const metrics = new Metrics({ release: "1.34", showHidden });
    metrics.counter({ name: "old", help: "h", stability: "STABLE", deprecatedSince });
    expect((await exposition(metrics)).split("\n")[0] || undefined).toBe(expected);
  });

  it("counts itself: by stability and deprecation, and what is not shown", async () => {
    const metrics = new Metrics(NEW);
    metrics.counter({ name: "a_total", help: "a", stability: "STABLE" });
    metrics.counter({ name: "b_total", help: "b", stability: "ALPHA", deprecatedSince: "1.30" });
    metrics.counter({ name: "c_total", help: "c", stability: "ALPHA", deprecatedSince: "1.34" });
    metrics.countItself();
    await exposition(metrics);
    const lines = (await exposition(metrics)).split("\n");
    expect(lines.filter((line) => /^(registered|hidden|disabled)_/.test(line))).toEqual([
      "disabled_metrics_total 0",
      "hidden_metrics_total 1",
      'registered_metrics_total{deprecated_version="",stability_level="STABLE"} 1',
      'registered_metrics_total{deprecated_version="1.30.0",stability_level="ALPHA"} 1',
      'registered_metrics_total{deprecated_version="1.34.0",stability_level="ALPHA"} 1',
      'registered_metrics_total{deprecated_version="",stability_level="BETA"} 3',
    ]);
  });

  it("gives other work its turn between pieces", async () => {
    const metrics = new Metrics(NEW);
    const counter = metrics.counter({ name: "c", help: "h", stability: "ALPHA", labels: ["user"] });
    for (let index = 0; index < MAX_SERIES; index += 1) counter.with(`user-${index}-${"x".repeat(40)}`).inc();
    let turns = 0;
    let exposing = true;
    const otherWork = () => {
      turns += 1;
      if (exposing) setImmediate(otherWork);
    };
    setImmediate(otherWork);
    let pieces = 0;
    for await (const _ of metrics.expose()) pieces += 1;
    exposing = false;
    expect(pieces).toBeGreaterThan(3);
    expect(turns).toBeGreaterThanOrEqual(pieces - 1);
  });

  it("shows a metric to its end to whoever looks at it while somebody else has it told anew", async () => {
    const metrics = new Metrics(NEW);
    const gauge = metrics.gauge({ name: "sizes", help: "Sizes.", stability: "ALPHA", labels: ["of"] });
    let count = 2_000;
    gauge.onCollect(() => {
      gauge.clear();
      for (let index = 0; index < count; index += 1) gauge.with(`${index} ${"x".repeat(100)}`).set(index);
      count = 1;
    });
    const first = metrics.expose();
    let text = String((await first.next()).value);
    expect((await exposition(metrics)).match(/^sizes/gm)).toHaveLength(1);
    for await (const piece of first) text += piece;
    expect(text.match(/^sizes/gm)).toHaveLength(2_000);
  });

  it("shows what others measure behind its own, as it is when somebody looks", async () => {
    const metrics = new Metrics(NEW);
    const others = new Metrics(NEW);
    metrics.include(others);
    metrics.counter({ name: "z", help: "h", stability: "ALPHA" });
    others.counter({ name: "a", help: "h", stability: "ALPHA" }).with().inc();
    expect((await metrics.text()).split("\n").filter((line) => !line.startsWith("#"))).toEqual(["z 0", "a 1", ""]);
  });

  it("refuses two metrics of one name and a wrong number of label values", () => {
    const metrics = new Metrics(NEW);
    const counter = metrics.counter({ name: "c", help: "h", stability: "ALPHA", labels: ["a"] });
    expect(() => metrics.gauge({ name: "c", help: "h", stability: "ALPHA" })).toThrow("two metrics c");
    expect(() => counter.with("x", "y")).toThrow("2 values for the labels a");
  });
});
