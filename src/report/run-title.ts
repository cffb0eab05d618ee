import type { Summary } from '../metrics/summary/summary-schema.ts';

/** `steady`, `steady, shard 2 of 3`: what a result is of. */
export function runTitle({ scenarioName, shard }: Pick<Summary, 'scenarioName' | 'shard'>): string {
  return shard === undefined ? scenarioName : `${scenarioName}, shard ${shard.number} of ${shard.of}`;
}

/** Why a shard shows no thresholds; undefined for a whole run. */
export function unjudgedText({ shard }: Pick<Summary, 'shard'>): string | undefined {
  return shard === undefined ? undefined : 'not judged: muster merge judges them, over all shards';
}
