import { UserError } from '../kernel/errors.ts';
import { countText } from '../report/figures.ts';
import type { Command } from './command.ts';
import { clockFindings, measureClock } from './doctor/clock-precision.ts';
import { doctorText } from './doctor/doctor-text.ts';
import { machineFindings, nodeFinding } from './doctor/machine-findings.ts';
import { partnerFindings } from './doctor/partners.ts';
import { machineLimits } from './machine-limits.ts';
import { paletteFor } from './palette-choice.ts';
import { onlyOne } from './scenario-flags.ts';

export const doctorCommand: Command<{ agents: string }> = (io) => ({
  command: 'doctor',
  describe: 'Shows the limits of this machine and how to lift them',
  builder: (yargs) =>
    yargs
      .option('agents', { type: 'string', requiresArg: true, default: '10000', describe: 'Fleet that is wanted' })
      .example('$0 doctor', 'what this machine can carry')
      .example('$0 doctor --agents 50000', 'what stands in the way of fifty thousand agents'),
  handler: async (flags) => {
    const agents = fleetSize(onlyOne('agents', flags.agents));
    const palette = paletteFor({ ...io, stderr: io.stdout });
    const machine = [
      ...machineFindings(machineLimits(), agents),
      ...clockFindings(await measureClock()),
      nodeFinding(process.version),
    ];
    const sections = [
      { title: `This machine, for ${countText(agents)} agents with a connection each`, findings: machine },
      { title: 'Optional programs', findings: partnerFindings(io.env.PATH) },
    ];
    io.stdout.write(doctorText(sections, palette));
  },
});

function fleetSize(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UserError(`--agents: expected a whole number from 1 to 9999999, found ${JSON.stringify(text)}.`);
}
