// The options of the API server for those who compose it. Public face of options/.

export {
  type ApiServerOptions,
  apiServerFlags,
  apiServerSections,
  parseApiServerOptions,
} from "../options/api-server-options.ts";
export { checkFiles } from "../options/check-files.ts";
export { type GateName, serverGates } from "../options/feature-gate-table.ts";
export { flagsWithoutEffect } from "../options/flags-without-effect.ts";
