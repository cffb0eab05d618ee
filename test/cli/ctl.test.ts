import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Options } from 'yargs';
import { controlFileOf, writeControlFile } from '../../src/base/storage/control-file.ts';
import type { Command } from '../../src/cli/command.ts';
import { CTL_COMMANDS } from '../../src/cli/commands/ctl.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import type { FleetEvent } from '../../src/load/events/event.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import type { AgentSummary } from '../../src/staging/control-api/schemas.ts';
import type { ScenarioEdit } from '../../src/staging/fleet/edited-scenario.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { applied, closeServed, type ServedFleet, serveFleet, TOKEN } from '../staging/control-api/served-fleet.ts';
import { giveAway } from '../strangers.ts';
import { type Ending, muster } from './muster.ts';

const folders: string[] = [];
afterEach(() => {
  closeServed();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-ctl-'));
  folders.push(folder);
  return folder;
}

const ctl = ({ api }: ServedFleet, ...args: string[]): Promise<Ending> =>
  muster(['ctl', ...args], { env: { MUSTER_CONTROL_URL: api.url, MUSTER_CONTROL_TOKEN: TOKEN } });

/** A fleet that accepts events and collects them in `added`. */
async function serveLively() {
  const added: FleetEvent[] = [];
  const ended: string[] = [];
  const served = await serveFleet(
    { events: '[{ do: disconnect, name: cable, for: 50m, cohort: 30% }]' },
    {
      addEvent: async ({ event, isDry = false }) => {
        if (!isDry) {
          added.push(event);
          served.run.changeEvents([...served.run.fleet.events(), event]);
        }
        const { action, cohort } = event;
        const stopped = action.kind === 'scale' ? Math.round(40 * (1 - action.share)) : 30;
        return { event, count: cohort.kind === 'agents' ? 2 : stopped, agents: [3, 4], isFinal: true };
      },
      endEvent: async (name, { isDry = false } = {}) => {
        if (!isDry) ended.push(name);
        return { name, atMs: 5, count: 12 };
      },
    },
  );
  served.run.started(new Date());
  return { served, added, ended };
}

const FLAGS = Object.values<Command>(CTL_COMMANDS).flatMap(({ flags }) => Object.entries<Options>(flags));

describe('muster ctl', () => {
  it('lists agents of a cohort as a table that fits, and says if there are more', async () => {
    const { code, stdout, stderr } = await ctl(await serveFleet(), 'agents', 'state=refused', '--limit', '3');
    expect(code).toBe(EXIT_CODES.pass);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^agent {2}state {4}health +host +profile +role +address +uuid$/);
    expect(rows.map((row) => row.split(/ +/).slice(0, 2))).toEqual([
      ['2', 'refused'],
      ['7', 'refused'],
      ['12', 'refused'],
    ]);
    expect(stderr).toBe('More agents match than --limit 3: raise it to list them.\n');
  });

  it('lists agents in a state of health', async () => {
    const { stdout } = await ctl(await serveFleet(), 'agents', '0..9', '--health', 'refused', '--json');
    const { agents } = JSON.parse(stdout) as { agents: AgentSummary[] };
    expect(agents.map(({ index, health }) => [index, health.label])).toEqual([
      [2, 'refused 400'],
      [7, 'refused 400'],
    ]);
  });

  it.each([
    { workers: 1, stalls: 1, down: 1, shown: [/1 worker, busiest at 50%, 1 stall\n/, /ended +1 process\n/] },
    { workers: 2, stalls: 0, down: 3, shown: [/2 workers, busiest at 50%, 0 stalls\n/, /ended +3 processes\n/] },
  ])('counts $workers workers, $stalls stalls and $down processes in their grammatical number', async (fleet) => {
    const { shown, down } = fleet;
    const served = await serveFleet();
    served.run.started(new Date());
    const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 40, authorized: 0 };
    const workers = Array.from({ length: fleet.workers }, (_, shard) => {
      const stalls = shard < fleet.stalls ? [{ fromMs: 0, toMs: 200 }] : [];
      return { shard, loopUtilization: 0.5, cpuMs: 20, gcMs: 1, listening: 0, stalls };
    });
    const state = { agents, inFlight: 0, listening: 0, down, listeners: NO_LISTENER_COUNTS };
    served.run.add([{ ...state, second: 0, series: [], workers }]);
    const { stdout } = await ctl(served, 'fleet');
    expect(stdout).toMatch(/^8 of 40 are not accepted: HTTP 400 "Host not found" since [^\n]*register-again\.\n/);
    for (const pattern of shown) expect(stdout).toMatch(pattern);
  });

  it('prints the answer of the API as JSON, with all pages combined', async () => {
    const { stdout } = await ctl(await serveFleet({ agents: 2300 }), 'agents', '--json', '--limit', '2200');
    const { agents } = JSON.parse(stdout) as { agents: AgentSummary[] };
    expect(agents.map(({ index }) => index)).toEqual(Array.from({ length: 2200 }, (_, index) => index));
  });

  it('adds an event with the keys of scenarios, and reports the agents it hits', async () => {
    const { served, added } = await serveLively();
    const { stdout } = await ctl(
      ...([served, 'do', 'upgrade', '--cohort', '30%', '--for', '10m', '--over', '1m', '--name', 'new'] as const),
      ...(['-s', 'version=3.4.0', '-s', 'repeat.every=20m', '-s', 'repeat.times=3'] as const),
    );
    expect(stdout).toMatch(/^new hits 30 agents \(30%\): \S+, \S+, …\n$/);
    const [event] = added;
    expect(event).toMatchObject({
      name: 'new',
      action: { kind: 'upgrade', version: '3.4.0' },
      overMs: 60_000,
      cohort: { kind: 'share', share: 0.3 },
      repeat: { everyMs: 1_200_000, times: 3 },
    });
    expect((event?.toMs ?? 0) - (event?.fromMs ?? 0)).toBe(600_000);
  });

  it('changes nothing with --dry-run, and reports which agents the event would hit or leave', async () => {
    const { served, added, ended } = await serveLively();
    const dry = async (...args: string[]) => (await ctl(served, ...args, '--dry-run')).stdout;
    expect(await dry('do', 'stop', '--cohort', '0..6')).toMatch(/^stop-1 would hit 2 agents \(0\.\.6\): \S+, \S+\n$/);
    expect(await dry('scale', '50%')).toMatch(/^scale-1 would hit 20 agents: /);
    expect(await dry('end', 'cable')).toBe('cable would end; it is in progress for 12 agents\n');
    expect([added, ended]).toEqual([[], []]);
  });

  it('takes flags before the command, too', async () => {
    const { served, added } = await serveLively();
    const { code, stdout } = await ctl(served, '-j', '--dry-run', '--cohort', '0..6', 'do', 'stop');
    expect([code, JSON.parse(stdout)]).toMatchObject([EXIT_CODES.pass, { event: { do: 'stop', cohort: '0..6' } }]);
    expect(added).toEqual([]);
  });

  it('asks before it hits more than half of a fleet, unless the cohort says how many or --yes is given', async () => {
    const { served, added } = await serveLively();
    const refused = await ctl(served, 'do', 'stop', '--cohort', 'state=authorized');
    expect([refused.code, refused.stderr]).toEqual([
      EXIT_CODES.userError,
      'stop-1 hits 30 of 40 agents, more than half of the fleet: expected --cohort all, a share, or --yes, found none of them.\n',
    ]);
    const env = { MUSTER_CONTROL_URL: served.api.url, MUSTER_CONTROL_TOKEN: TOKEN };
    const answering = (stdin: string) => ({ env, stdin, isTerminal: true });
    expect(await muster(['ctl', 'do', 'stop'], answering('\n'))).toMatchObject({ code: EXIT_CODES.userError });
    expect(added).toEqual([]);
    expect((await muster(['ctl', 'do', 'stop'], answering('y\n'))).stderr).toMatch(
      /^stop-1 hits .*Continue\? \[y\/N\] $/,
    );
    for (const how of [['--cohort', 'all'], ['--cohort', '80%'], ['--cohort', '0..9'], ['--yes']])
      expect((await ctl(served, 'do', 'stop', ...how)).code).toBe(EXIT_CODES.pass);
    expect(added).toHaveLength(5);
  });

  it('asks before a number stops more than half of a fleet, unless it is a share or --yes is given', async () => {
    const { served, added, ended } = await serveLively();
    const refused = await ctl(served, 'scale', '10');
    expect([refused.code, refused.stderr]).toEqual([
      EXIT_CODES.userError,
      'scale 10 hits 30 of 40 agents, more than half of the fleet: expected a share such as 10%, or --yes, found a number of agents.\n',
    ]);
    const env = { MUSTER_CONTROL_URL: served.api.url, MUSTER_CONTROL_TOKEN: TOKEN };
    const answer = await muster(['ctl', 'scale', '10'], { env, stdin: 'n\n', isTerminal: true });
    expect(answer).toMatchObject({ code: EXIT_CODES.userError, stderr: expect.stringMatching(/\[y\/N\] Nothing was/) });
    expect([added, ended]).toEqual([[], []]);
    for (const how of [['20'], ['10', '--yes'], ['0%'], ['10', '--dry-run']])
      expect((await ctl(served, 'scale', ...how)).code).toBe(EXIT_CODES.pass);
    expect(added).toHaveLength(3);
    // 12 agents are down already, which the previous scaling stopped.
    expect((await ctl(served, 'scale', '8')).code).toBe(EXIT_CODES.pass);
  });

  it.each(Object.entries<Command>(CTL_COMMANDS))(
    '%s takes only its flags, and refuses another before it asks the fleet anything',
    async (name, { usage, describe: description, positionals, flags }) => {
      const env = { MUSTER_CONTROL_URL: 'http://127.0.0.1:9', MUSTER_CONTROL_TOKEN: TOKEN };
      const [stdout = ''] = (await muster(['ctl', name, '--help'], { env })).stdout.split('Examples:');
      expect(stdout).toContain(`muster ctl ${usage}\n\n${description.slice(0, 30)}`);
      const shown = [...stdout.matchAll(/^ +(?:-\w, +)?--([a-z-]+)/gm)].map(([, flag = '']) => flag);
      const own = Object.keys(flags).filter((flag) => !Object.hasOwn(positionals, flag));
      expect(shown.filter((flag) => flag !== 'help' && flag !== 'version').sort()).toEqual(own.sort());
      const argument = usage.includes('<') ? ['x'] : [];
      for (const [flag, { type }] of FLAGS.filter(([flag]) => !Object.hasOwn(flags, flag))) {
        const value = type === 'boolean' ? [] : ['1'];
        const { stderr } = await muster(['ctl', name, ...argument, `--${flag}`, ...value], { env });
        expect(stderr).toMatch(new RegExp(`^Unknown flag --${flag}[.;].*\nSee muster ctl ${name} --help\\.\n$`));
      }
    },
  );

  it.each([
    [
      ['end', 'cable', '--for', '1m'],
      /^Unknown flag --for; it is a flag of muster ctl do\.\nSee muster ctl end --help\.\n$/,
    ],
    [
      ['scale', '50%', '--cohort', '0..9', '--for', '1m'],
      /^Unknown flag --cohort; it is a flag of muster ctl agents, muster ctl do, muster ctl export, muster inspect\.\nUnknown flag --for; /,
    ],
    [['agents', '0..3', '--cohort', '9'], /^which: expected without --cohort, found both; omit one of them\.\n/],
    [['export', '--container', '5'], /^--container: expected with --format openitcockpit only/],
    [['agent'], /^muster ctl agent expects <index>, found none: index of the agent, such as 7\.\n/],
    [['events', 'cable'], /^muster ctl events expects no more arguments, found cable\.\n/],
    [
      ['fleet', '--data', 'x', '--scenario', 'y'],
      /^--data: expected without --scenario, found both; omit one of them\.\n/,
    ],
  ])('does nothing with %j', async (args, sentence) => {
    const { served, added, ended } = await serveLively();
    const { code, stderr } = await ctl(served, ...args);
    expect([code, stderr]).toEqual([EXIT_CODES.userError, expect.stringMatching(sentence)]);
    expect([added, ended]).toEqual([[], []]);
  });

  it('scales to a number or share, and ends the previous scaling', async () => {
    const { served, added, ended } = await serveLively();
    await ctl(served, 'scale', '30');
    await ctl(served, 'scale', '50%', '--over', '2m');
    expect(added.map(({ action, overMs }) => ({ action, overMs }))).toEqual([
      { action: { kind: 'scale', share: 0.75 }, overMs: 0 },
      { action: { kind: 'scale', share: 0.5 }, overMs: 120_000 },
    ]);
    expect(ended).toEqual(['scale-1']);
    expect((await ctl(served, 'scale', '41')).stderr).toBe(
      'scale: expected a share such as 80%, or a number of agents up to 40, found "41"\n',
    );
  });

  it('lists and ends events', async () => {
    const { served, ended } = await serveLively();
    expect((await ctl(served, 'events')).stdout).toMatch(
      /^event +kind +status[^\n]*\ncable +disconnect +under-way .* 30%\n$/,
    );
    expect((await ctl(served, 'end', 'cable')).stdout).toBe('cable ended; it was in progress for 12 agents\n');
    expect(ended).toEqual(['cable']);
  });

  it('applies an edited scenario with its variables resolved, and reports the changes', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, 'staging.yaml'),
      'target: { url: "http://127.0.0.1:8080", apiKey: "${KEY}" }\nfleet: { agents: 50 }\nphases: [{ name: day, duration: 1h, checkdata: { every: 30s } }]\n',
    );
    const edits: (readonly [ScenarioEdit, boolean])[] = [];
    const { api } = await serveFleet({
      apply: async (edit, isDry) => {
        edits.push([edit, isDry]);
        return applied(isDry ? { isApplied: false, refused: ['name: expected another.'] } : {});
      },
    });
    const env = { MUSTER_CONTROL_URL: api.url, MUSTER_CONTROL_TOKEN: TOKEN, KEY: 'a secret key' };
    const apply = (...args: string[]) => muster(['ctl', 'apply', 'staging.yaml', ...args], { env, cwd });
    const done = await apply('--set', 'fleet.seed=9');
    const path = join(cwd, 'staging.yaml');
    expect(done.stdout.trimEnd().split('\n')).toEqual([
      'fleet.agents: 40 → 50',
      'events removed: cable',
      'agents: 39 unchanged, 1 changed, 10 added, 0 removed',
      `Applied; the fleet was started with /etc/muster/staging.yaml: next time, start it with ${path}`,
    ]);
    const dry = await apply('--dry-run');
    expect(dry.stdout.trimEnd().split('\n').slice(-2)).toEqual([
      '! name: expected another.',
      'Nothing was changed: a running fleet cannot apply it',
    ]);
    expect(JSON.parse((await apply('--json')).stdout)).toMatchObject({ isApplied: true, agents: { unchanged: 39 } });
    // What is applied was checked before.
    expect(edits.map(([, isDry]) => isDry)).toEqual([true, false, true, true, false]);
    const [edit] = edits[1] ?? [];
    expect(edit).toMatchObject({ file: path, secrets: { MUSTER_API_KEY: 'a secret key' } });
    const read = scenarioOf(edit?.text ?? '', [], edit?.secrets);
    expect([read.name, read.fleet.seed, read.target.apiKey]).toEqual(['staging', 9, 'a secret key']);
    expect(edit?.text).not.toContain('a secret key');
  });

  it('applies nothing to a run, and rejects invalid scenarios', async () => {
    const cwd = emptyFolder();
    const { api } = await serveFleet();
    const env = { MUSTER_CONTROL_URL: api.url, MUSTER_CONTROL_TOKEN: TOKEN };
    writeFileSync(join(cwd, 'broken.yaml'), 'fleet: { agents: many }\n');
    const broken = await muster(['ctl', 'apply', 'broken.yaml'], { env, cwd });
    expect([broken.code, broken.stderr]).toEqual([EXIT_CODES.userError, expect.stringMatching(/broken.yaml:1:18/)]);
    writeFileSync(
      join(cwd, 'good.yaml'),
      'fleet: { agents: 3 }\nphases: [{ name: day, duration: 1h, checkdata: { every: 30s } }]\n',
    );
    const good = await muster(['ctl', 'apply', 'good.yaml'], { env, cwd });
    expect([good.code, good.stderr]).toEqual([
      EXIT_CODES.userError,
      expect.stringMatching(/^A run cannot change its scenario/),
    ]);
  });

  it('exports the fleet as CSV, as JSON and as request bodies for the monitoring server', async () => {
    const served = await serveFleet();
    const csv = (await ctl(served, 'export', '0..1')).stdout.split('\n');
    expect(csv[0]).toBe('index,host,address,listenAddress,listenPort,uuid,group,profile,role,certificateFingerprint');
    expect(csv[1]).toMatch(/^0,[a-z0-9-]+,10\.\d+\.\d+\.\d+,,,[0-9a-f-]{36},,\S+,\S+,$/);
    const hosts = JSON.parse((await ctl(served, 'export', '--json')).stdout) as unknown[];
    expect(hosts).toHaveLength(40);
    const bodies = await ctl(served, 'export', '--format', 'openitcockpit', '--container', '7', '--host-template', '9');
    const first = JSON.parse(bodies.stdout.split('\n')[0] ?? '');
    const [, name, address, , , uuid] = csv[1]?.split(',') ?? [];
    expect(first.Host).toMatchObject({ container_id: 7, hosttemplate_id: 9, name, address, tags: 'muster' });
    expect(first.Host.description).toContain(`Simulated by Muster: agent ${uuid}`);
  });

  it.each([
    [
      ['agents', 'stat=x'],
      'cohort, column 1: expected one of profile, role, group, host, uuid, state, found "stat"; did you mean state?',
    ],
    [['agent', '77'], 'Agent 77: expected an index from 0 to 39 in this process, found none.'],
    [['do', 'restart', '-s', 'x'], '--set: expected key=value such as version=3.4.0 or repeat.every=5m, found "x"'],
    [['end', 'nobody'], 'Event nobody: expected an event of this fleet (cable), found no such event.'],
    [['agents', '--limit', '0'], '--limit: expected a whole number of at least 1, found "0".'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { served } = await serveLively();
    expect(await ctl(served, ...args)).toEqual({ code: EXIT_CODES.userError, stdout: '', stderr: `${sentence}\n` });
  });

  it('ends a suggestion with one mark, and says that a fleet has no event to end', async () => {
    const served = await serveFleet();
    expect((await ctl(served, 'do', 'rebot')).stderr).toMatch(
      /found "rebot"; did you mean reboot\?\nSee muster ctl do --help\.\n$/,
    );
    expect((await ctl(served, 'end', 'cable')).stderr).toBe(
      'Event cable: expected an event of this fleet (none yet), found no such event.\n',
    );
  });
});

