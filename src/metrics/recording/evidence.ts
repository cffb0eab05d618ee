import type { Seen } from '../../ground/protocol/exchange.ts';
import type { Evidence } from './schema.ts';
import { shownOf } from './without-secrets.ts';

export type Witness = Pick<Evidence, 'agent' | 'atMs'> & { readonly secrets: readonly string[] };

/** Maximum number of failures to keep per operation, phase and outcome, and per run. */
export const FIRST_KEPT = 3;
export const MOST_KEPT = 100;

export type EvidenceKeeper = ReturnType<typeof createEvidenceKeeper>;

type EvidenceKey = Pick<Evidence, 'phase' | 'operation' | 'outcome'>;

/**
 * Collects evidence of a shard's failures between two frames. The limits include evidence that was already taken.
 * @param secrets values that evidence must not show, such as API keys.
 */
export function createEvidenceKeeper(secrets: readonly string[]) {
  const kept = new Map<string, number>();
  let all = 0;
  let taken: Evidence[] = [];
  return {
    /** Whether to keep another failure of this kind. Called for every failure, so it is cheap. */
    wants: (key: EvidenceKey): boolean => all < MOST_KEPT && (kept.get(keyOf(key)) ?? 0) < FIRST_KEPT,
    keep({ phase, operation, outcome }: EvidenceKey, witness: Witness, seen: Seen): void {
      const key = { phase, operation, outcome };
      kept.set(keyOf(key), (kept.get(keyOf(key)) ?? 0) + 1);
      all++;
      const { agent, atMs } = witness;
      taken.push({ ...key, agent, atMs: Math.round(atMs), ...shownOf(seen, [...secrets, ...witness.secrets]) });
    },
    hasNew: () => taken.length > 0,
    /** Returns the evidence since the last call. */
    take: (): readonly Evidence[] => {
      const evidence = taken;
      taken = [];
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
    read: (): readonly Evidence[] => [...first.values()].flat().sort(earlier).slice(0, MOST_KEPT),
  };
}

function earlier(one: Evidence, other: Evidence): number {
  return one.atMs - other.atMs || one.agent - other.agent || keyOf(one).localeCompare(keyOf(other), 'en');
}

function keyOf({ phase, operation, outcome }: EvidenceKey): string {
  return `${operation} ${outcome} ${phase}`;
}
