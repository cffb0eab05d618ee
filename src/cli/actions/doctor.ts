import { setTimeout } from 'node:timers/promises';
import { counted } from '../../ground/kernel/units.ts';
import { machineLimits } from '../../ground/system/limits.ts';
import { createMachineMeter } from '../../ground/system/machine-load.ts';
import type { Page } from '../../report/layout.ts';
import { countText } from '../../report/page/figures.ts';
import { allTrials, type Calibration, calibrate } from '../../run/calibration/calibrate.ts';
import type { DoctorFlags } from '../commands/others.ts';
import {
  clockDiagnoses,
  machineDiagnoses,
  measureClock,
  neighborDiagnoses,
  nodeDiagnosis,
  programDiagnoses,
} from '../doctor/diagnoses.ts';
import { calibrationText, doctorText } from '../doctor/doctor-text.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { parsed, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { pageFor } from '../output/page.ts';

/** Long enough to average over the turns of busy processes. */
const WATCHED_MS = 900;

export async function doctor(flags: DoctorFlags, io: Io): Promise<ExitCode> {
  const agents = parsed(flags.agents, wholeNumber(1, 9_999_999), (found) => {
    return `--agents: expected a whole number from 1 to 9999999, found ${found}.`;
  });
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