describe('the fleet that ctl finds', () => {
  const record = (url: string, pid = process.pid) => ({ url, token: TOKEN, pid, startedAt: '2026-01-31T12:00:00Z' });
  const at = (cwd: string, name: string) => controlFileOf(join(cwd, 'fleets', name, 'identities.db'));

  it('is the only one running below the folder', async () => {
    const cwd = emptyFolder();
    writeControlFile(at(cwd, 'gone'), record('http://127.0.0.1:1', 2 ** 22 + 1));
    const { api } = await serveFleet();
    writeControlFile(at(cwd, 'served'), record(api.url));
    const { code, stdout } = await muster(['ctl', 'fleet'], { cwd });
    expect([code, stdout.split('\n')[0]]).toEqual([EXIT_CODES.pass, 'fleet      served']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is not that of another user, whose control file is named (as root)',
    async () => {
      const cwd = emptyFolder();
      const { api } = await serveFleet();
      for (const name of ['own', 'planted']) writeControlFile(at(cwd, name), record(api.url));
      giveAway(at(cwd, 'planted'));
      const beside = await muster(['ctl', 'fleet'], { cwd });
      expect([beside.code, beside.stdout.split('\n')[0]]).toEqual([EXIT_CODES.pass, 'fleet      served']);
      expect(beside.stderr).toMatch(
        /^! .*planted\/identities\.db\.control\.json: expected its owner to be this user, found user /,
      );
      rmSync(at(cwd, 'own'));
      const alone = await muster(['ctl', 'fleet'], { cwd });
      expect([alone.code, alone.stderr]).toEqual([EXIT_CODES.userError, expect.stringContaining('found user ')]);
    },
  );

  it('must be named if there are several', async () => {
    const cwd = emptyFolder();
    const { api } = await serveFleet();
    for (const name of ['one', 'two']) writeControlFile(at(cwd, name), record(api.url));
    expect((await muster(['ctl', 'fleet'], { cwd })).stderr).toMatch(
      /^Expected one running fleet here, found .*one.*two/,
    );
    expect((await muster(['ctl', 'fleet', '--data', 'fleets/two'], { cwd })).code).toBe(EXIT_CODES.pass);
  });

  it.each([
    ['none is up', () => {}, /^Expected a running fleet, found none in /],
    [
      'its process is gone',
      (cwd: string) => writeControlFile(at(cwd, 'gone'), record('http://127.0.0.1:1', 2 ** 22 + 1)),
      /its process 4194305 has exited, so the fleet is down: start it with muster fleet/,
    ],
    [
      'nothing answers',
      (cwd: string) => writeControlFile(at(cwd, 'dead'), record('http://127.0.0.1:9')),
      /^Nothing answers at http:\/\/127.0.0.1:9: /,
    ],
  ])('is reported as missing in one sentence if %s', async (_, prepare: (cwd: string) => void, sentence) => {
    const cwd = emptyFolder();
    prepare(cwd);
    const { code, stderr } = await muster(['ctl', 'fleet'], { cwd });
    expect(code).toBe(EXIT_CODES.userError);
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is at the address of its dashboard, whose token no message shows', async () => {
    const { api } = await serveFleet();
    const fleetAt = (MUSTER_CONTROL_URL: string, MUSTER_CONTROL_TOKEN: string) =>
      muster(['ctl', 'fleet'], { env: { MUSTER_CONTROL_URL, MUSTER_CONTROL_TOKEN } });
    expect(await fleetAt(`${api.url}/#token=${TOKEN}`, TOKEN)).toMatchObject({ code: EXIT_CODES.pass });
    const urls = ['http://127.0.0.1:9/#token=hush', 'http://user:hush@127.0.0.1:9', 'ftp://user:hush@127.0.0.1?hush'];
    const refused = urls.flatMap((url) => ['', TOKEN].map((token) => fleetAt(url, token)));
    const texts = (await Promise.all(refused)).map(({ stderr }) => stderr);
    expect(texts.join('')).not.toContain('hush');
    expect(texts.filter((text) => text.includes('127.0.0.1'))).toHaveLength(refused.length);
  });

  it('rejects another token', async () => {
    const { api } = await serveFleet();
    const env = { MUSTER_CONTROL_URL: api.url, MUSTER_CONTROL_TOKEN: 'another' };
    expect((await muster(['ctl', 'fleet'], { env })).stderr).toMatch(/^The fleet at http\S+ rejects the token: /);
  });
});

it('muster ctl watch continues after a restart of the fleet, at its new address', async () => {
  const cwd = emptyFolder();
  const interrupted = Promise.withResolvers<void>();
  const startedAt = new Date().toISOString();
  const up = async (): Promise<() => void> => {
    const { api, run } = await serveFleet();
    run.started(new Date());
    writeControlFile(controlFileOf(join(cwd, 'fleets', 'kept', 'identities.db')), {
      url: api.url,
      token: TOKEN,
      pid: process.pid,
      startedAt,
    });
    const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 40, authorized: 0 };
    const state = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS, workers: [] };
    return () => run.add([{ ...state, second: 0, series: [] }]);
  };
  let lines = 0;
  const first = await up();
  const watching = muster(['ctl', 'watch'], { cwd, interrupted: interrupted.promise, onText: () => lines++ });
  const isTold = async (tell: () => void, most: number) => {
    const told = (): number => {
      tell();
      return lines;
    };
    await expect.poll(told, { timeout: 20_000 }).toBeGreaterThan(most);
  };
  await isTold(first, 0);
  closeServed();
  await isTold(await up(), lines + 1);
  interrupted.resolve();
  const { code, stderr } = await watching;
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^The fleet at \S+ stopped sending: .* Waiting for it; Ctrl-C ends\.\n$/),
  ]);
});

