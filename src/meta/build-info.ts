// What every component shows of itself: its build, and how much it measures.

import type { Metrics } from "../base/metrics.ts";
import type { Names } from "./names.ts";
import { VERSION_INFO } from "./version.ts";

export function addBuildInfo(metrics: Metrics, names: Names): void {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = VERSION_INFO;
  metrics
    .gauge({
      name: `${names.metricPrefix}_build_info`,
      help: "The build, in labels; always 1.",
      stability: "ALPHA",
      labels: [
        "build_date",
        "compiler",
        "git_commit",
        "git_tree_state",
        "git_version",
        "go_version",
        "major",
        "minor",
        "platform",
      ],
    })
    .with(buildDate, compiler, gitCommit, gitTreeState, gitVersion, goVersion, major, minor, platform)
    .set(1);
  metrics.countItself();
}
