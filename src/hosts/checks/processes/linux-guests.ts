import { MIB } from '../../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  nth,
  slot,
  type Text,
  valueAt,
} from '../../document/nodes.ts';
import { type Container, type ContainerService, type Containers, containerKey } from '../../host/containers.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Distribution } from '../../host/linux/distribution.ts';
import {
  MONITOR_MIB,
  machineKey,
  PROXY_MIB,
  SHIM_MIB,
  type VirtualMachine,
  type VirtualMachines,
} from '../../host/linux/guests.ts';
import { lifeAt, type ServiceState } from '../../host/linux/software.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { scramble, unit } from '../../host/noise.ts';
import type { Fill } from '../../host/part.ts';
import type { Listed, ProcessList } from './common.ts';
import { listedAt, memoryTenths, type PosixProgram, type ProcessTable, processTable } from './posix.ts';

type ContainerProcessesInput = {
  readonly containers: Containers;
  readonly memory: HostMemory;
  readonly firstPid: number;
  /** The engine's process and its service state. Proxies of ports are its children and end with it. */
  readonly engine: { readonly pid: Cell | undefined; readonly state: ServiceState | undefined };
};

/** PIDs of each container. Its successive lives use them in turns. */
export const PIDS_OF_A_CONTAINER = 256;

const TURNS = 8;
const PIDS_OF_A_TURN = PIDS_OF_A_CONTAINER / TURNS;
/** PIDs within a turn: the proxies, which restart with the engine, the shim, and the processes inside. */
const PROXY_LIVES = 4;
const PIDS_OF_PROXIES = 4;
const SHIM_PID = PROXY_LIVES * PIDS_OF_PROXIES;
/** Digits of a container ID after the ten that the check reports. */
const ID_WIDTHS = [6, 8, 8, 8, 8, 8, 8];
const SHIM = { user: 'root', command: '/usr/bin/containerd-shim-runc-v2', virtualMib: 1208 };
const MONITOR = { user: 'root', command: '/usr/bin/conmon', virtualMib: 9 };
const PROXY = { user: 'root', command: '/usr/bin/docker-proxy', virtualMib: 1701 };

/** Processes for containers: a shim for each, the container's processes below it, and proxies of published ports. */
export function containerProcesses(input: ContainerProcessesInput, cells: Cells): ProcessList {
  const { containers, engine } = input;
  let count = 0;
  const rows = containers.list.map((container) => {
    const row = containerRow(containers, container, cells);
    const first = count;
    count += row.proxies + 1 + row.inside.length;
    return { ...row, first };
  });
  const table = processTable(count, cells);
  const listed: readonly Listed[] = rows.flatMap((one) => [
    ...proxies(one, table, engine.pid),
    listedAt(table, one.first + one.proxies, containers.engine === 'podman' ? monitor(one, containers) : shim(one)),
    ...insiders(one, table),
  ]);
  const fill: Fill = (frame, host) => {
    for (const one of rows) {
      const answers = engine.state?.running === undefined ? 1 : valueAt(frame, engine.state.running);
      frame[one.proxied] = Math.min(answers, valueAt(frame, one.container.running));
      if (frame[one.container.running] === 0) continue;
      fillOutside(frame, one, { input, table, host });
      fillInside(frame, one, { input, table, host });
    }
  };
  return { listed, fill };
}

/** The processes of one container from `first` in the table: proxies, a shim or monitor, and those inside, each with its share of the container. */
type ContainerRows = ReturnType<typeof containerRow> & { readonly first: number };

function containerRow({ engine }: Containers, container: Container, cells: Cells) {
  const { main, children, ports }: ContainerService = container.service;
  const inside = [main, ...children];
  const shares = (figure: 'memoryMib' | 'work') => {
    const sum = inside.reduce((whole, process) => whole + process[figure], 0);
    return Float64Array.from(inside, (process) => process[figure] / sum);
  };
  return {
    container,
    proxies: engine === 'podman' ? 0 : ports.length,
    inside,
    memory: shares('memoryMib'),
    work: shares('work'),
    /** Holds 0 while there are no proxies. */
    proxied: cells.one(),
    id: cells.list(ID_WIDTHS.length),
    port: cells.one(),
  };
}

type Entry = Readonly<Record<'ppid' | 'cpu', Node>> & {
  readonly daemon: PosixProgram;
  readonly present: Cell;
  readonly cmdline?: Node;
};

function proxies(
  { container, first, proxies: count, proxied }: ContainerRows,
  table: ProcessTable,
  engine: Cell | undefined,
): readonly Listed[] {
  const { service, index } = container;
  const address = `172.18.${(index + 2) >> 8}.${(index + 2) & 0xff}`;
  return service.ports.slice(0, count).map((port, i) => {
    const to = `-container-ip ${address} -container-port ${port.container}`;
    const cmdline = `${PROXY.command} -proto tcp -host-ip 0.0.0.0 -host-port ${port.host} ${to}`;
    const ppid = engine === undefined ? 1 : slot.integer(engine);
    return listedAt(table, first + i, { daemon: PROXY, present: proxied, ppid, cpu: 0, cmdline });
  });
}

