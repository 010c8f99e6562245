// One question in, one answer out: what the cluster knows from its zone, everything else from those who know more.

import type { Clock } from "../base/clock.ts";
import type { Forwarder, Transport } from "./forward/forwarder.ts";
import {
  CLASS_IN,
  type DomainName,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_QUERY_BYTES,
  MAX_UDP_BYTES,
  type Message,
  OPCODE_QUERY,
  PLAIN_UDP_BYTES,
  QUERY_TYPE,
  type Question,
  RCODE,
  type RecordData,
  type ResourceRecord,
  TYPE,
} from "./message/message.ts";
import { readMessage } from "./message/read-message.ts";
import { writeMessage } from "./message/write-message.ts";
import type { ClusterView } from "./zone/cluster-view.ts";
import { lookUp } from "./zone/cluster-zone.ts";

interface ResolverOptions {
  readonly view: ClusterView;
  /** The domain of the cluster, in lower case. */
  readonly domain: DomainName;
  readonly forwarder: Pick<Forwarder, "ask">;
  readonly clock: Pick<Clock, "nowMs">;
  /** From 0 to 1, for the order of addresses. */
  readonly random: () => number;
}

/** Changes are seen at once: nobody should keep an answer for long. */
const TTL_SECONDS = 5;
/** Names that name others, one after the other. */
const MAX_CHAIN = 8;

export class Resolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** Undefined for what deserves no answer: pieces of messages, and answers. */
  async answer(bytes: Uint8Array, transport: Transport): Promise<Uint8Array | undefined> {
    if (bytes.length < HEADER_BYTES || (bytes[2]! & 0x80) !== 0) return undefined;
    const query = bytes.length > MAX_QUERY_BYTES ? undefined : readMessage(bytes);
    if (query === undefined) return malformed(bytes);
    const limitBytes = transport === "tcp" ? MAX_MESSAGE_BYTES : udpLimit(query);
    const [question, more] = query.questions;
    const reply = (rcode: number, content: Partial<Message> = {}): Uint8Array =>
      writeMessage({ ...replyTo(query), rcode, ...content }, limitBytes);
    if (query.opcode !== OPCODE_QUERY) return reply(RCODE.NOTIMP);
    if (question === undefined || more !== undefined) return reply(RCODE.FORMERR, { questions: [] });
    if (query.edns !== undefined && query.edns.version > 0) return reply(RCODE.BADVERS);
    if (question.class !== CLASS_IN || question.type === QUERY_TYPE.AXFR || question.type === QUERY_TYPE.IXFR)
      return reply(RCODE.REFUSED);
    const own = await this.#resolve(question, transport);
    if (own !== undefined) return reply(own.rcode, own);
    const answer = await this.#options.forwarder.ask(bytes, question, transport);
    if (answer === undefined) return reply(RCODE.SERVFAIL);
    return answer.length <= limitBytes ? answer : reply(RCODE.NOERROR, { isTruncated: true });
  }

  /** Undefined for names that are not the cluster's. */
  async #resolve(question: Question, transport: Transport): Promise<Resolved | undefined> {
    const { view, domain, random } = this.#options;
    const authority = this.#authority();
    const answers: ResourceRecord[] = [];
    let name = question.name;
    for (let links = 0; links < MAX_CHAIN; links++) {
      const lookup = lookUp({ view, domain, authority }, name, question.type);
      if (lookup.kind === "foreign") {
        if (links === 0) return undefined;
        return { ...OWN, ...(await this.#follow({ ...question, name }, answers, transport)) };
      }
      const no = { authority: [record(domain, authority)] };
      if (lookup.kind === "missing") return { ...OWN, rcode: RCODE.NXDOMAIN, answers, ...no };
      const alias = lookup.records.find(isAlias);
      const fitting = alias === undefined ? lookup.records.filter((data) => isAsked(data, question.type)) : [alias];
      for (const data of rotated(fitting, random())) answers.push(record(name, data));
      if (alias === undefined || question.type === TYPE.CNAME || question.type === QUERY_TYPE.ANY) {
        const additional = fitting.length === 0 ? [] : lookup.added.map((each) => record(each.name, each.data));
        return { ...OWN, answers, additional, ...(fitting.length === 0 ? no : {}) };
      }
      name = alias.target;
    }
    return { ...OWN, rcode: RCODE.SERVFAIL };
  }

  /** The rest of a chain that leaves the cluster: askers follow no chain themselves. */
  async #follow(question: Question, sofar: readonly ResourceRecord[], transport: Transport) {
    const query: Message = {
      ...replyTo({
        id: 0,
        recursionDesired: true,
        questions: [question],
        edns: { udpBytes: MAX_UDP_BYTES, version: 0 },
      }),
      isAnswer: false,
      recursionAvailable: false,
    };
    const bytes = await this.#options.forwarder.ask(writeMessage(query, PLAIN_UDP_BYTES), question, transport);
    const answer = bytes === undefined ? undefined : readMessage(bytes);
    if (answer === undefined) return { rcode: RCODE.SERVFAIL, answers: [] };
    return { rcode: answer.rcode, answers: [...sofar, ...answer.answers], isTruncated: answer.isTruncated };
  }

  #authority(): RecordData {
    const { domain, clock } = this.#options;
    return {
      type: "SOA",
      server: ["ns", "dns", ...domain],
      mailbox: ["hostmaster", ...domain],
      serial: Math.floor(clock.nowMs() / 1_000) % 2 ** 32,
      refreshSeconds: 7_200,
      retrySeconds: 1_800,
      expireSeconds: 86_400,
      negativeTtlSeconds: TTL_SECONDS,
    };
  }
}

type Resolved = Pick<Message, "rcode" | "answers"> & Partial<Message>;

const OWN = { rcode: RCODE.NOERROR, isAuthoritative: true, answers: [] } as const;

function isAlias(data: RecordData): data is Extract<RecordData, { readonly type: "CNAME" | "PTR" }> {
  return data.type === "CNAME";
}

function isAsked(data: RecordData, type: number): boolean {
  return type === QUERY_TYPE.ANY || TYPE[data.type] === type;
}

function record(name: DomainName, data: RecordData): ResourceRecord {
  return { name, ttlSeconds: TTL_SECONDS, data };
}

/** Most askers take the first address: everyone stands there in turn. */
function rotated<T>(list: readonly T[], share: number): readonly T[] {
  const start = Math.floor(list.length * share);
  return [...list.slice(start), ...list.slice(0, start)];
}

function replyTo(query: Pick<Message, "id" | "recursionDesired" | "questions" | "edns">): Message {
  return {
    id: query.id,
    isAnswer: true,
    opcode: OPCODE_QUERY,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired: query.recursionDesired,
    recursionAvailable: true,
    rcode: RCODE.NOERROR,
    questions: query.questions,
    answers: [],
    authority: [],
    additional: [],
    ...(query.edns === undefined ? {} : { edns: query.edns }),
  };
}

/** Of what cannot be read, the number at least. */
function malformed(bytes: Uint8Array): Uint8Array {
  const id = (bytes[0]! << 8) | bytes[1]!;
  const reply = { ...replyTo({ id, recursionDesired: false, questions: [] }), rcode: RCODE.FORMERR };
  return writeMessage(reply, PLAIN_UDP_BYTES);
}

function udpLimit({ edns }: Message): number {
  return Math.min(Math.max(edns?.udpBytes ?? 0, PLAIN_UDP_BYTES), MAX_UDP_BYTES);
}
