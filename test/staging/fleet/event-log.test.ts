import fs, {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endLine, entryLine, eventsBeside } from '../../../src/scenario/event-entries.ts';
import { openEventLog, readEventLog, withAuthor } from '../../../src/staging/fleet/event-log.ts';
import { scenarioOf, withPhases } from '../../scenario/read-scenario.ts';

const OWNER = { name: 'staging', seed: 7 };
const RAISED = new Date('2026-01-31T12:00:00.000Z');
const logPath = () => join(mkdtempSync(join(tmpdir(), 'muster-log-')), 'identities.db.events.yaml');

const scenario = scenarioOf(`events:
  - { do: disconnect, name: cable, at: 1s, for: 90m, cohort: 30% and not 5, sticky: site }
  - { do: retarget, name: away, apiKey: "a $\${key} with: {all}", at: 2s }
  - { do: check-error, name: broken, check: disk_io, error: "70 °C\\nis too hot", repeat: { every: 7d, times: 2 }, for: 1m }
  - { do: restart, name: weekly, at: 3s, repeat: { every: 2s } }
${withPhases('  - { name: steady, duration: 30d, checkdata: { every: 5s } }\n')}`);

function written(path: string): void {
  const log = openEventLog(path, OWNER);
  log.begin(RAISED, '0.1.0+1a2b3c4d');
  for (const event of scenario.events) log.append(entryLine(event, scenario.phases));
  log.append(withAuthor(endLine('cable', 4000), 'control'));
  log.close();
}

const real = { fsyncSync: fs.fsyncSync, writeSync: fs.writeSync };

/** Replaces functions of the disk until the test ends. */
function onDisk(own: Partial<typeof real>): void {
  Object.assign(fs, own);
  syncBuiltinESMExports();
}

afterEach(() => onDisk(real));

