import type { DoctorFlags } from '../actions/doctor.ts';
import type { Command } from '../io.ts';

export const doctorCommand: Command<DoctorFlags> = (io, end) => ({
  command: 'doctor',
  describe: 'Shows the limits of this machine and how to lift them',
  builder: (yargs) =>
    yargs
      .option('agents', {
        alias: 'a',
        type: 'string',
        requiresArg: true,
        default: '10000',
        describe: 'Fleet that is wanted',
      })
      .option('calibrate', {
        type: 'boolean',
        default: false,
        describe: 'Measure how far the figures of a run are from delays that are known; takes 15 seconds',
      })
      .example('$0 doctor', 'what this machine can carry')
      .example('$0 doctor --agents 50000', 'what stands in the way of fifty thousand agents')
      .example('$0 doctor --calibrate', 'and how exact its figures are')
      .epilogue('Exit codes: 0, 104 wrong flags, 111 the calibration found figures that are off.'),
  handler: async (flags) => {
    const { doctor } = await import('../actions/doctor.ts');
    end(await doctor(flags, io));
  },
});
