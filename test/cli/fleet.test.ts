import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { muster } from './muster.ts';

const STEADY = `
target: { url: embedded }
fleet: { agents: 3, payload: lean }
phases: [{ name: steady, duration: 1s, checkdata: { every: 200ms } }]
thresholds: { checkdata: ["p(99) < 1s"] }
`;

function folderWith(text = STEADY): string {
  const cwd = mkdtempSync(join(tmpdir(), 'muster-fleet-'));
  writeFileSync(join(cwd, 'staging.yaml'), text);
  return cwd;
}

/** Runs a fleet until its output matches, then interrupts it. */
async function keptUp(cwd: string, args: readonly string[], until: RegExp, meanwhile = async () => {}) {
  let stderr = '';
  let interrupt = (): void => {};
  const seen = Promise.withResolvers<void>();
  const code = runMuster(['fleet', 'staging.yaml', '--quiet', '--workers', '1', ...args], {
    stdin: (async function* () {})(),
    stdout: { write: () => {} },
    stderr: {
      write: (text) => {
        stderr += text;
        if (until.test(stderr)) seen.resolve();
      },
    },
    ...{ env: {}, cwd },
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  await Promise.race([seen.promise, code]);
  await meanwhile();
  interrupt();
  return { code: await code, stderr };
}

describe('muster fleet', () => {
  it('keeps all files in its own folder, continues after a restart, and ends with 0 when interrupted', async () => {
    const cwd = folderWith();
    const first = await keptUp(cwd, [], /are up/);
    expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/3 agents are up for the first time/)]);
    expect(first.stderr).toMatch(/evaluate thresholds/);
    const folder = join(cwd, 'fleets', 'staging');
    const log = readFileSync(join(folder, 'identities.db.events.yaml'), 'utf8');
    expect(log).toMatch(/^# Events of the fleet staging, seed 1, raised at .*\n$/);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['identities.db', 'identities.db.figures']));
    const second = await keptUp(cwd, [], /are up/);
    expect([second.code, second.stderr]).toEqual([
      0,
      expect.stringMatching(/are up again, \d+s after the first start/),
    ]);
    expect(readFileSync(join(folder, 'identities.db.events.yaml'), 'utf8')).toBe(log);
  });

  it('rejects files of another fleet by its name, and files in use', async () => {
    const cwd = folderWith();
    await keptUp(cwd, ['--data', 'own'], /are up/);
    const other = await muster(['fleet', 'staging.yaml', '--data', 'own', '--seed', '2'], { cwd });
    expect([other.code, other.stderr]).toEqual([
      104,
      expect.stringMatching(/belongs to the fleet staging with seed 1/),
    ]);
    let refused: Awaited<ReturnType<typeof muster>> | undefined;
    await keptUp(cwd, ['--data', 'own'], /are up/, async () => {
      refused = await muster(['fleet', 'staging.yaml', '--data', 'own'], { cwd });
    });
    expect([refused?.code, refused?.stderr]).toEqual([104, expect.stringMatching(/Another fleet uses the files/)]);
  });

  it('accepts no more events than the next start can read, and says how to make room', async () => {
    const cwd = folderWith();
    const log = (lines: number) => {
      const entries = Array.from(
        { length: lines },
        (_, n) => `- { name: kick-${n}, do: restart, cohort: 0, at: ${n}s }\n`,
      );
      return `# Events of the fleet staging, seed 1, raised at 2026-01-31T12:00:00.000Z\n${entries.join('')}`;
    };
    mkdirSync(join(cwd, 'own'));
    const file = join(cwd, 'own/identities.db.events.yaml');
    writeFileSync(file, log(4999));
    const told: string[] = [];
    await keptUp(cwd, ['--data', 'own'], /are up/, async () => {
      for (const name of ['last', 'beyond']) {
        const { stdout, stderr } = await muster(['ctl', 'do', 'restart', '--name', name, '--data', 'own'], { cwd });
        told.push(`${stdout}${stderr}`);
      }
    });
    expect(told).toEqual([
      expect.stringMatching(/^last hits 3 agents/),
      expect.stringMatching(/^event beyond: expected at most 5000 events in .*found one more; .*remove lines/),
    ]);
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(5002);
  });

  it.each([
    ['a last phase that cannot continue', 'register: { over: 5s }', /The last phase of a kept fleet never ends/],
    ['a target on another machine', 'checkdata: { every: 1s }', /is not on this machine/],
  ])('rejects %s with a sentence', async (what, load, why) => {
    const cwd = folderWith(STEADY.replace('checkdata: { every: 200ms }', load));
    const args = what.includes('target') ? ['--target', 'http://192.0.2.1'] : [];
    const { code, stderr } = await muster(['fleet', 'staging.yaml', ...args], { cwd });
    expect([code, stderr]).toEqual([what.includes('target') ? 112 : 104, expect.stringMatching(why)]);
  });
});
