import { setTimeout } from 'node:timers/promises';
import { counted } from '../../base/kernel/units.ts';
import { machineLimits } from '../../base/system/limits.ts';
import { createMachineMeter } from '../../base/system/machine-load.ts';
import { columnsOf, hanging, type Page } from '../../report/layout.ts';
import { countText, latencyText } from '../../report/page/figures.ts';
import {
  allTrials,
  BACKLOG_MS,
  type Calibration,
  calibrate,
  SCHEDULING_ERROR_MS,
} from '../../run/calibration/calibrate.ts';
import { CALIBRATION_PERCENTILES, errorMs, type TruthComparison } from '../../run/calibration/truth.ts';
import type { DoctorFlags } from '../commands/others.ts';
import {
  clockDiagnoses,
  type Diagnosis,
  machineDiagnoses,
  measureClock,
  neighborDiagnoses,
  nodeDiagnosis,
  programDiagnoses,
} from '../doctor/diagnoses.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { readFlag, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { pageFor } from '../output/page.ts';
import { tableLines } from '../output/table.ts';

/** Long enough to average over the turns of busy processes. */
const WATCHED_MS = 900;

export async function doctor(flags: DoctorFlags, io: Io): Promise<ExitCode> {
  const agents = readFlag('agents', flags, wholeNumber(1, 9_999_999));
  const page = pageFor(io.stdout, io.env);
  await examine(agents, page, io);
  return flags.calibrate ? await runCalibration(page, io) : EXIT_CODES.pass;
}

async function examine(agents: number, page: Page, io: Io): Promise<void> {
  const meter = createMachineMeter();
  const clock = await measureClock();
  await setTimeout(WATCHED_MS);
  const machine = [
    ...machineDiagnoses(machineLimits(), agents),
    ...clockDiagnoses(clock),
    ...neighborDiagnoses(meter()),
    nodeDiagnosis(process.version),
  ];
  const sections = [
    {
      title: `This machine, for ${counted(agents, 'agent', countText(agents))} with one connection each`,
      diagnoses: machine,
    },
    { title: 'Optional programs', diagnoses: programDiagnoses(io.env.PATH) },
  ];
  io.stdout.write(doctorText(sections, page));
}

async function runCalibration(page: Page, io: Io): Promise<ExitCode> {
  const calibrations: Calibration[] = [];
  for (const known of allTrials()) {
    io.stderr.write(`calibrating: ${known.name}\n`);
    calibrations.push(await calibrate(known));
  }
  io.stdout.write(calibrationText(calibrations, page));
  const exact = calibrations.every(({ clocks }) => clocks.every(({ within }) => within));
  return exact ? EXIT_CODES.pass : EXIT_CODES.invalid;
}

type DoctorSection = { readonly title: string; readonly diagnoses: readonly Diagnosis[] };

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
