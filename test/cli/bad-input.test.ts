import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PHASE = 'phases: [{ name: a, duration: 1s, checkdata: { rate: 1/s } }]\n';
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'good.yaml': `fleet: { agents: 5 }\n${PHASE}`,
  'broken.yaml': 'fleet: { agents: 5\n',
  'still.yaml': `fleet: { agents: 5 }\n${PHASE.replace('1/s', '0/s')}`,
  'backwards.yaml': `fleet: { agents: 5 }\n${PHASE.replace('1s', '-1s')}`,
  'foreign.yaml': `fleet: { agents: 5, profiles: { ubuntu-2404: 1 } }\n${PHASE}`,
  'unset.yaml': `name: \${GONE}\nfleet: { agents: 5 }\n${PHASE}`,
  'phase.yaml': '[{ do: freeze, at: steady }]',
  'freze.yaml': '- { do: latency, delay: 1s }\n- { do: freze }\n',
  'two.yaml': `fleet: { agents: 5 }\n${PHASE}---\nname: b\n`,
  'merge.yaml': `fleet: { agents: 5, <<: {} }\n${PHASE}`,
  'linux.yaml': `fleet: { agents: 5, profiles: { linux: 1 } }\n${PHASE}`,
  'p95.yaml': `fleet: { agents: 5 }\n${PHASE}thresholds: { checkdata: ["p95 < 1s"] }\n`,
  'quoted.yaml': `fleet: { agents: "5" }\n${PHASE}`,
  'astray.yaml': `url: embedded\nfleet: { agents: 5 }\n${PHASE}`,
  'mean.yaml': `fleet: { agents: 5 }\n${PHASE}thresholds: { checkdata: ["mean < 1s"] }\n`,
  'tagged.yaml': `tags: { a: b }\nfleet: { agents: 5 }\n${PHASE}`,
  'junk.env': 'A=1\ns3cret\n',
  'latin.yaml': Uint8Array.of(0x6e, 0xfc, 0x0a),
};
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
mkdirSync(join(folder, 'sub'));

