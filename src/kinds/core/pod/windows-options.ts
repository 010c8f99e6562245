// Rights of containers on Windows, and how their users are called.

import { dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { ptr, s } from "../../../schema/builder.ts";

export const windowsSecurityContextOptions = s.struct(
  "core.v1.WindowsSecurityContextOptions",
  "Rights of containers on Windows.",
  () => ({
    gmsaCredentialSpecName: ptr.string(1, "Name of the credential spec of a group-managed service account.", {
      must: { strict: true, form: dns1123SubdomainProblems },
    }),
    gmsaCredentialSpec: ptr.string(2, "The credential spec itself; usually filled in by a webhook from its name.", {
      must: { strict: true, form: credentialSpecProblems },
    }),
    runAsUserName: ptr.string(3, "User that runs the program. Not set, the user that the image names.", {
      must: { strict: true, form: userNameProblems },
    }),
    hostProcess: ptr.boolean(
      4,
      "Whether the containers are processes of the node; all of a pod must agree, and it needs `hostNetwork`.",
    ),
  }),
);

const MAX_CREDENTIAL_SPEC_BYTES = 64 * 1024;
const MAX_DOMAIN_LENGTH = 256;
const MAX_USER_LENGTH = 104;

function credentialSpecProblems(credentials: string): string[] {
  if (credentials === "") return ["gmsaCredentialSpec cannot be an empty string"];
  const isLong = Buffer.byteLength(credentials) > MAX_CREDENTIAL_SPEC_BYTES;
  return isLong ? ["gmsaCredentialSpec size must be under 64 KiB"] : [];
}

/** `DOMAIN\user` or `user`. */
function userNameProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [domain, user] = parts.length === 2 ? parts : [undefined, parts[0]];
  const problems: string[] = [];
  if (domain !== undefined) {
    if (domain.length >= MAX_DOMAIN_LENGTH) {
      problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN_LENGTH} characters`);
    }
    if (!isNetBios(domain) && !isDnsName(domain)) {
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (!user) problems.push("runAsUserName's User cannot be empty");
  else if (user.length > MAX_USER_LENGTH) {
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER_LENGTH} characters`);
  }
  if (/^[. ]+$/.test(user ?? "")) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user ?? "")) {
    problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return problems;
}

const isNetBios = (domain: string): boolean => /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain);
const isDnsName = (domain: string): boolean =>
  domain.split(".").every((label) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label));
