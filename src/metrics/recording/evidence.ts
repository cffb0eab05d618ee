import { printable } from '../../base/kernel/printable.ts';
import type { ExchangeEvidence } from '../../base/protocol/exchange.ts';
import type { Evidence } from './schema.ts';

const MAX_HEAD_CHARACTERS = 2048;
const MAX_BODY_CHARACTERS = 2048;
const MAX_REASON_CHARACTERS = 600;
// Secrets are removed before a text is cut, so that no part of one remains.
const MAX_READ_CHARACTERS = 16 << 10;

/** Makes a message fit to show: without secrets, printable, and of bounded length. Omits empty parts. */
export function redactedEvidence(
  { reason, head, body }: ExchangeEvidence,
  secrets: readonly string[],
): Partial<ExchangeEvidence> {
  return {
    ...(reason !== '' && { reason: presentable(reason, secrets, MAX_REASON_CHARACTERS) }),
    ...(head !== '' && { head: presentable(head.replace(SECRET_FIELDS, '$1: ***'), secrets, MAX_HEAD_CHARACTERS) }),
    ...(body !== '' && { body: presentable(body, secrets, MAX_BODY_CHARACTERS) }),
  };
}

// The scheme alone shows that no key was sent.
const SECRET_FIELDS =
  /^((?:proxy-)?authorization|set-cookie2?|cookie)[ \t]*:(?![ \t]*X-OITC-API[ \t\r]*$).*(?:\r?\n[ \t].*)*/gim;
/** The password of an agent, and the key of a request, wherever a server repeats them. */
const SECRET_MEMBER = /("password\\?"\s*:\s*\\?")(?:[^"\\]|\\[^"])*/gi;
/** Configurations contain passwords and keys. */
const SECRET_DOCUMENT =
  /("(?:configuration|customcheck_configuration|prometheus_exporter)\\?"\s*:\s*\\?")[\w+/=\\]{40,}/g;
const SECRET_KEY = /(X-OITC-API[ \t]+)[^\s"'<]+/gi;

function presentable(text: string, secrets: readonly string[], mostCharacters: number): string {
  const plain = withoutSecrets(text.slice(0, MAX_READ_CHARACTERS), secrets);
  const lines = plain.slice(0, mostCharacters).split(/\r?\n/).map(printable).join('\n').trimEnd();
  const isCut = plain.length > mostCharacters || text.length > MAX_READ_CHARACTERS;
  return isCut ? `${lines} …` : lines;
}

/** Replaces each secret with `***`, including its forms in JSON and in a URL. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length);
  const plain = text.replace(SECRET_MEMBER, '$1***').replace(SECRET_DOCUMENT, '$1***').replace(SECRET_KEY, '$1***');
  return forms.reduce((rest, form) => rest.replaceAll(form, '***'), plain);
}

export type Witness = Pick<Evidence, 'agent' | 'atMs'> & { readonly secrets: readonly string[] };

/** Maximum number of failures to keep per operation, phase and outcome, and per run. */
export const FIRST_KEPT = 3;
export const MAX_KEPT_FAILURES = 100;

export type EvidenceKeeper = ReturnType<typeof createEvidenceKeeper>;

type EvidenceKey = Pick<Evidence, 'phase' | 'operation' | 'outcome'>;

/** Collects evidence of failures between two frames; the limits include what was pending. @param secrets that evidence must not show */
export function createEvidenceKeeper(secrets: readonly string[]) {
  const kept = new Map<string, number>();
  let all = 0;
  let pending: Evidence[] = [];
  return {
    /** Whether to keep another failure of this kind. Called for every failure, so it is cheap. */
    wants: (key: EvidenceKey): boolean => all < MAX_KEPT_FAILURES && (kept.get(keyOf(key)) ?? 0) < FIRST_KEPT,
    keep({ phase, operation, outcome }: EvidenceKey, witness: Witness, evidence: ExchangeEvidence): void {
      const key = { phase, operation, outcome };
      kept.set(keyOf(key), (kept.get(keyOf(key)) ?? 0) + 1);
      all++;
      const { agent, atMs } = witness;
      pending.push({
        ...key,
        agent,
        atMs: Math.round(atMs),
        ...redactedEvidence(evidence, [...secrets, ...witness.secrets]),
      });
    },
    hasNew: () => pending.length > 0,
    /** Returns the evidence since the last call. */
    take: (): readonly Evidence[] => {
      const evidence = pending;
      pending = [];
      return evidence;
    },
  };
}

/** Keeps the first failures of each kind, regardless of the order of reports. */
export function createEvidenceSum() {
  const first = new Map<string, readonly Evidence[]>();
  return {
    add(evidence: readonly Evidence[]): void {
      for (const one of evidence) {
        const key = keyOf(one);
        first.set(key, [...(first.get(key) ?? []), one].sort(earlier).slice(0, FIRST_KEPT));
      }
    },
    read: (): readonly Evidence[] => [...first.values()].flat().sort(earlier).slice(0, MAX_KEPT_FAILURES),
  };
}

function earlier(one: Evidence, other: Evidence): number {
  return one.atMs - other.atMs || one.agent - other.agent || keyOf(one).localeCompare(keyOf(other), 'en');
}

function keyOf({ phase, operation, outcome }: EvidenceKey): string {
  return `${operation} ${outcome} ${phase}`;
}