function wholeId({ container, id }: ContainerRows): Text['parts'] {
  const rest: Text['parts'] = ID_WIDTHS.map((width, i) => slot.hex(id[i] as Cell, width));
  return [slot.hex(container.id, 8), slot.hex(container.idEnd, 2), ...rest];
}

/** The process as Podman starts it, without its exit command. */
function monitor(one: ContainerRows, { project, projects }: Containers): Entry {
  const { service, running: present } = one.container;
  const id = wholeId(one);
  const userdata = '/var/lib/containers/storage/overlay-containers/';
  const running = '/run/containers/storage/overlay-containers/';
  const cmdline = slot.text(
    ...[`${MONITOR.command} --api-version 1 -c `, ...id, ' -u ', ...id, ` -r /usr/bin/crun -b ${userdata}`, ...id],
    ...[`/userdata -p ${running}`, ...id, '/userdata/pidfile -n ', slot.word(project, projects)],
    ...[`_${service.name}_${service.replica} --exit-dir /run/libpod/exits --persist-dir /run/libpod/persist/`, ...id],
    ...[' --full-attach -s -l journald --log-level warning --syslog', ` --conmon-pidfile ${running}`, ...id],
    '/userdata/conmon.pid',
  );
  return { daemon: MONITOR, present, ppid: 1, cpu: 0, cmdline };
}

function shim(one: ContainerRows): Entry {
  const id = wholeId(one);
  const cmdline = slot.text(
    ...[`${SHIM.command} -namespace moby -id `, ...id, ' -address /run/containerd/containerd.sock'],
  );
  return { daemon: SHIM, present: one.container.running, ppid: 1, cpu: 0, cmdline };
}

function insiders({ container, first, proxies, inside, port }: ContainerRows, table: ProcessTable): readonly Listed[] {
  const shim = first + proxies;
  return inside.map((daemon, i) => {
    const index = shim + 1 + i;
    const ppid = slot.integer(nth(table.pid, i === 0 ? shim : shim + 1));
    const cpu = daemon.work === 0 ? 0 : slot.tenths(nth(table.cpu, index));
    const [head = '', tail] = daemon.command.split('{p}');
    const cmdline = tail === undefined ? daemon.command : slot.text(head, slot.integer(port), tail);
    return listedAt(table, index, { daemon, present: container.running, ppid, cpu, cmdline });
  });
}

/** Ports of clients: most of Linux's ephemeral ones (`ip_local_port_range`). */
const FIRST_PORT = 32_768;
const PORTS = 28_000;

type Filling = { readonly input: ContainerProcessesInput; readonly table: ProcessTable; readonly host: HostState };

/** The numbers of all processes, and the memory of those outside of the container. */
function fillOutside(frame: CellValues, one: ContainerRows, { input, table, host }: Filling): void {
  const { container, first, proxies, inside, id } = one;
  const turn = valueAt(frame, container.turn);
  const key = containerKey(host, container.index);
  const round = (turn + Math.floor(TURNS * unit(host.bootKey, ~container.index))) % TURNS;
  const pid = input.firstPid + PIDS_OF_A_CONTAINER * container.index + PIDS_OF_A_TURN * round;
  const life = lifeAt(frame, input.engine.state) % PROXY_LIVES;
  for (let i = 0; i < proxies; i++) frame[nth(table.pid, first + i)] = pid + PIDS_OF_PROXIES * life + i;
  for (let i = 0; i <= inside.length; i++) frame[nth(table.pid, first + proxies + i)] = pid + SHIM_PID + i;
  frame[one.port] = FIRST_PORT + (scramble(key - 2, turn) % PORTS);
  for (let i = 0; i < id.length; i++) {
    frame[id[i] as Cell] = scramble(key + 6 + i, turn) % 16 ** (ID_WIDTHS[i] as number);
  }
  const scale = MIB * valueAt(frame, input.containers.scale);
  const headMib = input.containers.engine === 'podman' ? MONITOR_MIB : SHIM_MIB;
  for (let i = 0; i <= proxies; i++) {
    const rss = pages((i === proxies ? headMib : PROXY_MIB) * scale * (0.8 + 0.2 * unit(key - 1, i)));
    frame[nth(table.rss, first + i)] = rss;
    frame[nth(table.memory, first + i)] = memoryTenths(rss, valueAt(frame, input.memory.total));
  }
}

