import { defineConfig } from 'vitest/config';

/** The unit tests that can tell something of the rooms of the domain. */
const ROOMS =
  'agent,calibration,engine,faults,kernel,load,metrics,notation,protocol,report,run,scenario,storage,transport';

export default defineConfig({
  test: {
    include: [`test/{${ROOMS}}/**/*.test.ts`],
    exclude: ['test/run/{real-time,listening}/**', 'test/run/calibration/calibrate.test.ts'],
    testTimeout: 120_000,
  },
});
