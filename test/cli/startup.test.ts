import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

// Prints to stderr which project files and packages a process loads.
const WATCH = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); } });
`)}`;

/** Returns the modules of `src` and the packages that a file of `src` loads. */
async function loadedBy(file: string, ...args: string[]): Promise<{ modules: string[]; packages: string[] }> {
  const path = join(ROOT, 'src', file);
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', WATCH, '--', path, ...args]);
  const names = (pattern: RegExp) => [...new Set([...stderr.matchAll(pattern)].map(([, name = '']) => name))];
  return { modules: names(/\/src\/([a-z-]+)\/\S+\.ts/g), packages: names(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g) };
}

const HEAVY_MODULES = ['hosts', 'workers', 'run', 'engine', 'scenario', 'wire', 'server', 'outputs', 'staging'];
const HEAVY_PACKAGES = [
  'zod',
  'yaml',
  'piscina',
  'hdr-histogram-js',
  'prom-client',
  '@peculiar/x509',
  '@faker-js/faker',
  'hono',
  '@hono/zod-openapi',
  '@opentelemetry/api',
  '@opentelemetry/sdk-metrics',
  'undici',
  'eventsource-parser',
];

describe('a command line that only prints help', () => {
  it.each([[['--help']], [['run', '--help']], [['serve', '--help']], [['ctl', '--help']], [['--version']]])(
    '%j loads nothing that runs need',
    async (args) => {
      const { modules, packages } = await loadedBy('main.ts', ...args);
      expect(modules).toContain('cli');
      expect(modules.filter((module) => HEAVY_MODULES.includes(module))).toEqual([]);
      expect(packages.filter((name) => HEAVY_PACKAGES.includes(name))).toEqual([]);
    },
  );

  it('is distinguished from one that checks a scenario, which loads nothing that only plans and runs need', async () => {
    const { modules, packages } = await loadedBy('main.ts', 'validate', join(ROOT, 'scenarios/quickstart.yaml'));
    expect(modules).toEqual(expect.arrayContaining(['scenario', 'hosts']));
    expect(packages).toContain('zod');
    const ofRuns = ['run', 'workers', 'engine', 'outputs', 'staging', 'report', 'capacity', 'cluster'];
    expect(modules.filter((module) => ofRuns.includes(module))).toEqual([]);
  });
});

describe('a thread that runs agents, polls them or serves them', () => {
  // Each run starts several threads; with zod, each took 20 % longer to start.
  it.each(['workers/shard-entry.ts', 'workers/poller-entry.ts', 'workers/server-entry.ts'])(
    '%s loads nothing that checks files, exports metrics or sends other requests',
    async (entry) => {
      const { modules, packages } = await loadedBy(entry);
      expect(modules).toContain('workers');
      const used = ['piscina', 'hdr-histogram-js'];
      expect(packages.filter((name) => HEAVY_PACKAGES.includes(name) && !used.includes(name))).toEqual([]);
    },
  );
});
