import { type Finding, findingText } from '../notation/finding.ts';
import { schemaFindings } from '../notation/schema-findings.ts';
import type { Fault } from './fault.ts';
import { type FaultFile, faultList, faultOf } from './schema.ts';

/** What came of a list of faults: the faults, or everything that is wrong with it, and a sentence on each. */
export type FaultsRead =
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'problems'; readonly findings: readonly Finding[]; readonly problems: readonly string[] };

/** Reads faults as they are set on a server: there are no phases, and times count from that moment. */
export function readFaults(raw: unknown): FaultsRead {
  const { data, error } = faultList.safeParse(raw);
  const findings = data === undefined ? schemaFindings(error.issues, raw) : data.flatMap(phaseFindings);
  if (data === undefined || findings.length > 0)
    return { kind: 'problems', findings, problems: findings.map(findingText) };
  return { kind: 'faults', faults: data.map((file) => faultOf(file, [])) };
}

function phaseFindings({ at }: FaultFile, index: number): readonly Finding[] {
  if (at.phase === undefined) return [];
  const expected = 'a time from the moment the faults are set such as 12s, as a server knows no phases';
  return [{ path: [index, 'at'], focus: 'value', expected, found: `the phase ${at.phase}`, candidates: [] }];
}
