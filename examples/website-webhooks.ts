// Webhooks of the Website of website-operator.ts: certificates are made, registered and renewed by themselves.
import { type ApiObject, type Client, converting, serveWebhooks, validating } from "plinth/client";
import { website } from "./website-operator.ts";

/** Refuses websites without a page. */
export const serveAdmission = (client: Client) =>
  serveWebhooks({
    client,
    name: "website",
    webhooks: [validating({ name: "check.website.example.com", for: website, review: check })],
  });

const check = ({ spec }: { spec: { html: string } }) =>
  spec.html === "" ? { deny: "a website needs a page" } : undefined;

/** Version 2 of a Website calls its page `page`. */
export const serveConversion = (client: Client) =>
  serveWebhooks({ client, name: "website", webhooks: [converting({ for: website, convert })] });

const convert = (site: ApiObject, version: string): ApiObject => {
  const { html, page } = site["spec"] as { html?: string; page?: string };
  return { ...site, spec: version === "v2" ? { page: html ?? "" } : { html: page ?? "" } };
};
