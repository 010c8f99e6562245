import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callInProcess } from "../../http/in-process.testing.ts";
import { textOf } from "./agent-server.testing.ts";
import { journalArguments, parseLogQuery } from "./log-query.ts";
import { routeTable } from "./routes.ts";
import { systemLogsEndpoint } from "./system-logs.ts";

const parse = (text: string) => parseLogQuery(new URLSearchParams(text));

describe("a query of the machine's logs", () => {
  it.each([
    ["tailLines=5", undefined],
    ["query=/syslog", { files: ["/syslog"], services: [] }],
    [
      "query=a&query=b@1.service&sinceTime=2030-01-01T00:00:00Z&tailLines=5&boot=-1&pattern=x",
      {
        files: [],
        services: ["a", "b@1.service"],
        sinceTime: new Date("2030-01-01T00:00:00Z"),
        tailLines: 5,
        boot: -1,
        pattern: "x",
      },
    ],
  ])("is read: %s", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ["query=/a&query=b", "more than one file"],
    ["query=/a&tailLines=1", "are not for files"],
    ["query=--file=x", "no name of a service"],
    ["query=a%20b", "no name of a service"],
    ["query=a&sinceTime=yesterday", "sinceTime"],
    ["query=a&sinceTime=2030-01-02T00:00:00Z&untilTime=2030-01-01T00:00:00Z", "must be after sinceTime"],
    ["query=a&boot=1", "boot: Invalid value: must be 0 or less"],
    ["query=a&tailLines=-1", "tailLines"],
    ["query=a&tailLines=x", "must be a whole number"],
    [`query=a&pattern=${"x".repeat(300)}`, "pattern: Too long"],
    ["query=a&query=b&query=c&query=d&query=e", "at most 4 items"],
  ])("is refused: %s", (text, problem) => {
    expect(String(parse(text))).toContain(problem);
  });

  it("is told to the journal in its own words", () => {
    const query = parse("query=web&tailLines=3&boot=0&pattern=a.*b&untilTime=2030-01-01T01:00:00%2B01:00");
    expect(journalArguments(query as never)).toEqual([
      "--utc",
      "--no-pager",
      "--output=short-precise",
      "--until=2030-01-01 00:00:00 UTC",
      "--lines=3",
      "--grep=a.*b",
      "--boot=0",
      "--unit=web",
    ]);
  });
});

describe("with queries", () => {
  const ask = async (url: string, journal: { readonly code: number; readonly text: string }) => {
    const folder = mkdtempSync(join(tmpdir(), "plinth-logs-"));
    writeFileSync(join(folder, "web.log"), "from a file\n");
    const asked: (readonly string[])[] = [];
    const serve = systemLogsEndpoint(folder, async (args) => {
      asked.push(args);
      return journal;
    });
    const handle = routeTable([{ methods: ["GET"], pattern: "/logs/{path...}", serve }]);
    const answer = await callInProcess(async (request) => await handle(request), { method: "GET", url });
    rmSync(folder, { recursive: true, force: true });
    return { status: answer.status, text: textOf(answer), asked };
  };

  it.each([
    ["the journal answers", "/logs/?query=db", { code: 0, text: "a line\n" }, 200, "a line\n"],
    [
      "a service that is not in the journal has a file",
      "/logs/?query=web",
      { code: 1, text: "" },
      200,
      "from a file\n",
    ],
    ["a service is not known anywhere", "/logs/?query=db", { code: 1, text: "" }, 404, "no logs of db were found\n"],
    ["a file is asked for", "/logs/?query=/web.log", { code: 0, text: "" }, 200, "from a file\n"],
    ["a file leads out", "/logs/?query=/../etc/passwd", { code: 0, text: "" }, 404, "404 page not found\n"],
    [
      "nothing can be read from it",
      "/logs/?query=a&boot=9",
      { code: 0, text: "" },
      400,
      "boot: Invalid value: must be 0 or less\n",
    ],
  ])("%s", async (_, url, journal, status, text) => {
    expect(await ask(url, journal)).toMatchObject({ status, text });
  });
});
