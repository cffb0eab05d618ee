import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostOfFile, type IntakeSettings, openIntake } from '../../../src/recordings/recorder/intake.ts';
import { readHostRecording } from '../../../src/recordings/recorder/recording-folder.ts';
import { rhythmOf } from '../../../src/recordings/recorder/recording-log.ts';
import { checkdataText, type Parsed, packagesText, usualFleet } from '../../hosts/any-machine.ts';
import { SETTINGS } from '../settings.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const MINUTE_MS = 60_000;

function opened(changes: Partial<IntakeSettings> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'muster-intake-'));
  const intake = openIntake(root, { ...SETTINGS, everyMs: MINUTE_MS, ...changes });
  onTestFinished(() => {
    intake.close();
    rmSync(root, { recursive: true });
  });
  return { root, ...intake };
}

describe('a recording of pushes', () => {
  it('keeps the first document of each host and kind in an interval, and the times of all pushes', () => {
    const { root, take, save } = opened();
    const pushed = (kind: 'checkdata' | 'packages', uuid: string, arrivedMs: number): string => {
      const textOf = { checkdata: checkdataText, packages: packagesText }[kind];
      const document = textOf({ ...ONE, instantMs: ONE.instantMs + arrivedMs });
      const text = `{"checkdata":${document},"agentuuid":"${uuid}","password":"planted"}`;
      return take({ text, source: () => 'unknown', arrivedMs, secrets: [] }).kind;
    };
    const kinds = [
      pushed('checkdata', 'one', 0),
      pushed('packages', 'one', 10),
      pushed('checkdata', 'two', 20),
      pushed('checkdata', 'one', MINUTE_MS / 2 - 1),
      pushed('checkdata', 'one', MINUTE_MS / 2),
      pushed('checkdata', 'one', 1.5 * MINUTE_MS - 1),
    ];
    expect(kinds).toEqual(['kept', 'kept', 'kept', 'seen', 'kept', 'seen']);
    save();
    const [host] = readHostRecording(root).index.hosts;
    expect(host?.pushes).toEqual({ checkdata: 4, packages: 1 });
    expect(host?.rhythm.checkdata).toEqual([0, MINUTE_MS / 2 - 1, MINUTE_MS / 2, 1.5 * MINUTE_MS - 1]);
  });

  it('keeps every push of an agent that pushes once per interval, early or late by less than half of it', () => {
    const { take } = opened();
    const { agent } = JSON.parse(checkdataText(ONE));
    const kinds = Array.from({ length: 60 }, (_, turn) => {
      const arrivedMs = turn * MINUTE_MS + ((turn * 7919) % 40_000) - (turn === 0 ? 0 : 20_000);
      const checkdata = { agent: { ...agent, last_updated_timestamp: 1e9 + turn } };
      const text = JSON.stringify({ checkdata, agentuuid: 'one' });
      return take({ text, source: () => 'unknown', arrivedMs, secrets: [] }).kind;
    });
    expect(kinds).toEqual(kinds.map(() => 'kept'));
  });

  it('drops a document that takes longer than its limit, and names its host', () => {
    const { take, summary } = opened({ limitMs: -1 });
    const text = `{"checkdata":${checkdataText(ONE)},"agentuuid":"one"}`;
    const taken = take({ text, source: () => 'unknown', arrivedMs: 0, secrets: [] });
    expect(taken).toEqual({ kind: 'slow', host: 'host-1', document: 'checkdata' });
    expect(summary().checkdata).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('can be read only by its user', () => {
    const { root, save } = opened();
    save();
    const modes = [root, join(root, 'documents.log'), join(root, 'index.json')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('has the names of files only if it is not anonymized, and ids that only the key can verify if it is', () => {
    const hostsWith = (changes: Partial<IntakeSettings>) => {
      const { take, hosts } = opened(changes);
      take({ text: checkdataText(ONE), source: () => 'a-name', arrivedMs: undefined, secrets: [] });
      return [...hosts];
    };
    const [[[plainId, plainName] = []], [[id, name] = []], [[otherId] = []]] = [
      hostsWith({}),
      hostsWith({ anonymous: true }),
      hostsWith({ anonymous: true, key: 'another key' }),
    ];
    expect([plainName, name]).toEqual(['a-name', 'host-1']);
    expect(new Set([plainId, id, otherId]).size).toBe(3);
  });
});

it('the rhythm of a host consists of the median interval, and the deviation that nine of ten intervals do not exceed', () => {
  const instants = [0, 60, 121, 181, 240, 300, 360, 422, 482, 540, 600, 900].map((seconds) => seconds * 1000);
  expect(rhythmOf(instants)).toEqual({ everySeconds: 60, jitterSeconds: 2 });
  expect(rhythmOf(instants.slice(0, 2))).toBeUndefined();
});

describe('the host of a file', () => {
  it.each([
    ['dumps/web-1.checkdata.json', 'web-1'],
    ['dumps/web-1.checkdata.json.gz', 'web-1'],
    ['dumps/web-1.checkdata.json.txt', 'web-1'],
    ['dumps/web-1_checkdata_2.json', 'web-1'],
    ['dumps/checkdata-web-1.json', 'web-1'],
    ['dumps/web-1-2026-01-31T12:00:00Z.json', 'web-1'],
    ['dumps/web-1.checkdata.20260131T1200.json', 'web-1'],
    ['dumps/web-1-2026-01-31.json', 'web-1'],
    ['dumps/web-1/checkdata.json', 'web-1'],
    ['web-1.json', 'web-1'],
    ['checkdata.json', 'host'],
    ['NB-00012345.json', 'NB-00012345'],
    ['NB-20240115.json', 'NB-20240115'],
    ['build-package-runner-7.json', 'build-package-runner-7'],
    ['rack-1234-56-78.json', 'rack-1234-56-78'],
    ['packages.example.com.json', 'packages.example.com'],
    ['checkdata-collector-2.json', 'collector-2'],
    ['db-checkdata-old.json', 'db-checkdata-old'],
  ])('with check data is named after the file or its folder: %s', (path, host) => {
    expect(hostOfFile(path, 'checkdata')).toBe(host);
  });

  it.each([
    ['dumps/web-1-packages.json', 'web-1'],
    ['dumps/web-1-packages-2.json', 'web-1'],
    ['dumps/web-1.package_info.json', 'web-1'],
    ['dumps/web-1/packages.json', 'web-1'],
    ['packages-web-1.json', 'web-1'],
    ['build-package-runner-7.json', 'build-package-runner-7'],
  ])('with packages is named after the file or its folder: %s', (path, host) => {
    expect(hostOfFile(path, 'packages')).toBe(host);
  });
});

describe('machines', () => {
  const BOOT_MS = ONE.instantMs - 86_400_000;
  /** Check data of a machine that booted at a time, as it is some seconds later. */
  const pushOf = (uuid: string, bootMs: number, seconds: number, edit: (document: Parsed) => object = () => ({})) => {
    const document = JSON.parse(checkdataText(ONE));
    const instant = ONE.instantMs / 1000 + seconds;
    const cards = Object.entries<Parsed>(document.net_io).map(([name, card]) => [
      name,
      { ...card, bytes_recv: 1000 * (instant - bootMs / 1000) },
    ]);
    const agent = {
      ...document.agent,
      last_updated_timestamp: instant,
      system_uptime: Math.floor(instant - bootMs / 1000),
    };
    const checkdata = { ...document, agent, net_io: Object.fromEntries(cards), ...edit(document) };
    return JSON.stringify({ checkdata, agentuuid: uuid });
  };
  const hostsOf = (pushes: readonly string[], changes: Partial<IntakeSettings> = {}) => {
    const { take } = opened({ everyMs: 0, ...changes });
    return pushes.map((text) => {
      const taken = take({ text, source: () => 'unknown', arrivedMs: undefined, secrets: [] });
      return taken.kind === 'fault' ? 'fault' : taken.host;
    });
  };

  it.each([
    ['hours apart', BOOT_MS - 7_200_000],
    ['seconds apart', BOOT_MS + 20_000],
  ])('with one UUID that push in turn are two hosts if they booted %s', (_, otherMs) => {
    const pushes = Array.from({ length: 8 }, (_, n) => pushOf('one', n % 2 === 0 ? BOOT_MS : otherMs, 10 * n));
    expect(hostsOf(pushes)).toEqual(pushes.map((_, n) => `host-${1 + (n % 2)}`));
  });

  it('stay apart when a recording is continued', () => {
    const root = mkdtempSync(join(tmpdir(), 'muster-machines-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const recorded = (from: number) => {
      const intake = openIntake(root, { ...SETTINGS, everyMs: 0 });
      const hosts = [0, 1, 2, 3].map((n) => {
        const text = pushOf('one', n % 2 === 0 ? BOOT_MS : BOOT_MS - 7_200_000, from + 10 * n);
        const taken = intake.take({ text, source: () => 'unknown', arrivedMs: undefined, secrets: [] });
        return taken.kind === 'fault' ? 'fault' : taken.host;
      });
      intake.close();
      return hosts;
    };
    expect([recorded(0), recorded(100)]).toEqual([
      ['host-1', 'host-2', 'host-1', 'host-2'],
      ['host-1', 'host-2', 'host-1', 'host-2'],
    ]);
  });

  it.each<[string, readonly string[]]>([
    ['reboots', [pushOf('one', BOOT_MS, 0), pushOf('one', ONE.instantMs + 300_000, 400)]],
    ['sleeps, while its uptime stands still', [pushOf('one', BOOT_MS, 0), pushOf('one', BOOT_MS + 3_600_000, 3660)]],
    [
      'has more memory after a reboot',
      [
        pushOf('one', BOOT_MS, 0),
        pushOf('one', ONE.instantMs + 300_000, 400, ({ memory }) => ({
          memory: { ...memory, total: 2 * memory.total },
        })),
      ],
    ],
    ['pushes late', [pushOf('one', BOOT_MS, 60), pushOf('one', BOOT_MS, 0)]],
  ])('are one host if one %s', (_, pushes) => {
    expect(hostsOf(pushes)).toEqual(['host-1', 'host-1']);
  });

  it('without a boot are two hosts if cores and memory differ', () => {
    const small = pushOf('one', ONE.instantMs, 0);
    const large = pushOf('one', ONE.instantMs + 60_000, 60, ({ cpu, memory }) => ({
      cpu: { ...cpu, cpu_percentage: [1, 1, 1, 1, 1, 1, 1] },
      memory: { ...memory, total: 3 * memory.total },
    }));
    expect(hostsOf([small, large])).toEqual(['host-1', 'host-2']);
  });
});
