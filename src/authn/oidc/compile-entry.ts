// One entry of the authentication configuration: checked, its expressions compiled. Requirements: document 2,
// "Authentication configuration file".

import { append } from "../../base/append.ts";
import type { Program } from "../../cel/program.ts";
import type { EgressConfig } from "../../client/callouts/egress-config.ts";
import { duplicate, type FieldError, invalid, OMIT, required } from "../../meta/field-error.ts";
import { domainPrefixedPathProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";
import { parseCertificates } from "../x509/certificate-authorities.ts";
import type { ClaimExpressions, ExpressionUse } from "./claim-expressions.ts";
import type { ClaimMapping, ClaimSource, Rule } from "./claim-mapper.ts";
import type { JwtEntry } from "./config-schema.ts";
import { urlErrors } from "./issuer-url.ts";

export interface CompileContext {
  readonly names: Names;
  readonly gates: { enabled(gate: string): boolean };
  readonly expressions: ClaimExpressions;
  /** Issuers of the server's own tokens, which no entry may speak for. */
  readonly ownIssuers: readonly string[];
  readonly egress?: EgressConfig;
}

const EGRESS_GATE = "StructuredAuthenticationConfigurationEgressSelector";
const NO_EGRESS = "the file of --egress-selector-config-file says nothing about it: leave it out to connect directly";
const BOTH = "claim and expression can't both be set";
const NEITHER = "claim or expression is required";

/** Collects every mistake; the mapping counts only when there is none. */
export function compileEntry(
  entry: JwtEntry,
  field: string,
  context: CompileContext,
  errors: FieldError[],
): ClaimMapping {
  append(errors, issuerErrors(entry.issuer ?? {}, `${field}.issuer`, context));
  return new EntryCompiler(entry, field, context, errors).compile();
}

class EntryCompiler {
  readonly #entry: JwtEntry;
  readonly #field: string;
  readonly #context: CompileContext;
  readonly #errors: FieldError[];
  readonly #claimsRead = new Set<string>();

  constructor(entry: JwtEntry, field: string, context: CompileContext, errors: FieldError[]) {
    this.#entry = entry;
    this.#field = field;
    this.#context = context;
    this.#errors = errors;
  }

  compile(): ClaimMapping {
    const { claimRules, requiredClaims } = this.#claimRules();
    const mappings: Partial<JwtEntry["claimMappings"]> = this.#entry.claimMappings ?? {};
    const at = `${this.#field}.claimMappings`;
    const username = this.#prefixed(mappings.username ?? {}, `${at}.username`, "username");
    const { claim = "", expression = "" } = mappings.groups ?? {};
    const hasGroups = claim !== "" || expression !== "";
    const groups = hasGroups ? this.#prefixed(mappings.groups ?? {}, `${at}.groups`, "texts") : undefined;
    const uid = this.#uid(mappings.uid ?? {}, `${at}.uid`);
    const extra = this.#extra(mappings.extra ?? [], `${at}.extra`);
    this.#checkEmail(mappings.username?.expression ?? "", `${at}.username.expression`);
    const userRules = this.#userRules();
    return {
      username: username ?? { claim: "", prefix: "" },
      groups,
      uid,
      extra,
      requiredClaims,
      claimRules,
      userRules,
    };
  }

  #claimRules(): Pick<ClaimMapping, "claimRules" | "requiredClaims"> {
    const claims = new Set<string>();
    const expressions = new Set<string>();
    const claimRules: Rule[] = [];
    const requiredClaims: { claim: string; value: string }[] = [];
    (this.#entry.claimValidationRules ?? []).forEach((rule, index) => {
      const at = `${this.#field}.claimValidationRules[${index}]`;
      const { claim = "", requiredValue = "", expression = "", message = "" } = rule;
      if (claim !== "" && expression !== "") this.#errors.push(invalid(at, claim, BOTH));
      else if (claim === "" && expression === "") this.#errors.push(required(at, NEITHER));
      else if (claim !== "") {
        if (message !== "")
          this.#errors.push(invalid(`${at}.message`, message, "may not be specified when claim is set"));
        if (claims.has(claim)) this.#errors.push(duplicate(`${at}.claim`, claim));
        claims.add(claim);
        requiredClaims.push({ claim, value: requiredValue });
      } else {
        if (requiredValue !== "")
          this.#errors.push(
            invalid(`${at}.requiredValue`, requiredValue, "may not be specified when expression is set"),
          );
        if (expressions.has(expression)) this.#errors.push(duplicate(`${at}.expression`, expression));
        expressions.add(expression);
        const program = this.#program(expression, `${at}.expression`, "claimRule");
        if (program !== undefined) claimRules.push({ program, message });
      }
    });
    return { claimRules, requiredClaims };
  }

  #prefixed(
    source: { claim?: string; expression?: string; prefix?: string | null },
    at: string,
    use: "username" | "texts",
  ): ClaimSource | undefined {
    const { claim = "", expression = "" } = source;
    const prefix = source.prefix ?? undefined;
    if (claim !== "" && expression !== "") this.#errors.push(invalid(at, OMIT, BOTH));
    if (claim === "" && expression === "") this.#errors.push(required(at, NEITHER));
    if (expression !== "" && prefix !== undefined)
      this.#errors.push(invalid(`${at}.prefix`, prefix, "may not be specified when expression is set"));
    if (claim !== "" && prefix === undefined) {
      this.#errors.push(
        required(
          `${at}.prefix`,
          "prefix is required when claim is set. It can be set to an empty string to disable prefixing",
        ),
      );
    }
    if (expression === "") return { claim, prefix: prefix ?? "" };
    const program = this.#program(expression, `${at}.expression`, use, use === "username");
    return program === undefined ? undefined : { program };
  }

  #uid(source: { claim?: string; expression?: string }, at: string): ClaimSource | undefined {
    const { claim = "", expression = "" } = source;
    if (claim !== "" && expression !== "") this.#errors.push(invalid(at, OMIT, BOTH));
    if (claim !== "") return { claim, prefix: "" };
    if (expression === "") return undefined;
    const program = this.#program(expression, `${at}.expression`, "uid", false);
    return program === undefined ? undefined : { program };
  }

  #extra(mappings: readonly { key: string; valueExpression: string }[], field: string): ClaimMapping["extra"] {
    const keys = new Set<string>();
    return mappings.flatMap(({ key = "", valueExpression = "" }, index) => {
      const at = `${field}[${index}]`;
      for (const problem of domainPrefixedPathProblems(key)) this.#errors.push(invalid(`${at}.key`, key, problem));
      if (key !== key.toLowerCase()) this.#errors.push(invalid(`${at}.key`, key, "key must be lowercase"));
      const reserved = reservedDomains(this.#context.names);
      const domain = key.split("/", 1)[0] ?? "";
      if (reserved.some((one) => domain === one || domain.endsWith(`.${one}`))) {
        this.#errors.push(invalid(`${at}.key`, key, `${reserved.join(", ")} and their subdomains are reserved`));
      }
      if (keys.has(key)) this.#errors.push(duplicate(`${at}.key`, key));
      keys.add(key);
      if (valueExpression === "") {
        this.#errors.push(required(`${at}.valueExpression`, "valueExpression is required"));
        return [];
      }
      const program = this.#program(valueExpression, `${at}.valueExpression`, "texts");
      return program === undefined ? [] : [{ key, program }];
    });
  }

  #userRules(): Rule[] {
    const seen = new Set<string>();
    return (this.#entry.userValidationRules ?? []).flatMap(({ expression = "", message = "" }, index) => {
      const at = `${this.#field}.userValidationRules[${index}].expression`;
      if (expression === "") {
        this.#errors.push(required(at, "expression is required"));
        return [];
      }
      if (seen.has(expression)) this.#errors.push(duplicate(at, expression));
      seen.add(expression);
      const program = this.#program(expression, at, "userRule", false);
      return program === undefined ? [] : [{ program, message }];
    });
  }

  /** An address that nobody has checked must not become a name. */
  #checkEmail(expression: string, at: string): void {
    if (expression === "" || !this.#context.expressions.claimsRead(expression).has("email")) return;
    if (this.#claimsRead.has("email_verified")) return;
    this.#errors.push(
      invalid(
        at,
        expression,
        "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or " +
          "claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression",
      ),
    );
  }

  /** `counts`: what it reads of the claims counts as checked. */
  #program(text: string, at: string, use: ExpressionUse, counts = true): Program | undefined {
    const { expressions } = this.#context;
    const compiled = expressions.compile(text, use);
    if (typeof compiled === "string") {
      this.#errors.push(invalid(at, text, compiled));
      return undefined;
    }
    if (counts && use !== "userRule") for (const claim of expressions.claimsRead(text)) this.#claimsRead.add(claim);
    return compiled;
  }
}

