import { defineConfig } from 'vitest/config';

/** The unit tests that can tell something of the rooms of the domain. */
const ROOMS = 'capacity,engine,ground,load,metrics,report,results,run,scenario,server,wire,workers';

export default defineConfig({
  test: {
    include: [`test/{${ROOMS}}/**/*.test.ts`],
    exclude: ['test/run/{real-time,listening}/**', 'test/run/calibration/calibrate.test.ts'],
    testTimeout: 120_000,
  },
});
