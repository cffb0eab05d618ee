import { CHECK_NAMES } from '../ground/protocol/checks.ts';
import { exactly, isMembers, type JsonMembers, written } from '../ground/protocol/exact-json.ts';
import { type HostNames, isThreadName, mayHoldSecret, type Sharing, sharingFor } from './sharing.ts';
import type { Sort } from './vocabulary.ts';

/* The texts of a document, and where they come from. */

/** A shorter password is a part of too many words. */
const SHORTEST_SECRET = 4;

type Reading = {
  /** Secrets outside of the document. */
  readonly secrets: readonly string[];
  /** Is called before each text. */
  readonly alive: () => void;
};

/** A document in which everything is replaced that is not known to be harmless, and the number of texts that changed. */
export function sharedDocument(
  text: string,
  sharing: Sharing,
  { secrets, alive }: Reading = { secrets: [], alive: () => {} },
): { readonly text: string; readonly replaced: number } {
  const document = exactly(text) as JsonMembers;
  const names = namesIn(document);
  const share = sharingFor(sharing, names);
  const isLinux = isMembers(document.agent) && document.agent.goos === 'linux';
  const isThread = (value: JsonMembers) =>
    isLinux && isKernelThread(value) && THREAD.every((name) => isThreadName(textOf(value[name]), sharing, names));
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  let replaced = 0;
  const textShared = (value: string, sort: Sort): string => {
    alive();
    // States and versions consist of public words, whatever the password.
    const hidden =
      sort === 'system' || sort === 'version'
        ? value
        : known.reduce((rest, secret) => rest.replaceAll(secret, () => sharing.replace(secret, sort)), value);
    const made = share(hidden, sort);
    if (made !== value) replaced++;
    return made;
  };
  const { sorts, field } = sharing.vocabulary;
  const membersShared = (value: JsonMembers, check: string, path: string): unknown => {
    const sort = sorts.get(`${path}.#`);
    const isKeyed =
      sort !== undefined &&
      Object.values(value).every((member) => typeof member === 'object' && !JSON.isRawJSON(member as object));
    const isUnknown = isMembers(document.agent) && !CHECK_NAMES.includes(check);
    const isOpen = (check === 'libvirt' || isUnknown) && !isKeyed;
    const kept = isThread(value) ? THREAD : [];
    const members = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
      if (kept.includes(name)) return [name, member];
      const inner = shared(member, check, isKeyed ? path : `${check}.${name}`);
      if (isKeyed || (isOpen && !field.has(name.toLowerCase()))) return [textShared(name, sort ?? 'own'), inner];
      return [name, inner];
    });
    // Go writes names in alphabetical order.
    return Object.fromEntries(isKeyed ? members.sort(([a], [b]) => (a < b ? -1 : 1)) : members);
  };
  const shared = (value: unknown, check: string, path: string): unknown => {
    if (typeof value === 'string') return textShared(value, sorts.get(path) ?? 'text');
    if (Array.isArray(value)) return value.map((element) => shared(element, check, path));
    return isMembers(value) ? membersShared(value, check, path) : value;
  };
  const checks = Object.entries(document).map(([check, value]) => [check, shared(value, check, check)]);
  return { text: written(Object.fromEntries(checks)), replaced };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const THREAD: readonly string[] = ['name', 'exec', 'cmdline'];

function isKernelThread({ pid, ppid, Memory }: JsonMembers): boolean {
  return (pid === 2 || ppid === 2) && isMembers(Memory) && Memory.rss === 0 && Memory.vms === 0;
}

/** The host's own list of devices, and what it calls its users, machines, checks, containers, units and mount points. */
function namesIn(document: JsonMembers): HostNames {
  const chosen = (names: readonly string[]) => names.filter((name) => !mayHoldSecret(name));
  const keys = (...checks: readonly string[]) =>
    chosen(checks.flatMap((check) => (isMembers(document[check]) ? Object.keys(document[check]) : [])));
  const rows = (check: unknown) => (Array.isArray(check) ? (check as readonly unknown[]).filter(isMembers) : []);
  const cells = (check: unknown, ...members: readonly string[]) =>
    chosen(rows(check).flatMap((row) => members.map((member) => textOf(row[member]))));
  const { disks, docker, processes, systemd_services, users } = document;
  const places = rows(disks).map(({ disk }) => disk);
  const own = [
    ...[...keys('customchecks', 'windows_eventlog'), ...cells(docker, 'name'), ...cells(users, 'name', 'host')],
    ...cells(processes, 'username').flatMap((name) => name.split('\\')),
    ...cells(systemd_services, 'Name').map((name) => name.replace(/\.[a-z]+$/, '')),
    ...cells(places, 'mountpoint').flatMap((mountpoint) => mountpoint.split(/[/\\]/)),
  ];
  const devices = cells(places, 'device').map((device) => device.slice(device.lastIndexOf('/') + 1));
  const set = (all: readonly string[]) =>
    new Set(all.map((name) => name.replace(/^\//, '').toLowerCase()).filter((name) => name !== ''));
  return { devices: set([...keys('disk_io', 'net_io', 'net_stats'), ...devices]), own: set(own) };
}
