import { oneOf } from '../../notation/expectations.ts';
import { type Finding, type Path, quoted } from '../../notation/finding.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import {
  isMeasuredOperation,
  isOperation,
  isPullOperation,
  isServedOperation,
  MEASURED_OPERATIONS,
  type PullOperation,
} from '../../protocol/operations.ts';
import { DELIVERY, parseSubject } from '../schema/threshold.ts';
import { keysOfPhases, type LegibleFile, phaseNames, phasesText, plannedBy } from './legible-file.ts';

/** Thresholds on what does not exist, or on what nothing plans. */
export function thresholdFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
  const names = phaseNames(file);
  const thresholds = valueAt(raw, ['thresholds']);
  if (typeof thresholds !== 'object' || thresholds === null) return [];
  return Object.keys(thresholds).flatMap((key) => {
    const strange = strangeSubject(key, names);
    return strange.length > 0 ? strange : [...idleSubject(key, file, raw), ...neverDone(key, file, raw)];
  });
}

/** A threshold on what agents are asked for, or on what the embedded server asks them for, in a scenario without it. */
function neverDone(key: string, { webServer }: LegibleFile, raw: unknown): readonly Finding[] {
  const { operation = '' } = parseSubject(key) ?? {};
  const missing = meansOf(operation)
    .find((path) => valueAt(raw, path) === undefined)
    ?.join('.');
  const means = missing ?? (operation === 'exchange' && webServer?.autoTls === false ? AUTO_TLS : undefined);
  if (means === undefined) return [];
  const expected = `an operation that this scenario does; ${operation} needs ${means}`;
  return [{ path: ['thresholds', key], focus: 'key', expected, found: quoted(operation), candidates: [] }];
}

/** Where a file says that there is such an operation. */
function meansOf(operation: string): readonly Path[] {
  if (isServedOperation(operation)) return [WEB_SERVER];
  return isPullOperation(operation) ? [WEB_SERVER, PULL, ...(FURTHER_MEANS[operation] ?? [])] : [];
}

const WEB_SERVER = ['webServer'];
const PULL = ['target', 'pull'];
const AUTO_TLS = 'webServer.autoTls: true';

const FURTHER_MEANS: Readonly<Partial<Record<PullOperation, readonly Path[]>>> = {
  configure: [['target', 'pull', 'config']],
};

/** A threshold on an operation that none of its phases plans would never have data. */
function idleSubject(key: string, { phases = [] }: LegibleFile, raw: unknown): readonly Finding[] {
  const { operation = '', phase } = parseSubject(key) ?? {};
  if (!isOperation(operation)) return [];
  const keys = keysOfPhases(raw).map((loads = []) => loads);
  const among = phases.flatMap((other, index) => {
    const counts = phase === undefined ? other?.exclude !== true : other?.name === phase;
    return counts ? [plannedBy(keys[index] ?? [])] : [];
  });
  if (among.length === 0 || among.some((operations) => operations.includes(operation))) return [];
  const where = phase === undefined ? 'a phase that is not excluded' : `the phase ${phase}`;
  const planned = [...new Set(among.flat())];
  const expected = `an operation that ${where} plans, ${planned.length === 0 ? 'and it plans none' : oneOf(planned)}`;
  return [{ path: ['thresholds', key], focus: 'key', expected, found: quoted(operation), candidates: [] }];
}

function strangeSubject(key: string, phases: readonly string[]): readonly Finding[] {
  if (key === DELIVERY) return [];
  const at = { path: ['thresholds', key], focus: 'key', candidates: [] } as const;
  const subject = parseSubject(key);
  if (subject === undefined) return [{ ...at, expected: 'operation or operation{phase:name}', found: quoted(key) }];
  const { operation, phase } = subject;
  if (operation === DELIVERY)
    return [{ ...at, expected: 'delivery without a phase, as it is of the whole run', found: quoted(key) }];
  const strange: Finding[] = [];
  if (!isMeasuredOperation(operation))
    strange.push({
      ...at,
      expected: `an operation, ${oneOf(MEASURED_OPERATIONS)}, or delivery`,
      found: quoted(operation),
      candidates: [...MEASURED_OPERATIONS, DELIVERY],
    });
  if (phase !== undefined && !phases.includes(phase))
    strange.push({
      ...at,
      expected: `the name of a phase; ${phasesText(phases)}`,
      found: quoted(phase),
      candidates: phases,
    });
  return strange;
}
