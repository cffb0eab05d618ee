import { textTable } from '../../common/text-table.ts';
import type { Daemon } from './daemons.ts';

/** Reads lines of `user | resident MiB | virtual MiB | share of work | nice | command`; 0 work and 0 nice are usual. */
export function daemonTable(lines: string): readonly Daemon[] {
  return textTable(lines).map(([user = '', resident = '', virtual = '', work = '', nice = '', command = '']) => {
    const daemon = { user, command, memoryMib: Number(resident), virtualMib: Number(virtual), nice: Number(nice) };
    return work === '0' ? daemon : { ...daemon, work: Number(work) };
  });
}

/** The same programs as another distribution runs them: texts of users, commands and units that differ there. */
export function adapted(daemons: readonly Daemon[], texts: Readonly<Record<string, string>>): readonly Daemon[] {
  const replaced = (text: string) => {
    return Object.entries(texts).reduce((so, [here, there]) => so.replaceAll(here, there), text);
  };
  return daemons.map((daemon) => {
    const own = { ...daemon, user: replaced(daemon.user), command: replaced(daemon.command) };
    const unit = daemon.unit && { unit: { ...daemon.unit, name: replaced(daemon.unit.name) } };
    const children = daemon.children && {
      children: daemon.children.map((child) => {
        return { ...child, user: replaced(child.user), command: replaced(child.command) };
      }),
    };
    return { ...own, ...unit, ...children };
  });
}
