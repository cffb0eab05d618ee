import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostOfFile, openIntake } from '../../../src/recordings/recorder/intake.ts';
import { readHostRecording, rhythmOf } from '../../../src/recordings/recorder/recording-folder.ts';
import { checkdataText, packagesText, usualFleet } from '../../hosts/any-machine.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const MINUTE_MS = 60_000;

function opened(anonymizeKey: string | undefined) {
  const root = mkdtempSync(join(tmpdir(), 'muster-intake-'));
  const intake = openIntake(root, { everyMs: MINUTE_MS, anonymizeKey });
  onTestFinished(() => {
    intake.close();
    rmSync(root, { recursive: true });
  });
  return { root, ...intake };
}

describe('a recording of pushes', () => {
  it('keeps the first document of each host and kind in an interval, and the times of all pushes', () => {
    const { root, take, save } = opened(undefined);
    const pushed = (kind: 'checkdata' | 'packages', uuid: string, arrivedMs: number): string => {
      const textOf = { checkdata: checkdataText, packages: packagesText }[kind];
      const document = textOf({ ...ONE, instantMs: ONE.instantMs + arrivedMs });
      const text = `{"checkdata":${document},"agentuuid":"${uuid}","password":"planted"}`;
      return take({ text, source: 'unknown', arrivedMs, secrets: [] }).kind;
    };
    const kinds = [
      pushed('checkdata', 'one', 0),
      pushed('packages', 'one', 10),
      pushed('checkdata', 'two', 20),
      pushed('checkdata', 'one', MINUTE_MS - 1),
      pushed('checkdata', 'one', MINUTE_MS),
      pushed('checkdata', 'one', 2 * MINUTE_MS - 1),
    ];
    expect(kinds).toEqual(['kept', 'kept', 'kept', 'seen', 'kept', 'seen']);
    save();
    const [host] = readHostRecording(root).index.hosts;
    expect(host?.pushes).toEqual({ checkdata: 4, packages: 1 });
    expect(host?.rhythm.checkdata).toEqual([0, MINUTE_MS - 1, MINUTE_MS, 2 * MINUTE_MS - 1]);
  });

  it('has the names of files only if it is not anonymized, and ids that only the key can verify if it is', () => {
    const hostsWith = (key: string | undefined) => {
      const { take, hosts } = opened(key);
      take({ text: checkdataText(ONE), source: 'a-name', arrivedMs: undefined, secrets: [] });
      return [...hosts];
    };
    const [[[plainId, plainName] = []], [[id, name] = []], [[otherId] = []]] = [
      hostsWith(undefined),
      hostsWith('a key'),
      hostsWith('another key'),
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
    ['dumps/web-1-packages.json', 'web-1'],
    ['dumps/web-1_checkdata_2.json', 'web-1'],
    ['dumps/checkdata-web-1.json', 'web-1'],
    ['dumps/web-1-2026-01-31T12:00:00Z.json', 'web-1'],
    ['dumps/web-1/checkdata.json', 'web-1'],
    ['web-1.json', 'web-1'],
    ['checkdata.json', 'host'],
  ])('is named after the file or its folder: %s', (path, host) => {
    expect(hostOfFile(path)).toBe(host);
  });
});
