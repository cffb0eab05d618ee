import { counted } from '../../ground/kernel/units.ts';
import { columnsOf, hanging, type Page } from '../../report/layout.ts';
import { latencyText } from '../../report/page/figures.ts';
import { BACKLOG_MS, type Calibration, SCHEDULING_ERROR_MS } from '../../run/calibration/calibrate.ts';
import { CALIBRATION_PERCENTILES, errorMs, type TruthComparison } from '../../run/calibration/truth.ts';
import { tableLines } from '../output/table.ts';
import type { Diagnosis } from './diagnoses.ts';

export type DoctorSection = { readonly title: string; readonly diagnoses: readonly Diagnosis[] };

const REMEDY_INDENT = '      ';

/** Formats diagnoses as tables, with each remedy below its line. */
export function doctorText(sections: readonly DoctorSection[], page: Page): string {
  const lines = sections.flatMap(({ title, diagnoses }) => [
    page.strong(title),
    '',
    ...diagnosisLines(diagnoses, page),
    '',
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function diagnosisLines(diagnoses: readonly Diagnosis[], page: Page): readonly string[] {
  const marks = { good: page.good('✓'), caution: page.caution('!'), absent: page.faint('-') };
  const rows = tableLines(
    diagnoses.map(({ what, found, meaning }) => [what, found, meaning]),
    columnsOf(page) - 4,
  );
  return diagnoses.flatMap(({ mark, remedy }, index) => [
    `  ${marks[mark]} ${rows[index]?.replaceAll('\n', '\n    ')}`,
    ...(remedy === '' ? [] : hanging(`→ ${remedy}`, REMEDY_INDENT, page)),
  ]);
}

/** Formats measurements of known delays as a table. */
export function calibrationText(calibrations: readonly Calibration[], page: Page): string {
  const clocks = calibrations.flatMap((calibration) => calibration.clocks);
  const header = ['server', 'clock', ...CALIBRATION_PERCENTILES.map((percentile) => `p${percentile}`)];
  const [heading = '', ...rows] = tableLines([
    header,
    ...clocks.map(({ trial, clock, comparisons }) => [trial, clock, ...comparisons.map(cellText)]),
  ]);
  const marks = clocks.map(({ within }) => (within ? page.good('✓') : page.caution('!')));
  const lines = [
    page.strong('Calibration: known delays of the server, and the error of a run that measured them'),
    '',
    `    ${page.faint(heading)}`,
    ...rows.map((row, index) => `  ${marks[index]} ${row}`),
    '',
    ...conclusion(calibrations, page),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function conclusion(calibrations: readonly Calibration[], page: Page): readonly string[] {
  const clocks = calibrations.flatMap((calibration) => calibration.clocks);
  const worst = Math.max(...clocks.flatMap(({ comparisons }) => comparisons.map(errorMs)));
  const waits = calibrations
    .filter(({ overOneSecond }) => overOneSecond.expected > 0)
    .map(
      ({ overOneSecond: { expected, measured } }) =>
        `The freeze made ${counted(expected, 'arrival')} wait longer than a second; the run measured ${measured}.`,
    );
  const allowed =
    `Histograms keep three significant digits. Timers and cores may add ${SCHEDULING_ERROR_MS} ms to a percentile, ` +
    `and the backlog of a freeze ${BACKLOG_MS} ms more. The largest error was ${latencyText(Math.max(0, worst))}.`;
  const remedy = clocks.every(({ within }) => within)
    ? []
    : ['Larger errors (!) mean that other processes were using the cores: stop them and calibrate again.'];
  return [...waits, allowed, ...remedy].flatMap((sentence) => hanging(sentence, '  ', page));
}

/** `20.0 ms +1.63`: the true value and the error in milliseconds. */
function cellText(comparison: TruthComparison): string {
  const error = errorMs(comparison);
  return `${latencyText(comparison.trueMs)} ${error < 0 ? '-' : '+'}${Math.abs(error).toFixed(2)}`;
}
