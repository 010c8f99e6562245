import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { ADMIN, READER, startTestServer, type TestServer, textOf } from "./agent-server.testing.ts";

let server: TestServer;
afterEach(() => server.close());

const statusOf = async (url: string, headers?: Readonly<Record<string, string>>) =>
  (await server.get(url, headers)).status;

describe("a caller of the agent", () => {
  it.each(["/pods", "/metrics", "/configz", "/healthz", "/nowhere"])(
    "who shows nothing is refused at %s",
    async (path) => {
      server = await startTestServer();
      expect(await statusOf(path, {})).toBe(401);
      expect(server.api.questions).toEqual([]);
    },
  );

  it("with a token that the API server does not know is refused, and not asked about again for a while", async () => {
    server = await startTestServer();
    const wrong = { authorization: "Bearer wrong" };
    expect([await statusOf("/pods", wrong), await statusOf("/pods", wrong)]).toEqual([401, 401]);
    expect(server.api.tokenReviews).toBe(1);
  });

  it("may do what the API server allows on this node", async () => {
    server = await startTestServer();
    server.api.allowed.add("get pods");
    expect(await statusOf("/pods", READER)).toBe(200);
    const refused = await server.get("/configz", READER);
    expect([refused.status, textOf(refused)]).toEqual([
      403,
      "Forbidden (user=reader, verb=get, resource=nodes, subresource(s)=[configz proxy])",
    ]);
    expect(server.api.questions).toEqual([
      "reader get nodes/pods node-1",
      "reader get nodes/configz node-1",
      "reader get nodes/proxy node-1",
    ]);
  });

  it("is known and allowed from memory until the time of the answers is over", async () => {
    const clock = new FakeClock();
    server = await startTestServer({}, { clock });
    await server.get("/pods");
    await server.get("/pods");
    expect([server.api.tokenReviews, server.api.questions.length]).toEqual([1, 1]);
    await clock.advance(120_000);
    await server.get("/pods");
    expect([server.api.tokenReviews, server.api.questions.length]).toEqual([2, 1]);
    await clock.advance(180_000);
    await server.get("/pods");
    expect([server.api.tokenReviews, server.api.questions.length]).toEqual([3, 2]);
  });

  it("is refused while the API server cannot be asked, and only then", async () => {
    server = await startTestServer();
    server.api.isDown = true;
    expect(await statusOf("/pods")).toBe(401);
    server.api.isDown = false;
    expect(await statusOf("/pods")).toBe(200);
  });

  it("may be nobody where the configuration says so; a bad token is still refused", async () => {
    server = await startTestServer({ authentication: { anonymous: { enabled: true } } });
    server.api.allowed.add("get pods");
    expect(await statusOf("/pods", {})).toBe(200);
    expect(server.api.questions).toEqual(["system:anonymous get nodes/pods node-1"]);
    expect(await statusOf("/pods", { authorization: "Bearer wrong" })).toBe(401);
  });

  it("may write more behind its token", async () => {
    server = await startTestServer();
    server.api.allowed.add("get pods");
    expect(await statusOf("/pods", { authorization: `${READER.authorization} and more` })).toBe(200);
  });

  it.each([
    ["a token that nobody reviews", { authorization: "Bearer wrong" }, false],
    ["another scheme", { authorization: "Basic YTpi" }, true],
    ["no token at all", { authorization: "Bearer " }, true],
    ["a token behind two spaces", { authorization: "Bearer  wrong" }, true],
  ])("with %s may be nobody as well", async (_what, headers, enabled) => {
    server = await startTestServer({ authentication: { anonymous: { enabled: true }, webhook: { enabled } } });
    server.api.allowed.add("get pods");
    expect(await statusOf("/pods", headers)).toBe(200);
    expect(server.api.questions).toEqual(["system:anonymous get nodes/pods node-1"]);
    expect(server.api.tokenReviews).toBe(0);
  });

  it("may do everything in the mode AlwaysAllow, once known", async () => {
    server = await startTestServer({ authorization: { mode: "AlwaysAllow" } });
    expect([await statusOf("/pods", READER), await statusOf("/pods", {})]).toEqual([200, 401]);
    expect(server.api.questions).toEqual([]);
  });

  it("is not known by a token when the API server shall not be asked", async () => {
    server = await startTestServer({ authentication: { webhook: { enabled: false } } });
    expect(await statusOf("/pods", ADMIN)).toBe(401);
    expect(server.api.tokenReviews).toBe(0);
  });
});
