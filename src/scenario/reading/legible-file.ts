import type { Finding, Path } from '../../notation/finding.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { OPERATIONS, type Operation } from '../../protocol/operations.ts';
import type { ScenarioFile } from '../schema/scenario-file.ts';

/** What could be read of a scenario file: parts that are faulty or not there are absent. */
export type LegibleFile = {
  readonly target?: {
    readonly faults?: LegibleList<ScenarioFile['target']['faults'][number]>;
    readonly pull?: Partial<NonNullable<ScenarioFile['target']['pull']>>;
  };
  readonly fleet?: Partial<ScenarioFile['fleet']>;
  readonly webServer?: Partial<NonNullable<ScenarioFile['webServer']>>;
  readonly machine?: { readonly incidents?: LegibleList<ScenarioFile['machine']['incidents'][number]> };
  readonly phases?: LegibleList<ScenarioFile['phases'][number]>;
};

type LegibleList<Entry> = readonly (Partial<Entry> | undefined)[];

/** The names of its phases. */
export function phaseNames({ phases = [] }: LegibleFile): readonly string[] {
  return phases.flatMap((phase) => phase?.name ?? []);
}

/** Which phases there are, for who named another one. */
export function phasesText(names: readonly string[]): string {
  return names.length === 0 ? 'this scenario has none' : `this scenario has ${[...new Set(names)].join(', ')}`;
}

/** The names that each phase uses, whatever is behind them; undefined for what is no section. */
export function keysOfPhases(raw: unknown): readonly (readonly string[] | undefined)[] {
  const phases = valueAt(raw, ['phases']);
  if (!Array.isArray(phases)) return [];
  return phases.map((phase) => (typeof phase === 'object' && phase !== null ? Object.keys(phase) : undefined));
}

/** Agents without a password register when check data is due, and send check data once they are registered. */
export function plannedBy(keys: readonly string[]): readonly Operation[] {
  const cycle: readonly Operation[] = ['register', 'checkdata'];
  const isCycle = cycle.some((operation) => keys.includes(operation));
  return OPERATIONS.filter((operation) => keys.includes(operation) || (isCycle && cycle.includes(operation)));
}

/** What all findings about a value have in common. */
export function on(path: Path): Pick<Finding, 'path' | 'focus' | 'candidates'> {
  return { path, focus: 'value', candidates: [] };
}
