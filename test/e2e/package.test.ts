import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { brokenLinks } from '../links.ts';
import { readWorkflow, STEP_SHELL, stepText } from '../workflow.ts';
import { folder, resultsOf, scenario, WITHOUT_FAULT } from './muster.ts';
import { findNode, pathWith } from './nodes.ts';
import { installPacked } from './packed.ts';
import { SMALL_STORM } from './small-storm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { place, home, tarballBytes, missing } = installPacked();

const STORM = ['run', join(home, 'scenarios/enrollment-storm.yaml'), ...SMALL_STORM];

const ITS_OWN = { name: 'the Node of the checkout', node: process.execPath, left: '' };
const [STILL_GOOD, TOO_OLD] = [findNode((major) => major === 24), findNode((major) => major < 24)];
const NODES = [ITS_OWN, { name: 'Node 24', node: STILL_GOOD ?? '', left: whyLeft(STILL_GOOD, 'none named in NODE24') }];

/** Protects only against hanging. */
const LIMIT_MS = 600_000;

/** For the title of a test that is skipped. */
function whyLeft(node: string | undefined, reason: string): string {
  return node === undefined ? ` (skipped: ${reason})` : '';
}

/** The environment of a program with this Node as `node` and the installed `muster`. */
function environmentWith(node: string): Record<string, string> {
  const PATH = [join(place, 'node_modules/.bin'), pathWith(node)].join(delimiter);
  return { PATH, HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') };
}

/** Runs a program in the test's folder. */
function run(node: string, [program = '', ...words]: readonly string[], environment: Record<string, string> = {}) {
  const env = { ...environmentWith(node), ...environment };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8', env });
  return { code: status, stdout, stderr };
}

describe.skipIf(missing !== '')(`the package${missing}`, () => {
  it('has the documents, scenarios and examples of the checkout, and every file that they link to', () => {
    const filesOf = (root: string, name: string) =>
      globSync(`${name}/**`, { cwd: root, exclude: ['docs/site'] }).sort();
    for (const name of ['docs', 'scenarios', 'examples']) expect(filesOf(home, name)).toEqual(filesOf(ROOT, name));
    expect(existsSync(join(home, 'docs/site'))).toBe(false);
    const documents = globSync('**/*.md', { cwd: home, exclude: ['node_modules'] });
    expect(documents).toEqual(
      expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/how-to/install.md', 'results/README.md']),
    );
    expect(brokenLinks(home, documents)).toEqual([]);
  });

  it('prints the license of each package that it installs, and that of Node', () => {
    const { code, stdout } = run(process.execPath, ['muster', '--licenses']);
    const titles = stdout.split(/^-{80}$/m).map((text) => text.trim().split('\n', 1)[0]);
    const installed = globSync('node_modules/{*,@*/*}/package.json', { cwd: place }).map((file) => {
      const { name, version, license } = JSON.parse(readFileSync(join(place, file), 'utf8'));
      return name === manifest.name ? 'Muster' : `${name} ${version} (${license})`;
    });
    expect(code).toBe(0);
    expect(titles).toEqual(expect.arrayContaining([...installed, 'Node.js, in the executable and the image']));
  });

  it('is about as large as docs/how-to/install.md says', () => {
    const page = readFileSync(join(home, 'docs/how-to/install.md'), 'utf8');
    const told = [/tarball is ([\d.]+) MB/, /the (\d+) dependencies/].map((figure) => Number(figure.exec(page)?.[1]));
    const installed = JSON.parse(readFileSync(join(place, 'node_modules/.package-lock.json'), 'utf8'));
    const found = [tarballBytes / 1e6, Object.keys(installed.packages).length];
    for (const [n, figure] of found.entries()) expect(Math.abs(figure / (told[n] ?? 0) - 1)).toBeLessThan(0.1);
  });

  it('has neither sources nor tests', () => {
    expect(globSync(['**/*.ts', '**/*.map', 'test'], { cwd: home, exclude: ['node_modules'] })).toEqual([]);
  });

  for (const { name, node, left } of NODES)
    it.skipIf(left !== '')(`shows its help and runs a shipped scenario with ${name}${left}`, () => {
      const help = run(node, ['muster', '--help']);
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('muster run'), stderr: '' });
      expect(WITHOUT_FAULT).toContain(run(node, ['muster', ...STORM]).code);
      const { files, summary } = resultsOf('enrollment-storm');
      expect(files).toContain('report.html');
      expect(`${summary.environment.node}\n`).toBe(run(node, ['node', '--version']).stdout);
      const load = ['manifest', join(home, 'scenarios/enrollment-storm.yaml'), '--machines', '2'];
      const manifest = run(node, ['muster', ...load, '--target', 'https://mon.example', '--allow', 'mon.example']);
      expect(manifest).toMatchObject({ code: 0, stdout: expect.stringContaining('kind: Job') });
      expect(manifest.stderr).toMatch(/^Fetch the results: kubectl .*\n$/);
    });

  for (const { name, node, left } of NODES)
    it.skipIf(left !== '')(`runs a kept fleet, serves its page and accepts commands with ${name}${left}`, async () => {
      const text =
        'fleet: { agents: 20, payload: lean }\nphases: [{ name: day, duration: 1s, checkdata: { every: 1s } }]\n';
      const file = scenario(`stays-${NODES.findIndex((one) => one.node === node)}`, text);
      const fleet = spawn(join(place, 'node_modules/.bin/muster'), ['fleet', file, '--quiet'], {
        cwd: folder,
        env: environmentWith(node),
        stdio: 'ignore',
      });
      const data = join(folder, 'fleets', file.replace('.yaml', ''));
      const record = join(data, 'identities.db.control.json');
      await expect.poll(() => existsSync(record)).toBe(true);
      const { url } = JSON.parse(readFileSync(record, 'utf8')) as { url: string };
      const page = await (await fetch(url)).text();
      const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
      expect(files.length).toBeGreaterThan(0);
      for (const path of files) expect((await fetch(`${url}${path}`)).status).toBe(200);
      const ctl = (...words: string[]) => run(node, ['muster', 'ctl', ...words, '--data', data, '--json']).stdout;
      await expect.poll(() => JSON.parse(ctl('fleet') || '{}').agents?.states.registered).toBe(20);
      expect(JSON.parse(ctl('do', 'restart', '--name', 'kick', '--yes')).hits.count).toBe(20);
      fleet.kill('SIGTERM');
      expect(await once(fleet, 'exit')).toEqual([EXIT_CODES.pass, null]);
      expect(readFileSync(join(data, 'identities.db.events.yaml'), 'utf8')).toContain('name: kick');
    });

  const left = whyLeft(TOO_OLD, 'none on the PATH');
  it.skipIf(left !== '')(`says in one sentence that an old Node is too old${left}`, () => {
    const { code, stdout, stderr } = run(TOO_OLD ?? '', ['muster', '--help']);
    expect({ code, stdout }).toEqual({ code: EXIT_CODES.userError, stdout: '' });
    expect(stderr).toMatch(
      /^muster needs Node 24 or newer; this is \d+\.\d+\.\d+, at \S+; see docs\/how-to\/install\.md\.\n$/,
    );
  });

  describe('as a single executable', () => {
    const [executable, cache] = [join(folder, 'muster'), join(folder, 'cache')];

    /** Runs it without any other program: no Node, no npm. */
    function execute(words: readonly string[], environment: Record<string, string> = {}) {
      const env = { PATH: join(folder, 'nothing'), HOME: folder, XDG_CACHE_HOME: cache, ...environment };
      const { status, stdout, stderr } = spawnSync(executable, words, { cwd: folder, encoding: 'utf8', env });
      return { code: status, stdout, stderr };
    }

    beforeAll(() => {
      const build = join(ROOT, 'scripts/executable/build.ts');
      const { status, stderr } = spawnSync(process.execPath, [build, place, executable], { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    }, LIMIT_MS);

    it('runs a shipped scenario with its threads on a machine without Node', () => {
      expect(execute(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
      expect(WITHOUT_FAULT).toContain(execute(STORM).code);
      expect(resultsOf('enrollment-storm').files).toContain('report.html');
    });

    it('unpacks itself once, even if several processes start at the same time', async () => {
      const env = { XDG_CACHE_HOME: join(folder, 'common') };
      const children = [1, 2, 3].map(() => spawn(executable, ['--version'], { env, stdio: 'ignore' }));
      const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
      expect(codes).toEqual([0, 0, 0]);
      const places = readdirSync(join(env.XDG_CACHE_HOME, 'muster')).filter((name) => name !== 'compiled');
      expect(places).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+-[0-9a-f]{16}$/)]);
    });

    it('runs no program that another user could have put into its cache', () => {
      chmodSync(join(cache, 'muster'), 0o777);
      const { code, stderr } = execute(['--version'], { TMPDIR: executable });
      expect({ code, stderr }).toEqual({
        code: EXIT_CODES.userError,
        stderr: expect.stringMatching(
          /^muster unpacks itself into a cache .* can be written by others.*Set XDG_CACHE_HOME to one\.\n$/,
        ),
      });
    });
  });

  it('is found by npx where it is installed', () => {
    const found = spawnSync('npx', ['--no', '--offline', 'muster', '--version'], { cwd: place, encoding: 'utf8' });
    expect(found.stdout).toBe(`${manifest.version}\n`);
  });

  it('is called correctly by the gate of its own example', () => {
    const file = scenario(
      'push-server',
      'fleet: { agents: 20, payload: lean }\nphases: [{ name: enroll, register: { over: 500ms } }]\n',
    );
    const step = stepText(readWorkflow(join(home, 'examples/github-workflow.yml')), 'Measure');
    const summary = join(folder, 'step.md');
    const given = { SCENARIO: file, TARGET: 'embedded', GITHUB_STEP_SUMMARY: summary };
    expect(WITHOUT_FAULT).toContain(run(process.execPath, [...STEP_SHELL, step], given).code);
    expect(readFileSync(join(folder, 'results-1.xml'), 'utf8')).toContain('<testsuite ');
    expect(readFileSync(summary, 'utf8')).toContain('push-server');
  });
});
