// Authentication for those who compose the server. Public face of authn/.

export {
  type AuthenticationMethods,
  anonymousAllowed,
  type ReadAuthentication,
  readAuthentication,
} from "./authn/build-authenticator.ts";
