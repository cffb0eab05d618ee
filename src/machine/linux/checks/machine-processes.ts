import type { HostMemory } from '../../common/memory.ts';
import { type Cell, type Cells, nth, valueAt } from '../../document/cells.ts';
import { either, hex, integer, type Optional, optional, type Text, tenths, text } from '../../document/nodes.ts';
import type { Fill } from '../../part.ts';
import { memoryTenths, processNode, processTable, rowOf } from '../../posix/process-entry.ts';
import { scramble, unit } from '../../time/noise.ts';
import type { Hypervisor } from '../data/hypervisors.ts';
import { machineKey, type VirtualMachine, type VirtualMachines } from '../software/virtual-machines.ts';

export type MachineProcessesInput = {
  readonly machines: VirtualMachines;
  readonly hypervisor: Hypervisor;
  readonly memory: HostMemory;
  readonly cores: number;
  readonly firstPid: number;
};

/** Each machine has so many numbers for the times that it was started. */
export const PIDS_OF_A_MACHINE = 64;
/** Address space beyond a machine's own memory. */
const VIRTUAL_MIB = 6100;

/** One process for each virtual machine that runs. */
export function machineProcesses(
  { machines, hypervisor, memory, cores, firstPid }: MachineProcessesInput,
  cells: Cells,
) {
  const { list } = machines;
  const table = processTable(list.length, cells);
  const macs = list.map(() => cells.list(3));
  const nodes = list.map((machine, place): Optional => {
    const row = rowOf(table, place);
    const { program, user } = hypervisor;
    const node = processNode({
      pid: integer(row.pid),
      ppid: 1,
      daemon: { user, command: program, virtualMib: VIRTUAL_MIB },
      cmdline: either(
        machine.row.name,
        machine.names.map((name) => commandLine(program, name, { machine, mac: macs[place] ?? [] })),
      ),
      cpu: tenths(row.cpu),
      memory: tenths(row.memory),
      rss: integer(row.rss),
    });
    return optional(machine.row.running, node);
  });
  const fill: Fill = (frame, moment) => {
    const total = valueAt(frame, memory.total);
    for (let i = 0; i < list.length; i++) {
      const { row } = list[i] as VirtualMachine;
      const rss = 1024 * valueAt(frame, row.rssKib);
      const start = valueAt(frame, row.spell) + Math.floor(PIDS_OF_A_MACHINE * unit(moment.bootKey, ~i));
      for (const [byte, cell] of (macs[i] ?? []).entries())
        frame[cell] = scramble(machineKey(moment, i) + 4, byte) & 0xff;
      frame[nth(table.pid, i)] = firstPid + PIDS_OF_A_MACHINE * i + (start % PIDS_OF_A_MACHINE);
      frame[nth(table.rss, i)] = rss;
      frame[nth(table.memory, i)] = memoryTenths(rss, total);
      frame[nth(table.cpu, i)] = Math.floor(10 * cores * valueAt(frame, row.hostPercent));
    }
  };
  return { nodes, fill };
}

type Own = { readonly machine: VirtualMachine; readonly mac: readonly Cell[] };

/** As libvirt starts it, without most of its devices. */
function commandLine(program: string, name: string, { machine, mac }: Own): Text {
  const { index, row, uuid } = machine;
  const domain = `/var/lib/libvirt/qemu/domain-${index + 1}-${name}`;
  const card: Text['parts'] = mac.flatMap((byte) => [':', hex(byte, 2)]);
  const secret = `{"qom-type":"secret","id":"masterKey0","format":"raw","file":"${domain}/master-key.aes"}`;
  const disk = `{"driver":"file","filename":"/var/lib/libvirt/images/${name}.qcow2","node-name":"libvirt-1-storage","read-only":false}`;
  return text(
    `${program} -name guest=${name},debug-threads=on -S -object ${secret} -machine q35,usb=off,dump-guest-core=off -accel kvm -cpu host -m size=`,
    ...[integer(row.totalKib), 'k -overcommit mem-lock=off -smp ', integer(row.processors), ',sockets='],
    ...[integer(row.processors), ',cores=1,threads=1 -uuid ', ...uuid],
    ` -no-user-config -nodefaults -chardev socket,id=charmonitor,path=${domain}/monitor.sock,server=on,wait=off -mon chardev=charmonitor,id=monitor,mode=control -rtc base=utc -no-shutdown -boot strict=on -blockdev ${disk} -netdev tap,fd=${33 + index},id=hostnet0,vhost=on -device virtio-net-pci,netdev=hostnet0,id=net0,mac=52:54:00`,
    ...[...card, ' -msg timestamp=on'],
  );
}
