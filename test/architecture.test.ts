import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../src');

/** Which rooms a room may import from; every room may import from the kernel. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  main: ['cli'],
  cli: [
    'run',
    'workers',
    'monitoring-server',
    'storage',
    'report',
    'scenario',
    'machine',
    'fleet',
    'metrics',
    'protocol',
    'transport',
  ],
  run: ['workers', 'scenario', 'load', 'fleet', 'metrics', 'protocol'],
  workers: ['engine', 'transport', 'monitoring-server', 'machine', 'fleet', 'load', 'metrics', 'scenario', 'protocol'],
  engine: ['load', 'fleet', 'machine', 'protocol', 'metrics'],
  'monitoring-server': ['protocol', 'metrics'],
  transport: ['protocol'],
  storage: ['metrics', 'scenario', 'fleet'],
  report: ['metrics', 'scenario'],
  scenario: ['load', 'fleet', 'metrics', 'machine', 'protocol'],
  fleet: ['protocol'],
  machine: ['protocol'],
  metrics: ['protocol'],
  load: ['protocol'],
  protocol: [],
  kernel: [],
};

const DOMAIN_ROOMS = ['scenario', 'fleet', 'machine', 'protocol', 'load', 'metrics', 'kernel'];
const EFFECTS =
  /^(node:(fs|net|tls|http|https|http2|dgram|dns|worker_threads|child_process|cluster|sqlite|readline)(\/.*)?|yargs|piscina|undici)$/;
const HOME: Readonly<Record<string, string>> = {
  yargs: 'cli',
  piscina: 'workers',
  undici: 'transport',
  'hdr-histogram-js': 'metrics',
};

type Import = { readonly file: string; readonly room: string; readonly target: string };

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return targets.map((target) => ({ file, room: roomOf(file), target }));
});

function roomOf(file: string): string {
  return file.includes(sep) ? (file.split(sep)[0] ?? '') : file.replace(/\.ts$/, '');
}

function targetRoom({ file, target }: Import): string | undefined {
  return target.startsWith('.') ? roomOf(relative(ROOT, resolve(ROOT, dirname(file), target))) : undefined;
}

describe('the rooms of src', () => {
  it('are all in the drawing', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it('import only along the arrows', () => {
    const broken = imports.flatMap((entry) => {
      const room = targetRoom(entry);
      const allowed =
        room === undefined || room === entry.room || room === 'kernel' || ARROWS[entry.room]?.includes(room);
      return allowed ? [] : [`${entry.file}: ${entry.room} → ${room}`];
    });
    expect(broken).toEqual([]);
  });

  it('keep files, sockets, threads and the command-line library out of the domain', () => {
    const broken = imports.filter((entry) => DOMAIN_ROOMS.includes(entry.room) && EFFECTS.test(entry.target));
    expect(broken.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
  });

  it('keep each library with a home in its home', () => {
    const broken = imports.filter(({ target, room }) => HOME[target] !== undefined && HOME[target] !== room);
    expect(broken.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
  });

  it('have no index files', () => {
    expect(files.filter((file) => /(^|\/)index\.ts$/.test(file))).toEqual([]);
  });
});
