import { hash32 } from '../../base/kernel/random.ts';
import { type Cell, type Cells, type CellValues, type Node, type Optional, slot, valueAt } from '../document/nodes.ts';
import { type Fill, inTurn, type Part } from '../host/part.ts';
import { binPath, type HostServices, type Wake, type WindowsService } from '../host/windows/services.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';
import type { Session } from './users.ts';

type WindowsServicesInput = HostServices & {
  readonly data: HostTables;
  readonly session: Session | undefined;
  readonly pidOf: (line: WindowsService) => Cell | undefined;
  /** Texts with the versions of programs that update themselves. */
  readonly textOf: (pattern: string) => Node;
};

/** The check `windows_services`: every service with its PID, ordered by name. */
export function windowsServicesCheck(input: WindowsServicesInput, cells: Cells): Part {
  const entries: Named[] = [];
  const fills: Fill[] = [];
  const wakes = new Map([...input.stops, ...input.wakes].map((wake) => [wake.line, wake]));
  const entryOf = (line: WindowsService, wake: Wake | undefined): Node => {
    if (wake === undefined) return plainEntry(line, input);
    const pid = cells.one();
    fills.push(pidFill(wake, pid, input.pidOf(line)));
    const status = slot.either(wake.awake, ['Stopped', 'Running']);
    return serviceNode(line, { status, pid: slot.integer(pid) }, input);
  };
  for (const line of input.services) entries.push({ name: line.name, node: entryOf(line, wakes.get(line)) });
  for (const one of input.installed) {
    const node = entryOf(one.line, one.causes.length === 0 ? undefined : one);
    entries.push({ name: one.line.name, node: slot.optional(one.present, node) });
  }
  for (const line of input.userServices) {
    entries.push({ name: line.name, node: serviceNode(line, STOPPED, input) });
    const { session } = input;
    if (session !== undefined) entries.push({ name: `${line.name}_`, node: instance(line, session, input) });
  }
  entries.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  return { node: entries.map(({ node }) => node), fill: inTurn(fills) };
}

type Named = { readonly name: string; readonly node: Node | Optional };

type State = { readonly status: Node; readonly pid: Node };

function plainEntry(line: WindowsService, input: WindowsServicesInput): Node {
  const pid = line.state === 'runs' ? input.pidOf(line) : undefined;
  return serviceNode(line, pid === undefined ? STOPPED : { status: 'Running', pid: slot.integer(pid) }, input);
}

function pidFill({ awake }: Wake, reported: Cell, pid: Cell | undefined): Fill {
  return (frame: CellValues) => {
    frame[reported] = pid !== undefined && frame[awake] === 1 ? valueAt(frame, pid) : 0;
  };
}

/** A user's instance of a service, whose names end in the number of the sign-in. */
function instance(line: WindowsService, { present, luid }: Session, input: WindowsServicesInput): Node | Optional {
  const own = plainEntry(line, input) as { readonly [key: string]: Node };
  const marked = (name: string) => slot.text(name, '_', slot.integer(luid));
  return slot.optional(present, { ...own, DisplayName: marked(line.display), Name: marked(line.name) });
}

const STOPPED: State = { status: 'Stopped', pid: 0 };

function serviceNode(line: WindowsService, { status, pid }: State, { data, textOf }: WindowsServicesInput): Node {
  return {
    DisplayName: line.display,
    BinPath: textOf(binPath(line)),
    StartType: line.start,
    Status: status,
    Pid: pid,
    Name: line.name,
    Description: description(line, data),
  };
}

/** Second part of a description: the consequences of stopping the service. Half of the real descriptions have one. */
const consequencesOf = oncePerData((data) => {
  return readTable(data, 'services/windows-consequences.tsv', { consequence: column.orEmpty(column.text) });
});

function description({ name, about }: WindowsService, data: HostTables): string {
  const all = consequencesOf(data);
  const { consequence } = all[hash32(0, `service.consequence.${name}`) % all.length] ?? {};
  return consequence === undefined ? about : `${about}. ${consequence}`;
}