describe('bad input', () => {
  it.each([
    ['a missing scenario', ['validate', 'gone.yaml'], 'no such file'],
    ['a folder as scenario', ['validate', 'sub'], 'expected a file, found a folder'],
    ['a scenario that is not UTF-8', ['validate', 'latin.yaml'], 'expected UTF-8 text'],
    ['YAML that does not parse', ['run', 'broken.yaml'], 'broken.yaml:2:1: expected valid YAML'],
    ['a rate of zero', ['run', 'still.yaml'], 'still.yaml:2:54: phases.a.checkdata.rate: expected a rate above zero'],
    ['a negative duration', ['plan', 'backwards.yaml'], 'phases.a.duration: expected a duration'],
    ['an unknown profile', ['validate', 'foreign.yaml'], 'did you mean ubuntu-24.04?'],
    ['an unset variable', ['validate', 'unset.yaml'], 'unset.yaml:1:7: name: expected the environment variable GONE'],
    ['an unknown flag', ['run', 'good.yaml', '--agnets', '5'], 'did you mean --agents?'],
    ['an unknown command', ['vlidate', 'good.yaml'], 'did you mean validate?'],
    ['help for an unknown command', ['help', 'vlidate'], 'Unknown command vlidate; did you mean validate?'],
    ['an unknown short flag', ['run', 'good.yaml', '-qZ'], 'Unknown flag -qZ.'],
    ['flags without a command', ['--quiet'], 'muster expects a command such as muster run, found none.'],
    ['too many arguments', ['plan', 'good.yaml', 'b.yaml'], 'muster plan expects no more arguments, found b.yaml.'],
    ['stdin for two scenarios', ['run', '-', '-'], 'Expected - (stdin) at most once, found it several times'],
    ['nothing on stdin', ['run', '-'], 'stdin:1:1: expected a section with name'],
    [
      'no scenario',
      ['run'],
      'muster run expects a scenario file, or - for stdin, found none; create one with muster init',
    ],
    [
      'a command without a flag that it needs',
      ['manifest', 'good.yaml'],
      'muster manifest expects --machines, found none.',
    ],
    ['no scenario to keep', ['fleet'], 'muster fleet expects a scenario file, or - for stdin, found none'],
    [
      'no cluster to join',
      ['join'],
      'muster join expects <cluster>, found none: NATS server with JetStream, such as nats://127.0.0.1:4222',
    ],
    ['a starter scenario for stdout', ['init', '-'], 'expects the name of a file such as scenario.yaml, found -.'],
    [
      'no folder for results',
      ['run', 'good.yaml', '--out='],
      '--out: expected a folder for results, such as ./results',
    ],
    ['a cluster flag without a cluster', ['run', 'good.yaml', '--replace'], '--replace needs a cluster: add its NATS'],
    ['a time to wait for no machines', ['run', 'good.yaml', '--wait', '5m'], '--wait needs a cluster: add its NATS'],
    ['a flag without its value', ['run', 'good.yaml', '--agents'], '--agents expects a value'],
    ['a flag given twice', ['run', 'good.yaml', '--seed', '1', '--seed', '2'], '--seed: expected one value, found 2'],
    ['a time given twice', ['report', '--fleet', 'x', '--to', '1', '--to', '2'], '--to: expected one value, found 2'],
    [
      'a flag with an invalid value',
      ['run', 'good.yaml', '--agents', '0'],
      'good.yaml: --agents: fleet.agents: expected',
    ],
    ['an invalid number of workers', ['run', 'good.yaml', '--workers', '0'], '--workers: expected a whole number'],
    [
      'metrics for other machines without a token',
      ['run', 'good.yaml', '--metrics-address', '0.0.0.0:1'],
      'so clients need a token: expected one in MUSTER_METRICS_TOKEN',
    ],
    [
      'a switch with an invalid value',
      ['run', '--quiet=maybe', 'good.yaml'],
      '--quiet: expected true, false or no value, found "maybe".',
    ],
    ['an unknown flag as an argument', ['plan', '--frob'], 'Unknown flag --frob.\nSee muster plan --help.'],
    [
      'an unknown flag as a value',
      ['run', 'good.yaml', '--out', '--quite'],
      'Unknown flag --quite; did you mean --quiet?',
    ],
    ['an unknown flag as a choice', ['conform', '--frob'], 'Unknown flag --frob.'],
    ['an unknown flag before its command', ['--zzz', 'run', 'good.yaml'], 'Unknown flag --zzz.\nSee muster --help.'],
    ["another command's flag before a command", ['--json', 'validate', 'good.yaml'], 'Unknown flag --json.\nSee'],
    [
      "another command's flag with a value",
      ['--workers', '2', 'validate', 'good.yaml'],
      'Unknown flag --workers.\nSee',
    ],
    [
      "another command's short flag before a command",
      ['-q', 'ctl', 'fleet'],
      'Unknown flag -q.\nSee muster ctl --help.',
    ],
    ['a folder of a fleet before the command', ['--fleet', 'gone', 'report'], 'found no '],
    ['a flag of another command', ['run', 'good.yaml', '--effective'], '--effective; it is a flag of muster plan.'],
    ['combined short flags, the last with an invalid value', ['run', 'good.yaml', '-qj=1'], '-j: expected true'],
    ['a bad --set', ['run', 'good.yaml', '--set', 'agents'], 'expected path=value'],
    ['a missing scenario to run', ['run', 'nowhere.yaml'], 'nowhere.yaml'],
    ['a missing environment file', ['run', 'good.yaml', '--env-file', 'gone'], 'no such file'],
    ['an unknown schema', ['schema', 'no'], 'of: expected one of "scenario", "summary", found "no".'],
    ['a misspelled schema', ['schema', 'sumary'], 'found "sumary"; did you mean summary?'],
    ['a faults file with a phase', ['serve', '--faults', 'phase.yaml'], 'phase.yaml:1:20: 0.at: expected a time after'],
    ['a missing faults file', ['serve', '--faults', 'gone.yaml'], 'Cannot read the faults file'],
    [
      'a faults file that is not valid YAML',
      ['serve', '--faults', 'broken.yaml'],
      'broken.yaml:2:1: expected valid YAML',
    ],
    ['a misspelled fault', ['serve', '--faults', 'freze.yaml'], 'freze.yaml:2:9: 1.do: expected one of latency'],
    [
      'two documents',
      ['validate', 'two.yaml'],
      'two.yaml:3:1: expected one YAML document, found another one after ---',
    ],
    ['a merge key', ['validate', 'merge.yaml'], 'merge.yaml:1:21: expected every key written out, or an alias'],
    ['a misspelled target', ['validate', 'good.yaml', '-t', 'embeded'], 'found "embeded"; did you mean embedded?'],
    ['a target without a scheme', ['validate', 'good.yaml', '-t', '127.0.0.1:80'], 'did you mean http://127.0.0.1:80?'],
    ['a family of profiles', ['validate', 'linux.yaml'], 'found "linux"; did you mean ubuntu-24.04?'],
    ['a percentile in another notation', ['validate', 'p95.yaml'], 'found "p95"; did you mean p(95)?'],
    ['an unknown phase', ['validate', 'good.yaml', '--set', 'phases.b.duration=2s'], 'this scenario has a, found "b"'],
    ['junk in an environment file', ['run', 'good.yaml', '--env-file', 'junk.env'], 'junk.env:2: expected NAME=value'],
    ['an invalid port', ['serve', '--admin', '70000', '--admin-token', 'x'], '--admin: expected a port from 0'],
    ['a port out of range', ['validate', 'good.yaml', '-t', 'http://127.0.0.1:99999'], 'a port up to 65535'],
    ['a fragment', ['validate', 'good.yaml', '-t', 'http://127.0.0.1/#a'], 'a base URL without a fragment (#…)'],
    ['a missing slash', ['validate', 'good.yaml', '-t', 'http:/127.0.0.1'], 'did you mean http://127.0.0.1?'],
    ['an API key of two lines', ['validate', 'good.yaml', '--api-key', 'a\nb'], 'a key without line breaks'],
    ['a seed out of range', ['validate', 'good.yaml', '--seed', '99999999999999999999'], 'from 0 to 9007199254740991'],
    ['a duration without its unit', ['validate', 'good.yaml', '-d', '5'], 'found "5" without a unit'],
    ['a number in quotes', ['validate', 'quoted.yaml'], 'found the string "5"; remove the quotes'],
    ['a key in the wrong place', ['validate', 'astray.yaml'], 'found "url"; use target.url'],
    ['another name of a statistic', ['validate', 'mean.yaml'], 'found "mean"; use avg'],
    ['a flag of other tools', ['run', 'good.yaml', '--output', 'x'], 'Unknown flag --output; use --out for the folder'],
    ['a dry run', ['run', 'good.yaml', '--dry-run'], 'Unknown flag --dry-run; use muster plan, which sends nothing'],
    [
      'a value that the shell has split',
      ['plan', 'good.yaml', '--set', 'fleet.checks={docker:', '1}'],
      "put the value of --set in quotes: --set 'fleet.checks={docker: …'",
    ],
    [
      'a file as the folder of results',
      ['run', 'good.yaml', '--set', 'fleet.payload=lean', '--out', 'good.yaml'],
      'not a directory; choose another folder',
    ],
    ["another generator's flag", ['run', 'good.yaml', '--vus', '5'], 'Unknown flag --vus; use --agents.'],
    ['a flag that Muster lacks', ['run', 'good.yaml', '-k'], 'Unknown flag -k; Muster has none: agents trust'],
    ['a key as a flag', ['run', 'good.yaml', '--executor', 'x'], 'Unknown flag --executor; in the scenario, use rate'],
    ['a long flag with one dash', ['run', 'good.yaml', '-rate=5'], 'Unknown flag -rate; use --set on a load'],
    [
      "Muster's own with one dash",
      ['run', 'good.yaml', '-duration=5s'],
      'Unknown flag -duration; did you mean --duration?',
    ],
    ['a key that Muster lacks', ['validate', 'tagged.yaml'], 'found "tags"; use cohorts, and conditions such as'],
    ['a command of another tool', ['attack'], 'Unknown command attack; use muster run FILE'],
    ['a command that Muster lacks', ['cloud'], 'Unknown command cloud; Muster has none: a scenario is one file'],
    ['a word after ctl', ['ctl', 'status'], 'Unknown command ctl status; use muster ctl fleet.'],
    ['a misspelled command of ctl', ['ctl', 'fleat'], 'Unknown command ctl fleat; did you mean fleet?'],
    ['ctl without a command', ['ctl'], 'muster ctl expects a command such as muster ctl fleet, found none.'],
    ['a word after fleet', ['fleet', 'stop'], 'no such file; use muster ctl do stop for its agents'],
    ['no mode', ['conform'], 'muster conform expects <mode>, found none: one of server, agent, pushes.'],
    ['a script', ['run', 'script.js'], 'expected a scenario in YAML or JSON, found a script of another tool'],
    [
      'a key of single event kinds as a flag',
      ['ctl', 'do', 'clock-skew', '--offset', '-5m'],
      'Unknown flag --offset; set a key of the event with --set offset=VALUE.\nSee',
    ],
    [
      'the version of an event as a flag',
      ['ctl', 'do', 'upgrade', '--version', '3.3.0'],
      'Unknown flag --version; set a key of the event with --set version=VALUE.',
    ],
    ['a negated flag', ['run', 'good.yaml', '--no-verify'], 'Unknown flag --no-verify'],
    ['an invalid choice', ['inspect', 'good.yaml', '--what', 'cpu'], '--what: expected one of "checkdata"'],
    ['a setting without a path', ['validate', 'good.yaml', '--set', '=5'], '--set: expected path=value'],
    ['a file name without its extension', ['validate', 'good'], 'no such file; did you mean good.yaml?'],
    ['a URL as scenario', ['run', 'https://host/a.yaml?key=1'], 'https://host/a.yaml?…: expected a file, found a URL'],
    ['nothing to compare', ['compare', 'sub'], 'muster compare expects two folders of results, before and after'],
    ['a missing pull file', ['serve', '--pull', 'gone.yaml'], 'Cannot read the pull file'],
    ['init over a file', ['init', 'good.yaml'], 'it already exists; choose another name, or replace it with --force'],
    ['init in a missing folder', ['init', 'gone/new.yaml'], 'create the folder first'],
    ['init onto a folder', ['init', 'sub', '--force'], 'found a folder'],
  ])('such as %s ends with 104 and one clear message', async (_, args, message) => {
    const { code, stdout, stderr } = await muster(args, { cwd: folder });
    // `validate` prints problems as its result on stdout; all other commands print them on stderr.
    const [told, silent] = args[0] === 'validate' ? [stdout, stderr] : [stderr, stdout];
    expect(told).toContain(message);
    expect(told).not.toMatch(/^\s+at /m);
    expect({ code, silent }).toEqual({ code: 104, silent: '' });
  });

  it("in an environment variable is reported with the variable's name", async () => {
    const { code, stdout } = await muster(['validate', 'good.yaml'], { cwd: folder, env: { MUSTER_AGENTS: 'many' } });
    expect(stdout).toContain('good.yaml: MUSTER_AGENTS: fleet.agents: expected a whole number');
    expect(code).toBe(104);
  });

  it('in the name of an environment variable causes a warning, unless the scenario reads it', async () => {
    const ours = { MUSTER_OUT: 'x', MUSTER_PUBLIC_URL: 'x', MUSTER_CONTROL_URL: 'x', MUSTER_ADMIN_TOKEN: 'x' };
    const env = { MUSTER_AGENT: '5', ...ours, MUSTER_MINE: '5', OTHER: '1' };
    writeFileSync(join(folder, 'mine.yaml'), `${readFileSync(join(folder, 'good.yaml'), 'utf8')}# \${MUSTER_MINE}\n`);
    const { code, stderr } = await muster(['validate', 'mine.yaml'], { cwd: folder, env });
    expect(stderr).toBe(
      '! the environment variable MUSTER_AGENT is set, but no flag or scenario uses it; did you mean MUSTER_AGENTS?\n',
    );
    expect(code).toBe(0);
  });

  it.each(['run', 'fleet', 'capacity'])(
    'in a scenario for a cluster is reported once by muster %s',
    async (command) => {
      const cluster = ['--cluster', 'nats://127.0.0.1:1', '--machines', '1'];
      const { code, stdout, stderr } = await muster([command, 'still.yaml', ...cluster], { cwd: folder });
      expect(stderr).toMatch(/^still\.yaml:[^\n]* expected a rate above zero [^\n]*\n$/);
      expect({ code, stdout }).toEqual({ code: 104, stdout: '' });
    },
  );

  it('is printed with terminal control characters escaped', async () => {
    const { stderr } = await muster(['compare', '\u001b[2Jgone', 'gone'], { cwd: folder });
    expect(stderr).toContain('\\u001b[2Jgone');
    expect(stderr).not.toContain('\u001b');
  });

  it('in an environment file is reported by line, and never printed', async () => {
    const lines = ['# c', '', 'A=1', 'junk', 'export B="x', 'y', 'z" # c', " C = 'd'", '=s3cret', '1A=s3cret'];
    writeFileSync(join(folder, 'lines.env'), lines.join('\n'));
    const { stderr } = await muster(['run', 'good.yaml', '--env-file', 'lines.env'], { cwd: folder });
    const sentence = 'expected NAME=value or # comment, found neither';
    expect(stderr).toBe([4, 9, 10].map((line) => `lines.env:${line}: ${sentence}\n`).join(''));
  });

  it('in one file does not prevent checks of the others', async () => {
    const { code, stdout } = await muster(['validate', 'gone.yaml', 'still.yaml', 'good.yaml'], { cwd: folder });
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(stdout).toContain('good.yaml: valid: 5 agents, 1 phase, 1s');
    expect(code).toBe(104);
  });
});
