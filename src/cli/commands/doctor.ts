import type { DoctorFlags } from '../actions/doctor.ts';
import type { Command } from '../io.ts';

export const doctorCommand: Command<DoctorFlags> = (io, end) => ({
  command: 'doctor',
  describe: 'Show the limits of this machine and how to raise them',
  builder: (yargs) =>
    yargs
      .option('agents', {
        alias: 'a',
        type: 'string',
        requiresArg: true,
        default: '10000',
        describe: 'Size of the fleet you plan',
      })
      .option('calibrate', {
        type: 'boolean',
        default: false,
        describe: 'Measure the error of a run against known delays; takes 15 seconds',
      })
      .example('$0 doctor', 'show what this machine can carry')
      .example('$0 doctor --agents 50000', 'show what limits this machine for 50,000 agents')
      .example('$0 doctor --calibrate', 'also measure how accurate its figures are')
      .epilogue('Exits with 111 if the calibration found figures that are off.'),
  handler: async (flags) => {
    const { doctor } = await import('../actions/doctor.ts');
    end(await doctor(flags, io));
  },
});
