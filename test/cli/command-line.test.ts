import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = `fleet: { agents: 5, payload: lean }
phases: [{ name: a, duration: 1s, checkdata: { rate: 1/s } }]
`;
writeFileSync(join(folder, 'small.yaml'), SMALL);

describe('a scenario from stdin', () => {
  it('is read for -, and called stdin', async () => {
    const { code, stdout } = await muster(['validate', '-'], { cwd: folder, stdin: SMALL });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'stdin: valid: 5 agents, 1 phase, 1s\n' });
  });

  it('may be combined with files', async () => {
    const { stdout } = await muster(['validate', 'small.yaml', '-'], { cwd: folder, stdin: SMALL });
    expect(stdout.split('\n')).toEqual([
      'small.yaml: valid: 5 agents, 1 phase, 1s',
      'stdin: valid: 5 agents, 1 phase, 1s',
      '',
    ]);
  });

  it('keeps its own name', async () => {
    const named = `name: from-a-pipe\n${SMALL}`;
    expect((await muster(['plan', '-'], { cwd: folder, stdin: named })).stdout).toMatch(/^from-a-pipe: 5 agents/);
    expect((await muster(['plan', '-'], { cwd: folder, stdin: SMALL })).stdout).toMatch(/^stdin: 5 agents/);
  });

  it('is not read if - is the value of a flag', async () => {
    const args = ['plan', '-', '--effective', '--allow', '-'];
    const { stdout } = await muster(args, { cwd: folder, stdin: SMALL });
    expect(stdout).toMatch(/allow:\s+- "-"/);
  });
});

describe('after --, everything is an argument', () => {
  it('also a file whose name begins with a dash', async () => {
    writeFileSync(join(folder, '-dash.yaml'), SMALL);
    const { stdout } = await muster(['validate', '--agents', '7', '--', '-dash.yaml', '-'], {
      cwd: folder,
      stdin: SMALL,
    });
    expect(stdout).toBe('./-dash.yaml: valid: 7 agents, 1 phase, 1s\nstdin: valid: 7 agents, 1 phase, 1s\n');
  });

  it('which is refused rather than ignored where none is expected', async () => {
    const ended = (...args: string[]) => muster(args, { cwd: folder });
    expect(await ended('plan', 'small.yaml', '--', '--agents', '7')).toMatchObject({
      code: 104,
      stderr: expect.stringContaining('muster plan expects no more arguments, found ./--agents, 7.'),
    });
    expect((await ended('schema', '--', '-x')).stderr).toContain('found "./-x"');
  });
});

describe('a flag before its command', () => {
  it('has the same meaning as behind it, whether it takes a value or not', async () => {
    const ended = (...args: string[]) => muster(args, { cwd: folder });
    const behind = await ended('plan', 'small.yaml', '--effective', '--seed', '7');
    expect(behind.stdout).toContain('seed: 7');
    expect(await ended('--effective', '--seed', '7', 'plan', 'small.yaml')).toEqual(behind);
  });
});

describe('a scenario file as the first word', () => {
  it('is run', async () => {
    const { code, stdout } = await muster(['small.yaml', '--help'], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await muster(['run', '--help'], { cwd: folder })).stdout });
  });
});

describe('help', () => {
  it('begins with two examples, and lists every command below a group', async () => {
    const { stdout } = await muster(['--help']);
    const [, , , examples = '', ...groups] = stdout.split(/\n\n/);
    expect(stdout.indexOf('Try it:')).toBeLessThan(stdout.indexOf('Test a server:'));
    expect([examples, ...groups].join('\n').match(/^\w[\w ]+:$/gm)?.length).toBeGreaterThan(4);
    const listed = [...stdout.matchAll(/^ {2}muster (\w+)/gm)].map(([, name]) => name);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThan(15);
  });

  it('is the same without a command, for help, -h and --help', async () => {
    const bare = await muster([]);
    expect(bare).toMatchObject({ code: 0, stderr: '' });
    expect(bare.stdout).toContain('muster validate <scenario...>');
    for (const args of [['help'], ['-h'], ['--help']]) expect(await muster(args)).toEqual(bare);
  });

  it('of a command is the same for help <command>, -h and --help', async () => {
    const long = await muster(['run', '--help']);
    expect(long.stdout).toContain('-q, --quiet');
    for (const args of [
      ['help', 'run'],
      ['run', '-h'],
    ])
      expect(await muster(args)).toEqual(long);
  });
});

