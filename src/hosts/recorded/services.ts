import { type Cell, type Node, slot } from '../document/nodes.ts';
import { disruptionBy, takingDown } from '../host/failures.ts';
import type { Incident } from '../host/incident.ts';
import type { WithIdentities } from './identities.ts';
import type { Live, LiveCells, RecordedChecks, RecordedProcess, RecordedService } from './template.ts';

export type TroubledService = {
  readonly name: string;
  /** 0 if the system does not report it. */
  readonly pid: number;
  readonly causes: readonly Incident[];
  readonly running: Cell;
};

function nameOf({ Name, Label }: RecordedService): string {
  return String(Name ?? Label);
}

export function troubledServices(
  { systemd_services = [], launchd_services = [], windows_services = [] }: RecordedChecks,
  incidents: readonly Incident[],
  { filled }: LiveCells,
): readonly TroubledService[] {
  const services = [...systemd_services, ...launchd_services, ...windows_services];
  return services.flatMap((service) => {
    const name = nameOf(service);
    const pid = Number(service.Pid ?? 0);
    const causes = service.ActiveState === 'active' || pid > 0 ? takingDown(incidents, name) : [];
    if (causes.length === 0) return [];
    return [{ name, pid, causes, running: filled((host) => (disruptionBy(causes, host).down ? 0 : 1)) }];
  });
}

const MIN_STEM_CHARACTERS = 4;

/** Units do not list their processes, so a process belongs to a unit by its name. */
export function belongsTo({ pid, name }: RecordedProcess, service: TroubledService): boolean {
  if (service.pid > 0) return pid === service.pid;
  const stem = service.name.replace(/(@.*)?\.service$/, '');
  const program = name.replace(/:$/, '');
  if (program === stem || program === `${stem}d`) return true;
  return (
    program.length >= MIN_STEM_CHARACTERS &&
    (stem.startsWith(program) || (stem.length >= MIN_STEM_CHARACTERS && program.startsWith(stem)))
  );
}

/** What each system reports about a service that is down. */
const DOWN = {
  systemd_services: { ActiveState: 'failed', SubState: 'failed' },
  launchd_services: { IsRunning: false, Pid: 0 },
  windows_services: { Status: 'Stopped', Pid: 0 },
};

type ServicesInput = {
  readonly check: keyof typeof DOWN;
  readonly troubled: readonly TroubledService[];
  readonly own: WithIdentities;
  readonly pidOf: (pid: number) => Cell | undefined;
};

/** A check of services: as recorded, with the host's own PIDs, and identities in the names of devices. */
export function liveServices({ check, troubled, own, pidOf }: ServicesInput): Live {
  const service = (recorded: RecordedService): Live => {
    const pid = pidOf(Number(recorded.Pid ?? 0));
    const texts = { Name: own(String(recorded.Name ?? '')), Description: own(String(recorded.Description ?? '')) };
    const live = { ...texts, ...(pid !== undefined && { Pid: slot.integer(pid) }) };
    const running = troubled.find(({ name }) => name === nameOf(recorded))?.running;
    if (running === undefined) return live;
    const up: Readonly<Record<string, Node>> = { ...(recorded as { readonly [member: string]: Node }), ...live };
    const states = Object.entries(DOWN[check]).map(([name, down]) => [
      name,
      slot.either(running, [down, up[name] ?? null]),
    ]);
    return { ...live, ...Object.fromEntries(states) };
  };
  return { '*': service };
}
