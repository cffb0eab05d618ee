import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { brokenLinks } from '../links.ts';
import { readWorkflow, STEP_SHELL, stepText } from '../workflow.ts';
import { folder, resultsOf, scenario, WITHOUT_FAULT } from './muster.ts';
import { findNode, pathWith } from './nodes.ts';
import { installPacked } from './packed.ts';
import { SMALL_STORM } from './small-storm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { place, home, missing } = installPacked();

const STORM = ['run', join(home, 'scenarios/enrolment-storm.yaml'), ...SMALL_STORM];

const ITS_OWN = { name: 'the Node of the checkout', node: process.execPath, left: '' };
const [STILL_GOOD, TOO_OLD] = [findNode((major) => major === 24), findNode((major) => major < 24)];
const NODES = [ITS_OWN, { name: 'Node 24', node: STILL_GOOD ?? '', left: whyLeft(STILL_GOOD, 'none named in NODE24') }];

/** For the name of a test that cannot take place. */
function whyLeft(node: string | undefined, reason: string): string {
  return node === undefined ? ` (skipped: ${reason})` : '';
}

/** Runs a program in the test's folder, with this Node as `node` and the installed `muster`. */
function run(node: string, [program = '', ...words]: readonly string[], environment: Record<string, string> = {}) {
  const PATH = [join(place, 'node_modules/.bin'), pathWith(node)].join(delimiter);
  const env = { PATH, HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled'), ...environment };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8', env });
  return { code: status, stdout, stderr };
}

describe.skipIf(missing !== '')(`the packed form${missing}`, () => {
  it('has the documents, scenarios and examples of the checkout, and every file that they link to', () => {
    for (const name of ['docs', 'scenarios', 'examples'])
      expect(readdirSync(join(home, name), { recursive: true }).sort()).toEqual(
        readdirSync(join(ROOT, name), { recursive: true }).sort(),
      );
    const documents = globSync('**/*.md', { cwd: home, exclude: ['node_modules'] });
    expect(documents).toEqual(
      expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/install.md', 'results/README.md']),
    );
    expect(brokenLinks(home, documents)).toEqual([]);
  });

  it('has neither sources nor tests', () => {
    expect(globSync(['**/*.ts', '**/*.map', 'test'], { cwd: home, exclude: ['node_modules'] })).toEqual([]);
  });

  for (const { name, node, left } of NODES)
    it.skipIf(left !== '')(`shows its help and runs a shipped scenario under ${name}${left}`, () => {
      const help = run(node, ['muster', '--help']);
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('muster run'), stderr: '' });
      expect(WITHOUT_FAULT).toContain(run(node, ['muster', ...STORM]).code);
      const { files, summary } = resultsOf('enrolment-storm');
      expect(files).toContain('report.html');
      expect(`${summary.environment.node}\n`).toBe(run(node, ['node', '--version']).stdout);
    });

  const left = whyLeft(TOO_OLD, 'none on the PATH');
  it.skipIf(left !== '')(`says in one sentence that an old Node is too old${left}`, () => {
    const { code, stdout, stderr } = run(TOO_OLD ?? '', ['muster', '--help']);
    expect({ code, stdout }).toEqual({ code: EXIT_CODES.userError, stdout: '' });
    expect(stderr).toMatch(/^muster needs Node 24 or newer; this is \d+\.\d+\.\d+, at \S+\.\n$/);
  });

  it('is what npx finds where it is installed', () => {
    const found = spawnSync('npx', ['--no', '--offline', 'muster', '--version'], { cwd: place, encoding: 'utf8' });
    expect(found.stdout).toBe(`${manifest.version}\n`);
  });

  it('is called by the gate of its own example as its command line demands', () => {
    const file = scenario(
      'push-server',
      'fleet: { agents: 20, payload: lean }\nphases: [{ name: enrol, register: { over: 500ms } }]\n',
    );
    const step = stepText(readWorkflow(join(home, 'examples/github-workflow.yml')), 'Measure');
    const summary = join(folder, 'step.md');
    const given = { SCENARIO: file, TARGET: 'embedded', GITHUB_STEP_SUMMARY: summary };
    expect(WITHOUT_FAULT).toContain(run(process.execPath, [...STEP_SHELL, step], given).code);
    expect(readFileSync(join(folder, 'results-1.xml'), 'utf8')).toContain('<testsuite ');
    expect(readFileSync(summary, 'utf8')).toContain('push-server');
  });
});