describe('every help text', () => {
  it('plans the memory of as many workers as --workers says', async () => {
    const planned = async (...args: string[]) => {
      const { stdout } = await muster(['plan', '-', ...args], { cwd: folder, stdin: SMALL });
      return Number(/memory +(\d+) MB/.exec(stdout)?.[1]);
    };
    const [one, four] = [await planned('--workers', '1'), await planned('-w', '4')];
    expect(four - one).toBeGreaterThanOrEqual(3 * 40);
  });

  it.each(['run', 'validate', 'plan', 'inspect', 'init', 'schema', 'doctor', 'serve'])(
    'such as that of %s fits 80 columns',
    async (command) => {
      const { stdout } = await muster(['help', command]);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );
});

describe('a short flag', () => {
  it('has the same meaning as the long one', async () => {
    const long = ['--agents', '9', '--duration', '3s', '--set', 'fleet.seed=4', '--target', 'http://127.0.0.1:1'];
    const short = ['-a', '9', '-d', '3s', '-s', 'fleet.seed=4', '-t', 'http://127.0.0.1:1'];
    const plans = await Promise.all(
      [long, short].map((flags) => muster(['plan', 'small.yaml', '--effective', ...flags], { cwd: folder })),
    );
    expect(plans[0]?.stdout).toContain('agents: 9');
    expect(plans[1]).toEqual(plans[0]);
  });

  it('such as -V prints the version', async () => {
    expect(await muster(['-V'])).toEqual(await muster(['--version']));
  });
});

describe('the target on the command line', () => {
  const targetOf = async (...args: string[]) => {
    const { stdout } = await muster(['plan', 'small.yaml', '--effective', ...args], { cwd: folder });
    return / {2}urls?:(?:.*\n {4}- .*\n {4}- .*| .*)/.exec(stdout)?.[0].replaceAll(/\s+/g, ' ');
  };
  const SEVERAL = '--set=target.urls=[http://127.0.0.1:7, http://127.0.0.1:8]';

  it('is one base URL or several, and replaces what the scenario has', async () => {
    expect(await targetOf('-t', 'http://127.0.0.1:1')).toBe(' url: http://127.0.0.1:1');
    expect(await targetOf('-t', 'http://127.0.0.1:1', '-t', 'http://127.0.0.1:2')).toBe(
      ' urls: - http://127.0.0.1:1 - http://127.0.0.1:2',
    );
    expect(await targetOf(SEVERAL)).toBe(' urls: - http://127.0.0.1:7 - http://127.0.0.1:8');
    expect(await targetOf(SEVERAL, '-t', 'http://127.0.0.1:1')).toBe(' url: http://127.0.0.1:1');
    expect(await targetOf(SEVERAL, '-t', 'http://127.0.0.1:1', '-t', 'http://127.0.0.1:2')).toBe(
      ' urls: - http://127.0.0.1:1 - http://127.0.0.1:2',
    );
  });
});

describe('completion', () => {
  it.each([
    ['bash', 'complete -o bashdefault'],
    ['zsh', 'compdef _muster'],
    ['fish', 'complete --command'],
  ])('prints the script of %s by name, and by default that of SHELL', async (shell, own) => {
    const named = await muster(['completion', shell]);
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining(own)]);
    expect(await muster(['completion'], { env: { SHELL: `/usr/bin/${shell}` } })).toEqual(named);
  });

  it('offers commands, and the flags of a command', async () => {
    const { stdout: commands } = await muster(['--get-yargs-completions', 'muster', '']);
    expect(commands.split('\n')).toEqual(expect.arrayContaining(['run', 'validate', 'plan']));
    const { stdout: flags } = await muster(['--get-yargs-completions', 'muster', 'run', '--']);
    expect(flags.split('\n')).toEqual(expect.arrayContaining(['--quiet', '--agents']));
  });
});