describe('completion of muster ctl', () => {
  /** The completions after these words, the last of which is incomplete. */
  const offered = async ({ api }: ServedFleet, ...typed: string[]) => {
    const env = { MUSTER_CONTROL_URL: api.url, MUSTER_CONTROL_TOKEN: TOKEN };
    const { code, stdout } = await muster(['--get-yargs-completions', 'muster', 'ctl', ...typed], { env });
    expect(code).toBe(EXIT_CODES.pass);
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('offers the kinds of events after do, whatever flags precede it', async () => {
    const { served } = await serveLively();
    expect(await offered(served, 'do', '')).toEqual(expect.arrayContaining(['reboot', 'disk-full', 'scale']));
    expect((await offered(served, 'do', '')).filter((word) => word === 'end' || word.startsWith('-'))).toEqual([]);
    expect(await offered(served, '-j', '--cohort', '30%', 'do', 're')).toEqual([
      'reboot',
      'restart',
      'register-again',
      'retarget',
    ]);
    expect(await offered(served, 'do', 'restart', '')).toEqual(expect.arrayContaining(['--cohort', '--over']));
  });

  it('offers the commands, and the flags of one', async () => {
    const { served } = await serveLively();
    expect(await offered(served, '')).toEqual(expect.arrayContaining(Object.keys(CTL_COMMANDS)));
    for (const words of [['cable', '--'], ['--'], ['--d'], ['cable', '']]) {
      const flags = await offered(served, 'end', ...words);
      expect(flags).toEqual(expect.arrayContaining(['--dry-run', '--json', '--url']));
      expect(flags).not.toContain('--cohort');
    }
  });

  it('offers active events after end, and nothing without a fleet', async () => {
    const { served } = await serveLively();
    expect(await offered(served, 'end', '')).toEqual(['cable']);
    await muster(['ctl', 'do', 'stop', '--for', '1ms', '--name', 'short'], {
      env: { MUSTER_CONTROL_URL: served.api.url, MUSTER_CONTROL_TOKEN: TOKEN },
    });
    await expect.poll(() => offered(served, 'end', 's')).toEqual([]);
    closeServed();
    expect(await offered(served, 'end', '')).toEqual([]);
  });

  it('offers nothing where a flag expects a free value', async () => {
    const { served } = await serveLively();
    for (const flag of ['--cohort', '--for', '-s', '--data'])
      expect(await offered(served, 'do', 'restart', flag, '')).toEqual([]);
    expect(await offered(served, 'export', '--format', '')).toEqual(['csv', 'json', 'openitcockpit']);
    expect(await offered(served, 'agents', '--health', 'p')).toContain('pending');
  });
});