/** A disk that takes five bytes per write, and is full after this many writes. */
function filledAfter(writes: number): typeof fs.writeSync {
  let left = writes;
  return (file: number, data: unknown) => {
    if (left-- === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return real.writeSync(file, (data as Buffer).subarray(0, 5));
  };
}

describe('the event log of a fleet', () => {
  it('restores the start of the fleet, and each event with its end', () => {
    const path = logPath();
    expect(openEventLog(path, OWNER).firstStartedAt).toBeUndefined();
    written(path);
    const log = openEventLog(path, OWNER);
    expect([log.firstStartedAt, log.notes]).toEqual([RAISED, []]);
    const [cable, ...others] = scenario.events;
    expect(eventsBeside({ ...scenario, events: [] }, log.entries()).events).toEqual([
      { ...cable, untilMs: 4000 },
      ...others,
    ]);
    log.close();
  });

  it('is a list of events that a run can replay, with a comment as its header', () => {
    const path = logPath();
    written(path);
    const files = { '/work/scenarios/log.yaml': readFileSync(path, 'utf8') };
    const replayed = scenarioOf(
      withPhases('  - { name: steady, duration: 30d, checkdata: { every: 5s } }\n'),
      ['events=log.yaml'],
      {},
      files,
    );
    expect(replayed.events.map(({ name, untilMs }) => [name, untilMs])).toEqual([
      ...[
        ['cable', 4000],
        ['away', undefined],
        ['broken', undefined],
        ['weekly', undefined],
      ],
    ]);
    expect(replayed.events[1]?.action).toEqual({ kind: 'retarget', apiKey: 'a ${key} with: {all}' });
  });

  it('loses only an incomplete last entry, and continues after the others', () => {
    const path = logPath();
    written(path);
    const whole = statSync(path).size;
    appendFileSync(path, '- { do: restart, na');
    const log = openEventLog(path, OWNER);
    expect(log.notes).toEqual([expect.stringMatching(/^removed the incomplete last entry of /)]);
    expect([log.entries().length, statSync(path).size]).toEqual([5, whole]);
    log.append(endLine('away', 9000));
    log.close();
    expect(openEventLog(path, OWNER).entries()).toHaveLength(6);
  });

  it('has each line on disk when it reports it as written, and at the first start also its own name', () => {
    const path = logPath();
    const flushed: string[] = [];
    onDisk({
      fsyncSync: (file) => {
        flushed.push(fs.fstatSync(file).isDirectory() ? 'its folder' : readFileSync(path, 'utf8'));
        real.fsyncSync(file);
      },
    });
    const log = openEventLog(path, OWNER);
    log.begin(RAISED, '0.1.0+1a2b3c4d');
    const head = readFileSync(path, 'utf8');
    expect(flushed).toEqual([head, 'its folder']);
    log.append(endLine('cable', 4000));
    expect(flushed.slice(2)).toEqual([`${head}${endLine('cable', 4000)}`]);
    log.close();
  });

  it.each<[string, RegExp, Partial<typeof real>]>([
    [
      'ends on a full disk',
      /cannot be written: ENOSPC.*; free disk space, and try again\.$/,
      { writeSync: filledAfter(1) },
    ],
    [
      'cannot be flushed',
      /cannot be written: EIO.* its disk works, and try again\.$/,
      {
        fsyncSync: () => {
          throw new Error('EIO: i/o error, fsync');
        },
      },
    ],
  ])('is unchanged by an entry whose write %s, and continues once the disk is writable', (_, remedy, broken) => {
    const path = logPath();
    written(path);
    const log = openEventLog(path, OWNER);
    log.append(endLine('weekly', 8000));
    const before = [readFileSync(path, 'utf8'), log.entries()];
    onDisk(broken);
    expect(() => log.append(endLine('away', 9000))).toThrow(remedy);
    expect([readFileSync(path, 'utf8'), log.entries()]).toEqual(before);
    // A disk that is nearly full accepts a write in parts.
    onDisk({ ...real, writeSync: filledAfter(100) });
    for (const name of ['away', 'broken']) log.append(endLine(name, 9000));
    expect(readFileSync(path, 'utf8')).toBe(`${before[0]}${endLine('away', 9000)}${endLine('broken', 9000)}`);
    log.close();
  });

  it('with an incomplete header counts as that of a fleet that never started', () => {
    const path = logPath();
    writeFileSync(path, '# Events of the fleet stag');
    expect(openEventLog(path, OWNER).firstStartedAt).toBeUndefined();
  });

  it.each([
    [
      'of another fleet',
      '# Events of the fleet other, seed 7, raised at 2026-01-31T12:00:00.000Z\n',
      /belongs to the fleet other with seed 7, but this one is staging/,
    ],
    ['of another seed', '# Events of the fleet staging, seed 8, raised at 2026-01-31T12:00:00.000Z\n', /with seed 8/],
    ['without its header', '- { do: restart }\n', /has no header: expected a first line such as/],
    ['with an invalid time', '# Events of the fleet staging, seed 7, raised at noon\n', /has no header/],
  ])('%s is refused, and left unchanged', (_, text, why) => {
    const path = logPath();
    writeFileSync(path, text);
    expect(() => openEventLog(path, OWNER)).toThrow(why);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['a syntax error', '- { { do: restart }: cable }', /keys must be strings/],
    ['an open bracket', '- { do: restart, name: cable', /expected valid YAML/],
    ['another thing', 'fleet: {}', /expected an event after "- "/],
    ['a text', '- restart', /expected an event such as/],
    ['an unknown kind', '- { do: dance, at: 5s }', /do: expected one of/],
    [
      'a time beyond all dates',
      '- { do: restart, at: 200000000d }',
      /at: expected .* up to 10000d, found "200000000d"/,
    ],
    ['a key that is no text', '- { do: retarget, apiKey: 12345678 }', /apiKey: .*found something else/],
  ])('with %s names its line, and goes on with the other entries', (_, bad, why) => {
    const path = logPath();
    const warned = vi.spyOn(process, 'emitWarning');
    written(path);
    const before = openEventLog(path, OWNER);
    const [head, first, ...rest] = readFileSync(path, 'utf8').split('\n');
    const text = [head, first, bad, '# Hosts {broken}', ...rest].join('\n');
    writeFileSync(path, text);
    const log = openEventLog(path, OWNER);
    expect(log.entries().map(({ raw }) => raw)).toEqual(before.entries().map(({ raw }) => raw));
    expect(log.notes).toEqual([expect.stringContaining(`${path}, line 3: `)]);
    expect(log.notes[0]).toMatch(why);
    expect(log.notes[0]).not.toContain('12345678');
    log.append(endLine('away', 9000));
    log.close();
    expect(readFileSync(path, 'utf8')).toBe(`${text}${endLine('away', 9000)}`);
    expect(readEventLog(path)?.events).toHaveLength(4);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('says of a fleet that nobody runs when each of its events ended', () => {
    const path = logPath();
    const startMs = Date.UTC(2026, 0, 31, 12);
    const entries = [
      '- { do: restart, name: momentary, at: 2s }',
      '- { do: restart, name: gradual, at: 2s, over: 5s }',
      '- { do: disconnect, name: repeated, at: 1s, for: 1s, repeat: { every: 10s, times: 3 } }',
      '- { do: stop, name: ended, at: 1s }',
      '- { do: end, event: ended, at: 3s }',
      '- { do: stop, name: open, at: 4s }',
      '- { do: dance, name: unknown }',
    ];
    const head = `# Events of the fleet kept, seed 1, raised at ${new Date(startMs).toISOString()}`;
    writeFileSync(path, `${[head, ...entries].join('\n')}\n`);
    const seconds = readEventLog(path)?.events.map(({ name, fromMs, toMs }) => {
      return [name, (fromMs - startMs) / 1000, (toMs - startMs) / 1000];
    });
    expect(seconds).toEqual([
      ['momentary', 2, 2],
      ['gradual', 2, 7],
      ['repeated', 1, 22],
      ['ended', 1, 3],
      ['open', 4, Number.POSITIVE_INFINITY],
    ]);
  });

  it('refuses an entry that could not be read again, and stays unchanged', () => {
    const path = logPath();
    written(path);
    const log = openEventLog(path, OWNER);
    const before = readFileSync(path, 'utf8');
    expect(() => log.append('- { do: restart, at: 200000000d }\n')).toThrow(/cannot be read again: at: expected/);
    expect([readFileSync(path, 'utf8'), log.entries().length]).toEqual([before, 5]);
  });

  it('names the line and the key of a mistake, and shows no API key', () => {
    const unread = (...entries: object[]) =>
      eventsBeside(
        scenario,
        entries.map((raw, index) => ({ line: index + 1, raw })),
      ).unread;
    expect(unread({ do: 'restart', name: 'one' }, { do: 'stop', name: 'one' })).toEqual([
      { line: 2, why: expect.stringMatching(/^name: expected a unique event name/) },
    ]);
    expect(unread({ do: 'retarget', apiKey: 12345678 })).toEqual([
      { line: 1, why: expect.stringMatching(/^apiKey: .*found something else$/) },
    ]);
  });

  it('says that it is a copy at each start beside its original, once without it, and not after a move', () => {
    const path = logPath();
    const copy = logPath();
    const moved = logPath();
    const copied = (at: string) => {
      const log = openEventLog(at, OWNER);
      log.close();
      return log.notes.find((text) => text.includes('is a copy of'));
    };
    written(path);
    copyFileSync(path, copy);
    expect([copied(path), copied(copy), copied(copy)]).toEqual([
      undefined,
      ...Array.from({ length: 2 }, () => expect.stringContaining(`${copy} is a copy of ${path}: both fleets have`)),
    ]);
    renameSync(path, moved);
    expect([copied(moved), copied(copy), copied(copy), copied(moved)]).toEqual([
      undefined,
      expect.stringContaining(`is a copy of ${path} on `),
      ...[undefined, undefined],
    ]);
  });

  it('is readable only by its owner', () => {
    const path = logPath();
    written(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
