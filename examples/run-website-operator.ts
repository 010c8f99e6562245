import { connect, runControllers } from "plinth/client";
import { website, websiteController } from "./website-operator.ts";

const client = connect({ dialect: "kubernetes" });
await client.install(website);
await runControllers({ client, controllers: [websiteController] }, new AbortController().signal);
