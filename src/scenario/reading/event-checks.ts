import { type Finding, type Path, quoted } from '../../notation/finding.ts';
import { INSTANT_FORM } from '../../notation/instant.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { shownUrl } from '../meaning/target-url.ts';
import { type LegibleFile, on, phaseNames, phasesText } from './legible-file.ts';

/** What is wrong with faults and incidents beside the target, the phases and the fleet. */
export function eventFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
  return [...misdirectedKeys(raw), ...strangeInstants(file), ...cohortsBeyond(file, raw)];
}

/** What only the embedded server can be told. */
const EMBEDDED_ONLY = [['dialect'], ['faults'], ['tls', 'serve'], ['pull']] as const;

function misdirectedKeys(raw: unknown): readonly Finding[] {
  const url = valueAt(raw, ['target', 'url']);
  if (typeof url !== 'string' || url === 'embedded') return [];
  return EMBEDDED_ONLY.filter((keys) => valueAt(raw, ['target', ...keys]) !== undefined).map((keys) => ({
    path: ['target', ...keys],
    focus: 'key',
    expected: `${keys.join('.')} only with url: embedded`,
    found: `it with ${quoted(shownUrl(url))}`,
    candidates: [],
  }));
}

/** Instants that count from a phase which does not exist. */
function strangeInstants(file: LegibleFile): readonly Finding[] {
  const phases = phaseNames(file);
  const timed = [
    ...entriesOf(file.target?.faults, ['target', 'faults']),
    ...entriesOf(file.machine?.incidents, ['machine', 'incidents']),
  ];
  const instants = [
    ...timed.map(({ entry, path }) => ({ instant: entry.at, path: [...path, 'at'] })),
    { instant: file.target?.pull?.configAt, path: ['target', 'pull', 'configAt'] },
  ];
  return instants.flatMap(({ instant, path }): Finding[] => {
    const phase = instant?.phase;
    if (phase === undefined || phases.includes(phase)) return [];
    return [
      { ...on(path), expected: `${INSTANT_FORM}; ${phasesText(phases)}`, found: quoted(phase), candidates: phases },
    ];
  });
}

/** Cohorts of agents that the fleet does not have. */
function cohortsBeyond({ fleet, machine }: LegibleFile, raw: unknown): readonly Finding[] {
  const agents = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return entriesOf(machine?.incidents, ['machine', 'incidents']).flatMap(({ entry: { cohort }, path }): Finding[] => {
    if (cohort === undefined || !('toAgent' in cohort) || cohort.toAgent <= agents) return [];
    const expected = `agents from 0 to ${agents - 1}, those of this fleet`;
    return [{ ...on([...path, 'cohort']), expected, found: quoted(String(valueAt(raw, [...path, 'cohort']))) }];
  });
}

function entriesOf<Entry>(list: readonly (Entry | undefined)[] | undefined, above: Path) {
  return (list ?? []).flatMap((entry, index) => (entry === undefined ? [] : [{ entry, path: [...above, index] }]));
}
