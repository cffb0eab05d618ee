import { hash32 } from '../../ground/kernel/random.ts';
import { type Cell, type Cells, type CellValues, type Node, type Optional, slot, valueAt } from '../document/nodes.ts';
import type { Fill, Part } from '../host/part.ts';
import { binPath, type HostServices, type Wake, type WindowsService } from '../host/windows/services.ts';
import type { Session } from './users.ts';

type WindowsServicesInput = HostServices & {
  readonly session: Session | undefined;
  /** Returns the cell with the PID of a service's process. */
  readonly pidOf: (line: WindowsService) => Cell | undefined;
  /** Texts with the versions of programs that update themselves. */
  readonly textOf: (pattern: string) => Node;
};

/** The check `windows_services`: every service with its PID, ordered by name. */
export function windowsServicesCheck(input: WindowsServicesInput, cells: Cells): Part {
  const entries: Named[] = [];
  const fills: Fill[] = [];
  const wakes = new Map([...input.stops, ...input.wakes].map((wake) => [wake.line, wake]));
  for (const line of input.services) {
    const wake = wakes.get(line);
    if (wake === undefined) entries.push({ name: line.name, node: plainEntry(line, input) });
    else {
      const shown = cells.one();
      entries.push({ name: line.name, node: wakingEntry(line, { wake, shown }, input) });
      fills.push(shownPid(wake, shown, input.pidOf(line)));
    }
  }
  for (const one of input.installed) {
    const { line, present, causes } = one;
    const shown = cells.one();
    const node = causes.length === 0 ? plainEntry(line, input) : wakingEntry(line, { wake: one, shown }, input);
    entries.push({ name: line.name, node: slot.optional(present, node) });
    if (causes.length > 0) fills.push(shownPid(one, shown, input.pidOf(line)));
  }
  for (const line of input.userServices) {
    entries.push({
      name: line.name,
      node: serviceNode(line, { status: 'Stopped', pid: 0, path: input.textOf(binPath(line)) }),
    });
    if (input.session !== undefined)
      entries.push({ name: `${line.name}_`, node: instance(line, input.session, input) });
  }
  entries.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  return {
    node: entries.map(({ node }) => node),
    fill: (frame, host) => {
      for (const fill of fills) fill(frame, host);
    },
  };
}

type Named = { readonly name: string; readonly node: Node | Optional };

type State = { readonly status: Node; readonly pid: Node; readonly path: Node };

function plainEntry(line: WindowsService, { pidOf, textOf }: WindowsServicesInput): Node {
  const pid = line.state === 'runs' ? pidOf(line) : undefined;
  const path = textOf(binPath(line));
  const state = pid === undefined ? { status: 'Stopped', pid: 0 } : { status: 'Running', pid: slot.integer(pid) };
  return serviceNode(line, { ...state, path });
}

type Waking = { readonly wake: Wake; readonly shown: Cell };

function wakingEntry(line: WindowsService, { wake, shown }: Waking, { textOf }: WindowsServicesInput): Node {
  const status = slot.either(wake.awake, ['Stopped', 'Running']);
  return serviceNode(line, { status, pid: slot.integer(shown), path: textOf(binPath(line)) });
}

function shownPid({ awake }: Wake, shown: Cell, pid: Cell | undefined): Fill {
  return (frame: CellValues) => {
    frame[shown] = pid !== undefined && frame[awake] === 1 ? valueAt(frame, pid) : 0;
  };
}

/** A user's instance of a service, whose names end in the number of the sign-in. */
function instance(line: WindowsService, { present, luid }: Session, input: WindowsServicesInput): Optional {
  const own = plainEntry(line, input) as { readonly [key: string]: Node };
  const marked = (name: string) => slot.text(name, '_', slot.integer(luid));
  return slot.optional(present, { ...own, DisplayName: marked(line.display), Name: marked(line.name) });
}

function serviceNode(line: WindowsService, { status, pid, path }: State): Node {
  return {
    DisplayName: line.display,
    BinPath: path,
    StartType: line.start,
    Status: status,
    Pid: pid,
    Name: line.name,
    Description: description(line),
  };
}

/** Second part of a description: the consequences of stopping the service. Half of the real descriptions have one. */
const CONSEQUENCES = [
  '',
  'While it is stopped, programs that need it wait or report errors.',
  'Where it is disabled, everything that depends on it does not start either.',
  'Stopping it saves a little memory, but features of the system go missing until it is started again.',
  'It is started by the system when it is first asked for, and stops again when there is nothing left to do.',
  'Administrators may set another way of starting; the change takes effect when the machine starts the next time.',
  'It works on behalf of other parts of the system and has no settings of its own. Where it is disabled, these parts fall back to simpler ways or fail.',
];

function description({ name, about }: WindowsService): string {
  const consequence = CONSEQUENCES[hash32(0, `service.consequence.${name}`) % CONSEQUENCES.length] ?? '';
  return consequence === '' ? about : `${about}. ${consequence}`;
}