/** The main process gets what its children leave, so that the sum matches the container to the page. */
function fillInside(frame: CellValues, one: ContainerRows, { input, table }: Filling): void {
  const { container, inside, memory, work } = one;
  const first = one.first + one.proxies + 1;
  const total = valueAt(frame, input.memory.total);
  const containerRss = valueAt(frame, container.memory);
  const containerTenths = Math.floor(10 * valueAt(frame, container.cpu));
  let [restRss, restTenths] = [containerRss, containerTenths];
  for (let i = inside.length - 1; i >= 0; i--) {
    const rss = i === 0 ? restRss : pages(containerRss * (memory[i] as number));
    const cpu = i === 0 ? restTenths : Math.floor(containerTenths * (work[i] as number));
    restRss -= rss;
    restTenths -= cpu;
    frame[nth(table.rss, first + i)] = rss;
    frame[nth(table.memory, first + i)] = memoryTenths(rss, total);
    frame[nth(table.cpu, first + i)] = cpu;
  }
}

type MachineProcessesInput = {
  readonly machines: VirtualMachines;
  readonly distribution: Distribution;
  readonly memory: HostMemory;
  readonly cores: number;
  readonly firstPid: number;
};

/** PIDs of each machine, for its successive starts. */
export const PIDS_OF_A_MACHINE = 64;

const BESIDE_BYTES = 3100 * MIB;

export function machineProcesses(
  { machines, distribution, memory, cores, firstPid }: MachineProcessesInput,
  cells: Cells,
): ProcessList {
  const { list } = machines;
  const table = processTable(list.length, cells);
  const macs = list.map(() => cells.list(3));
  const spaces = cells.column(list.length);
  const listed = list.map((machine, index): Listed => {
    const { program, user } = distribution.hypervisor;
    const mac = macs[index] ?? [];
    const commands = machine.names.map((name) => commandLine(program, name, { machine, mac }));
    return listedAt(table, index, {
      present: machine.row.running,
      ppid: 1,
      daemon: { user, command: program, virtualMib: 0 },
      vms: slot.integer(nth(spaces, index)),
      cmdline: slot.either(machine.row.name, commands),
      cpu: slot.tenths(nth(table.cpu, index)),
    });
  });
  const fill: Fill = (frame, host) => {
    const total = valueAt(frame, memory.total);
    for (const [i, { row }] of list.entries()) {
      const rss = 1024 * valueAt(frame, row.rssKib);
      const start = valueAt(frame, row.spell) + Math.floor(PIDS_OF_A_MACHINE * unit(host.bootKey, ~i));
      for (const [byte, cell] of (macs[i] ?? []).entries())
        frame[cell] = scramble(machineKey(host, i) + 4, byte) & 0xff;
      frame[nth(table.pid, i)] = firstPid + PIDS_OF_A_MACHINE * i + (start % PIDS_OF_A_MACHINE);
      frame[nth(table.rss, i)] = rss;
      frame[nth(spaces, i)] = 1024 * valueAt(frame, row.totalKib) + BESIDE_BYTES;
      frame[nth(table.memory, i)] = memoryTenths(rss, total);
      frame[nth(table.cpu, i)] = Math.floor(10 * cores * valueAt(frame, row.hostPercent));
    }
  };
  return { listed, fill };
}

type Own = { readonly machine: VirtualMachine; readonly mac: readonly Cell[] };

/** The command line that libvirt starts it with, without most of its devices. */
function commandLine(program: string, name: string, { machine, mac }: Own): Text {
  const { index, row, uuid } = machine;
  const domain = `/var/lib/libvirt/qemu/domain-${index + 1}-${name}`;
  const card: Text['parts'] = mac.flatMap((byte) => [':', slot.hex(byte, 2)]);
  const secret = `{"qom-type":"secret","id":"masterKey0","format":"raw","file":"${domain}/master-key.aes"}`;
  const disk = `{"driver":"file","filename":"/var/lib/libvirt/images/${name}.qcow2","node-name":"libvirt-1-storage","read-only":false}`;
  return slot.text(
    `${program} -name guest=${name},debug-threads=on -S -object ${secret} -machine q35,usb=off,dump-guest-core=off -accel kvm -cpu host -m size=`,
    ...[slot.integer(row.totalKib), 'k -overcommit mem-lock=off -smp ', slot.integer(row.processors), ',sockets='],
    ...[slot.integer(row.processors), ',cores=1,threads=1 -uuid ', ...uuid],
    ` -no-user-config -nodefaults -chardev socket,id=charmonitor,path=${domain}/monitor.sock,server=on,wait=off -mon chardev=charmonitor,id=monitor,mode=control -rtc base=utc -no-shutdown -boot strict=on -blockdev ${disk} -netdev tap,fd=${33 + index},id=hostnet0,vhost=on -device virtio-net-pci,netdev=hostnet0,id=net0,mac=52:54:00`,
    ...[...card, ' -msg timestamp=on'],
  );
}
