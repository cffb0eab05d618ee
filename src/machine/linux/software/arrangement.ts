import type { Daemon } from '../data/daemons.ts';

/** Programs in the order of their start: the system's, then those of the host's role. */
export type Programs = { readonly system: readonly Daemon[]; readonly own: readonly Daemon[] };

/** A process: its program, its parent's place in the list (-1: none there), and the unit that runs it. */
export type Arranged = { readonly daemon: Daemon; readonly parent: number; readonly unit: string | undefined };

type Member = { readonly daemon: Daemon; readonly head: Daemon; readonly own: boolean; readonly pool: boolean };

/** About so many processes: pools are made longer on a large host, and a small one keeps what matters most. */
export function arrange({ system, own }: Programs, room: number): readonly Arranged[] {
  const members = [
    ...system.flatMap((daemon) => family(daemon, false)),
    ...own.flatMap((daemon) => family(daemon, true)),
  ];
  if (members.length > room) return placed(mostImportant(members, room));
  const pools = members.filter(({ pool }) => pool);
  const extra = Array.from({ length: pools.length === 0 ? 0 : room - members.length }, (_, index) => {
    return pools[index % pools.length] as Member;
  });
  return placed([...members, ...extra]);
}

function family(head: Daemon, own: boolean): readonly Member[] {
  const children = (head.children ?? []).map((daemon) => ({ daemon, head, own, pool: daemon.pool ?? false }));
  return [{ daemon: head, head, own, pool: false }, ...children];
}

/** What the host is there for comes first, then the agent, then what the former started, then the system. */
function mostImportant(members: readonly Member[], room: number): readonly Member[] {
  const rank = ({ daemon, head, own }: Member): number => {
    if (isAgent(daemon)) return 1;
    if (!own) return 3;
    return daemon === head ? 0 : 2;
  };
  const ranked = [...members].sort((a, b) => rank(a) - rank(b)).slice(0, room);
  const agent = members.filter(({ daemon }) => isAgent(daemon));
  const kept = ranked.some(({ daemon }) => isAgent(daemon)) ? ranked : [...ranked.slice(0, room - 1), ...agent];
  return members.filter((member) => kept.includes(member));
}

export function isAgent({ command }: Daemon): boolean {
  return command.includes('openitcockpit-agent');
}

function placed(members: readonly Member[]): readonly Arranged[] {
  return members.map(({ daemon, head }) => {
    const parent = daemon === head ? -1 : members.findIndex((other) => other.daemon === head);
    return { daemon, parent, unit: head.unit?.name };
  });
}
