import { defineConfig } from 'vitest/config';

/** The unit tests that can tell something of the modules of the domain. */
const MODULES = 'base,capacity,engine,load,metrics,report,results,run,scenario,server,wire,workers';

export default defineConfig({
  test: {
    include: [`test/{${MODULES}}/**/*.test.ts`],
    exclude: ['test/run/{real-time,listening}/**', 'test/run/calibration/calibrate.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
