// Requirements: document 2, "Authentication configuration file" (its metric); names, labels and stability are upstream's.

import { beforeEach, describe, expect, it } from "vitest";
import { Metrics } from "../base/metrics.ts";
import { namesFor } from "../meta/names.ts";
import { hashLabel } from "../registry/server-identity.ts";
import { type AuthenticationMetrics, authenticationMetrics } from "./authentication-metrics.ts";
import type { Authentication } from "./authenticator.ts";
import { countedMiss, countedWait } from "./token-metrics.ts";

const ID = hashLabel("apiserver-x");

describe("metrics of authentication", () => {
  let registry: Metrics;
  let metrics: AuthenticationMetrics;
  beforeEach(() => {
    registry = new Metrics({ release: "1.34" });
    metrics = authenticationMetrics(registry, namesFor("kubernetes"), "apiserver-x");
  });
  const lines = async (prefix: string): Promise<string[]> => {
    let text = "";
    for await (const piece of registry.expose()) text += piece;
    return text.split("\n").filter((line) => line.startsWith(prefix) && !line.includes("_bucket{"));
  };

  it.each<["success", string, string]>([
    ["success", "admin", "admin"],
    ["success", "kubelet", "kubelet"],
    ["success", "system:serviceaccount:kube-system:default", "system:serviceaccount:kube-system:default"],
    ["success", "system:serviceaccount:ns:default", "other"],
    ["success", "jane@example.com", "email_id"],
    ["success", "jane", "other"],
  ])("count an attempt with %s by %s as %s", async (result, user, label) => {
    metrics.attempted(result, user, 0.01);
    expect(await lines("authenticat")).toEqual([
      `authenticated_user_requests{username="${label}"} 1`,
      `authentication_attempts{result="${result}"} 1`,
      `authentication_duration_seconds_sum{result="${result}"} 0.01`,
      `authentication_duration_seconds_count{result="${result}"} 1`,
      ...UNUSED_CACHE,
    ]);
  });

  it("count an attempt without a user only as such", async () => {
    metrics.attempted("failure", undefined, 0.5);
    expect(await lines("authenticated_user_requests")).toEqual([]);
    expect(await lines("authentication_attempts")).toEqual(['authentication_attempts{result="failure"} 1']);
  });

  it("tell when the configuration file was read again, by which server, and which file counts", async () => {
    metrics.configured(Buffer.from("first"));
    metrics.configured(Buffer.from("second"));
    metrics.reloaded(true, 1_500);
    metrics.reloaded(false, 2_500);
    const prefix = "apiserver_authentication_config_controller";
    expect((await lines(`${prefix}_automatic`)).sort()).toEqual([
      `${prefix}_automatic_reload_last_timestamp_seconds{apiserver_id_hash="${ID}",status="failure"} 2.5`,
      `${prefix}_automatic_reload_last_timestamp_seconds{apiserver_id_hash="${ID}",status="success"} 1.5`,
      `${prefix}_automatic_reloads_total{apiserver_id_hash="${ID}",status="failure"} 1`,
      `${prefix}_automatic_reloads_total{apiserver_id_hash="${ID}",status="success"} 1`,
    ]);
    expect(await lines(`${prefix}_last`)).toEqual([
      `${prefix}_last_config_info{apiserver_id_hash="${ID}",hash="${hashLabel("second")}"} 1`,
    ]);
    expect(await lines(`# HELP ${prefix}_automatic_reloads_total`)).toEqual([expect.stringContaining("[BETA]")]);
  });

  it("tell how long an issuer's token took, by the hash of the issuer", async () => {
    metrics.jwtJudged("https://issuer", true, 0.002);
    const name = "apiserver_authentication_jwt_authenticator_latency_seconds";
    const labels = `jwt_issuer_hash="${hashLabel("https://issuer")}",result="success"`;
    expect(await lines(name)).toEqual([`${name}_sum{${labels}} 0.002`, `${name}_count{${labels}} 1`]);
  });

  it("count every kind of service account token under its name", async () => {
    for (const use of ["legacy", "stale", "valid", "manual", "auto", "invalid"] as const) metrics.accountToken(use);
    expect(await lines("serviceaccount_")).toEqual([
      "serviceaccount_invalid_legacy_auto_token_uses_total 1",
      "serviceaccount_legacy_auto_token_uses_total 1",
      "serviceaccount_legacy_manual_token_uses_total 1",
      "serviceaccount_legacy_tokens_total 1",
      "serviceaccount_stale_tokens_total 1",
      "serviceaccount_valid_tokens_total 1",
    ]);
  });

  it("tell how much longer client certificates live", async () => {
    metrics.certificateShown(100);
    metrics.certificateShown(-1);
    const name = "apiserver_client_certificate_expiration_seconds";
    expect(await lines(name)).toEqual([`${name}_sum 99`, `${name}_count 2`]);
  });

  it("count remembered tokens, and those that somebody waits for while they are judged", async () => {
    const { tokenCache } = metrics;
    const shown = async () => (await lines("authentication_token_cache_")).filter((line) => !line.includes("_sum{"));
    tokenCache.hit();
    let answer: (outcome: Authentication) => void = () => undefined;
    const first = countedMiss(
      tokenCache,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const second = countedWait(tokenCache, () => first);
    expect(await shown()).toEqual(
      expect.arrayContaining([
        'authentication_token_cache_active_fetch_count{status="blocked"} 2',
        'authentication_token_cache_active_fetch_count{status="in_flight"} 1',
        'authentication_token_cache_request_total{status="hit"} 1',
        'authentication_token_cache_request_total{status="miss"} 0',
      ]),
    );
    answer({ result: "refused" });
    await second;
    countedMiss(tokenCache, () => ({ result: "none" }));
    expect(await shown()).toEqual([
      'authentication_token_cache_active_fetch_count{status="blocked"} 0',
      'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
      'authentication_token_cache_fetch_total{status="ok"} 1',
      'authentication_token_cache_fetch_total{status="error"} 1',
      'authentication_token_cache_request_duration_seconds_count{status="hit"} 1',
      'authentication_token_cache_request_duration_seconds_count{status="miss"} 3',
      'authentication_token_cache_request_total{status="hit"} 1',
      'authentication_token_cache_request_total{status="miss"} 3',
    ]);
  });
});

const UNUSED_CACHE = [
  'authentication_token_cache_active_fetch_count{status="blocked"} 0',
  'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
  'authentication_token_cache_fetch_total{status="ok"} 0',
  'authentication_token_cache_fetch_total{status="error"} 0',
  'authentication_token_cache_request_duration_seconds_sum{status="hit"} 0',
  'authentication_token_cache_request_duration_seconds_count{status="hit"} 0',
  'authentication_token_cache_request_duration_seconds_sum{status="miss"} 0',
  'authentication_token_cache_request_duration_seconds_count{status="miss"} 0',
  'authentication_token_cache_request_total{status="hit"} 0',
  'authentication_token_cache_request_total{status="miss"} 0',
];
