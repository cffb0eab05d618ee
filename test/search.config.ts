import { globSync, readFileSync } from 'node:fs';
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';

const seed = env.MUSTER_SEARCH_SEED ?? String(Date.now() % 2 ** 31);

/** The properties of all rooms with other draws at each run, and more of them: `npm run test:search -- test/load`. */
export default defineConfig({
  test: {
    name: 'search',
    include: globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes("'fast-check'")),
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/temporary-folder.ts'],
    env: { MUSTER_SEARCH_SEED: seed },
    testTimeout: 0,
    isolate: false,
    execArgv: ['--max-semi-space-size=64'],
    experimental: { viteModuleRunner: false },
  },
});
