import { type Cell, type Cells, either, integer, type Node, valueAt } from '../document/nodes.ts';
import { disruptionBy, takingDown } from '../host/failures.ts';
import type { Incident } from '../host/incident.ts';
import { type Fill, inTurn, type Part } from '../host/part.ts';
import { fitted } from './fitting.ts';
import type { OwnIdentities } from './identities.ts';
import { type RecordedCheckdata, type RecordedProcess, type RecordedValue, told } from './shapes.ts';

/** The states of services that incidents may stop: systemd units, launchd jobs and Windows services, with their processes. */
export type TroubledServices = {
  /** Returns the cell that is 0 while the service is down, or `undefined` if it always runs. */
  readonly ofService: (name: string) => Cell | undefined;
  readonly ofProcess: (process: RecordedProcess) => Cell | undefined;
  readonly causesOf: (process: RecordedProcess) => readonly Incident[];
  readonly fill: Fill;
};

type Troubled = {
  readonly name: string;
  readonly causes: readonly Incident[];
  readonly running: Cell;
  readonly pid: number;
};

export function serviceStates(
  document: RecordedCheckdata,
  incidents: readonly Incident[],
  cells: Cells,
): TroubledServices {
  const troubled = runningServices(document).flatMap(({ name, pid }): readonly Troubled[] => {
    const causes = takingDown(incidents, name);
    return causes.length === 0 ? [] : [{ name, pid, causes, running: cells.one() }];
  });
  const around = (process: RecordedProcess) => troubled.find((service) => belongsTo(process, service));
  return {
    ofService: (name) => troubled.find((service) => service.name === name)?.running,
    ofProcess: (process) => around(process)?.running,
    causesOf: (process) => around(process)?.causes ?? [],
    fill: (frame, host) => {
      for (const { causes, running } of troubled) frame[running] = disruptionBy(causes, host).down ? 0 : 1;
    },
  };
}

/** Running services with their PIDs; 0 if the system does not report them. */
function runningServices(document: RecordedCheckdata): readonly { readonly name: string; readonly pid: number }[] {
  const units = told(document.systemd_services) ?? [];
  const jobs = told(document.launchd_services ?? undefined) ?? [];
  const services = told(document.windows_services) ?? [];
  return [
    ...units.filter(({ ActiveState }) => ActiveState === 'active').map(({ Name: name }) => ({ name, pid: 0 })),
    ...jobs.filter(({ Pid }) => Pid > 0).map(({ Label: name, Pid: pid }) => ({ name, pid })),
    ...services.filter(({ Pid }) => Pid > 0).map(({ Name: name, Pid: pid }) => ({ name, pid })),
  ];
}

const SHORTEST_STEM = 4;

/** Units do not list their processes, so a process belongs to a unit by its name. */
function belongsTo({ pid, name }: RecordedProcess, service: Troubled): boolean {
  if (service.pid > 0) return pid === service.pid;
  const stem = service.name.replace(/(@.*)?\.service$/, '');
  const program = name.replace(/:$/, '');
  if (program === stem || program === `${stem}d`) return true;
  return (
    program.length >= SHORTEST_STEM &&
    (stem.startsWith(program) || (stem.length >= SHORTEST_STEM && program.startsWith(stem)))
  );
}

type ServicesInput = {
  readonly document: RecordedCheckdata;
  readonly states: TroubledServices;
  readonly identities: OwnIdentities;
  readonly pidOf: (pid: number) => Cell | undefined;
};

/** The check `systemd_services`: as recorded, with the host's own identities in the names of devices. */
export function recordedUnits({ document, states, identities }: ServicesInput): Node {
  const units = (told(document.systemd_services) ?? []) as readonly { readonly [key: string]: string }[];
  return units.map((unit) => {
    const { Name = '', Description = '' } = unit;
    const running = states.ofService(Name);
    return fitted(unit, {
      Name: identities.told(Name),
      Description: identities.told(Description),
      ...(running !== undefined && {
        ActiveState: either(running, ['failed', unit.ActiveState ?? '']),
        SubState: either(running, ['failed', unit.SubState ?? '']),
      }),
    }) as Node;
  });
}

/** The check `launchd_services`: as recorded, with the host's own PIDs. */
export function recordedJobs(input: ServicesInput, cells: Cells): Part {
  const fills: Fill[] = [];
  const jobs = (told(input.document.launchd_services ?? undefined) ?? []) as readonly Job[];
  const node = jobs.map((job) => {
    const pid = input.pidOf(job.Pid);
    if (job.Pid === 0 || pid === undefined) return job;
    const running = input.states.ofService(job.Label);
    if (running === undefined) return fitted(job, { Pid: integer(pid) }) as Node;
    const shown = shownPid({ running, pid, fills }, cells);
    return fitted(job, { IsRunning: either(running, [false, true]), Pid: shown }) as Node;
  });
  return { node, fill: inTurn(fills) };
}

type Job = { readonly [key: string]: RecordedValue } & { readonly Label: string; readonly Pid: number };
type Service = { readonly [key: string]: RecordedValue } & { readonly Name: string; readonly Pid: number };

/** The check `windows_services`: as recorded, with the host's own PIDs. */
export function recordedServices(input: ServicesInput, cells: Cells): Part {
  const fills: Fill[] = [];
  const services = (told(input.document.windows_services) ?? []) as readonly Service[];
  const node = services.map((service) => {
    const pid = input.pidOf(service.Pid);
    if (service.Pid === 0 || pid === undefined) return service;
    const running = input.states.ofService(service.Name);
    if (running === undefined) return fitted(service, { Pid: integer(pid) }) as Node;
    const shown = shownPid({ running, pid, fills }, cells);
    return fitted(service, { Status: either(running, ['Stopped', service.Status as string]), Pid: shown }) as Node;
  });
  return { node, fill: inTurn(fills) };
}

type Shown = { readonly running: Cell; readonly pid: Cell; readonly fills: Fill[] };

/** The PID of a process; 0 while it is absent. Filled after the processes. */
function shownPid({ running, pid, fills }: Shown, cells: Cells): Node {
  const shown = cells.one();
  fills.push((frame) => {
    frame[shown] = frame[running] === 0 ? 0 : valueAt(frame, pid);
  });
  return integer(shown);
}
