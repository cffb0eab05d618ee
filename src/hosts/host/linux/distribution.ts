import { column, type HostTables, readRecord, readSection } from '../../host-data.ts';
import { profileFile } from '../roles.ts';
import { layoutFrom, PARTITION } from './storage.ts';

const PROPERTIES = {
  /** The distribution whose services and units it has; its own if absent. */
  siblingOf: column.orEmpty(column.text),
  /** Such as `24.04`; `rolling` for the date of the last update; without the number of a point release that follows (`pointRelease`). */
  version: column.text,
  system: column.text,
  family: column.text,
  goVersion: column.text,
  users: column.names,
  serialPorts: column.wholeNumber,
  /** What two cards of one host are called together: those of the kernel's bonding driver, or of its team driver. */
  bonds: column.names,
  swapFile: column.text,
  init: column.text,
  initMemoryMib: column.number,
  initVirtualMib: column.number,
  cronJob: column.text,
  /** The container engine, unless the check for Docker is enabled. */
  containerEngine: column.oneOf('docker', 'podman'),
  /** The program of a virtual machine, and its user. */
  hypervisor: column.text,
  hypervisorUser: column.text,
  /** How the names of common units start that it lacks. */
  withoutUnits: column.names,
};

const KERNEL = {
  /** The output of `uname -r`, with `{r}` for the running revision. */
  running: column.text,
  revision: column.wholeNumber,
  month: column.month,
  security: column.yesOrNo,
  /** Up to 6.7, rescuers lack `kworker/R-`. Names were cut to 15 characters: all up to 5.16, those of rescuers up to 6.10. */
  threadNames: column.oneOf('all cut', 'queues cut', 'prefixed and cut', 'prefixed'),
  /** Packages of this source are released with it, in the same version. */
  source: column.orEmpty(column.text),
};

/** Texts of other distributions, with those that it has instead. */
const TEXTS = {
  of: column.oneOf('units', 'services', 'hypervisor', 'packages'),
  here: column.text,
  there: column.orEmpty(column.text),
};

const SNAP = { name: column.text };

export type Distribution = ReturnType<typeof readDistribution>;

export function readDistribution(data: HostTables, name: string) {
  const file = profileFile(name);
  const own = readRecord(data, { file, section: 'distribution' }, PROPERTIES);
  const { revision, month, security, ...kernel } = readRecord(data, { file, section: 'kernel' }, KERNEL);
  const texts = readSection(data, { file, section: 'texts' }, TEXTS);
  const textsOf = (kind: (typeof texts)[number]['of']) => {
    return Object.fromEntries(texts.flatMap(({ of, here, there = '' }) => (of === kind ? [[here, there]] : [])));
  };
  return {
    ...own,
    name,
    siblingOf: own.siblingOf ?? name,
    init: { user: 'root', command: own.init, memoryMib: own.initMemoryMib, virtualMib: own.initVirtualMib },
    /** `releases` says when its revisions are published. */
    kernel: { ...kernel, releases: { revision, month, security } },
    hypervisor: { program: own.hypervisor, user: own.hypervisorUser },
    texts: {
      units: textsOf('units'),
      services: textsOf('services'),
      hypervisor: textsOf('hypervisor'),
      packages: textsOf('packages'),
    },
    layout: layoutFrom(readSection(data, { file, section: 'partitions' }, PARTITION)),
    /** Package images that are mounted as file systems. */
    snaps: readSection(data, { file, section: 'snaps' }, SNAP),
  };
}