function reservedDomains(names: Names): string[] {
  return [...new Set([names.protectedDomain, names.protectedLongDomain])];
}

function issuerErrors(
  issuer: Partial<JwtEntry["issuer"]>,
  at: string,
  { ownIssuers, gates, egress }: CompileContext,
): FieldError[] {
  const { url = "", discoveryURL = "", certificateAuthority = "", egressSelectorType = "" } = issuer;
  const errors = [
    ...(url === "" ? [required(`${at}.url`, "URL is required")] : urlErrors(url, `${at}.url`, ownIssuers)),
  ];
  if (discoveryURL !== "") {
    if (discoveryURL.replace(/\/+$/, "") === url.replace(/\/+$/, "")) {
      errors.push(invalid(`${at}.discoveryURL`, discoveryURL, "discoveryURL must be different from URL"));
    }
    append(errors, urlErrors(discoveryURL, `${at}.discoveryURL`, []));
  }
  append(errors, audienceErrors(issuer, at));
  if (certificateAuthority !== "") {
    try {
      parseCertificates(certificateAuthority);
    } catch (error) {
      errors.push(invalid(`${at}.certificateAuthority`, OMIT, (error as Error).message));
    }
  }
  if (egressSelectorType !== "") {
    const field = `${at}.egressSelectorType`;
    if (!gates.enabled(EGRESS_GATE)) {
      errors.push(
        invalid(
          field,
          egressSelectorType,
          `egress selector is not supported when ${EGRESS_GATE} feature gate is disabled`,
        ),
      );
    } else if (egressSelectorType !== "controlplane" && egressSelectorType !== "cluster") {
      errors.push(invalid(field, egressSelectorType, "egress selector must be either controlplane or cluster"));
    } else if (egress?.has(egressSelectorType) !== true) {
      // Whoever asks for a way out must not be sent another one in silence.
      errors.push(invalid(field, egressSelectorType, NO_EGRESS));
    }
  }
  return errors;
}

function audienceErrors(issuer: Partial<JwtEntry["issuer"]>, at: string): FieldError[] {
  const audiences = issuer.audiences ?? [];
  const policy = issuer.audienceMatchPolicy ?? "";
  const errors: FieldError[] = [];
  if (audiences.length === 0) return [required(`${at}.audiences`, `at least one ${at}.audiences is required`)];
  const seen = new Set<string>();
  audiences.forEach((audience, index) => {
    if (audience === "") errors.push(required(`${at}.audiences[${index}]`, "audience can't be empty"));
    if (seen.has(audience)) errors.push(duplicate(`${at}.audiences[${index}]`, audience));
    seen.add(audience);
  });
  if (audiences.length > 1 && policy !== "MatchAny") {
    errors.push(
      invalid(`${at}.audienceMatchPolicy`, policy, "audienceMatchPolicy must be MatchAny for multiple audiences"),
    );
  }
  if (audiences.length === 1 && policy !== "" && policy !== "MatchAny") {
    errors.push(
      invalid(`${at}.audienceMatchPolicy`, policy, "audienceMatchPolicy must be empty or MatchAny for single audience"),
    );
  }
  return errors;
}
