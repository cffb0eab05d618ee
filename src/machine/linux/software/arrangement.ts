import { shareOf } from '../../common/draws.ts';
import type { Child, Daemon, PoolLimit, Service } from '../data/daemon-table.ts';

/** Services in the order of their start: the system's, those that guests need, then those of the host's role. */
export type Services = {
  readonly system: readonly Service[];
  readonly guests: readonly Service[];
  readonly own: readonly Service[];
};

/** A process: its program, its parent's place in the list (-1: none there), and the service that it belongs to. */
export type Arranged = { readonly daemon: Daemon; readonly parent: number; readonly service: Service };

export type Room = {
  /** About so many processes. */
  readonly processes: number;
  readonly cores: number;
  readonly gib: number;
};

type Member = { readonly daemon: Daemon; readonly service: Service; readonly own: boolean };

/** A large host has longer pools, as far as its cores and memory allow; a small one keeps what matters most. */
export function arrange({ system, guests, own }: Services, room: Room): readonly Arranged[] {
  const members = [
    ...system.flatMap((service) => family(service, false)),
    ...[...guests, ...own].flatMap((service) => family(service, true)),
  ];
  const missing = room.processes - members.reduce((sum, { service }) => sum + likelihood(service), 0);
  if (missing >= 0) return placed([...members, ...furtherOf(own, missing, room)]);
  return placed(mostImportant(members, room.processes, new Set(guests)));
}

/** Processes of hosts that may not have them count in part. */
export function likelihood({ draw }: Service): number {
  return shareOf(draw);
}

function family(service: Service, own: boolean): readonly Member[] {
  const children = service.children.map((child) => ({ daemon: numbered(child, 1), service, own }));
  return [{ daemon: service, service, own }, ...children];
}

/** More of the pools, in turn, until there are enough or no pool may be longer. */
function furtherOf(services: readonly Service[], missing: number, room: Room): readonly Member[] {
  const pools = services.flatMap((service) => {
    return service.children.flatMap((child) => {
      return child.pool === undefined ? [] : [{ service, child, most: longestPool(child.pool, room) }];
    });
  });
  const further: Member[] = [];
  for (let turn = 2; further.length < missing; turn++) {
    const open = pools.filter(({ most }) => turn <= most);
    if (open.length === 0) break;
    for (const { service, child } of open) further.push({ daemon: numbered(child, turn), service, own: true });
  }
  return further.slice(0, Math.max(0, Math.round(missing)));
}

function longestPool({ perCore, perGib, most }: PoolLimit, { cores, gib }: Room): number {
  return Math.min(most, perCore * cores, perGib * gib);
}

/** Each child of a pool has arguments of its own. */
function numbered(child: Child, number: number): Daemon {
  return { ...child, command: child.command.replaceAll('{i}', String(number)) };
}

/**
 * What the host is there for comes first, then the agent, then what the former started, then the system: of what only
 * some hosts have twice the share of what all have, so that short lists differ, too. What guests need is always there.
 */
function mostImportant(members: readonly Member[], room: number, guests: ReadonlySet<Service>): readonly Member[] {
  const system = members.filter(({ own }) => !own);
  const [drawn, usual] = [true, false].map((it) => system.filter(({ service }) => (service.draw !== undefined) === it));
  const rank = (member: Member): number => {
    const { daemon, service, own } = member;
    if (isAgent(daemon)) return 1;
    if (own) return daemon === service ? 0 : 2;
    const kind = (service.draw === undefined ? usual : drawn) ?? [];
    return 3 + kind.indexOf(member) / kind.length / (service.draw === undefined ? 1 : 2);
  };
  const kept = new Set<Member>();
  let taken = 0;
  for (const member of [...members].sort((a, b) => rank(a) - rank(b))) {
    if (taken >= room && !isAgent(member.daemon) && !guests.has(member.service)) continue;
    kept.add(member);
    taken += likelihood(member.service);
  }
  // A process that its service has not started would hang in the air.
  const heads = new Set([...kept].map(({ daemon }) => daemon));
  return members.filter((member) => kept.has(member) && heads.has(member.service));
}

export function isAgent({ command }: Daemon): boolean {
  return command.includes('openitcockpit-agent');
}

function placed(members: readonly Member[]): readonly Arranged[] {
  return members.map(({ daemon, service }) => {
    const parent = daemon === service ? -1 : members.findIndex((other) => other.daemon === service);
    return { daemon, parent, service };
  });
}
