// Authentication for those who compose the server. Public face of authn/.

export {
  type AuthenticationMethods,
  type ReadAuthentication,
  readAuthentication,
} from "../authn/build-authenticator.ts";
