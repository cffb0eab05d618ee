import {
  type HostTables,
  MONTH,
  NAMES,
  NUMBER,
  oneOf,
  orEmpty,
  readRecord,
  readSection,
  TEXT,
  WHOLE_NUMBER,
  YES_OR_NO,
} from '../../host-data.ts';
import { profileFile } from '../roles.ts';
import { layoutFrom, PARTITION } from './storage.ts';

const PROPERTIES = {
  /** The distribution whose services and units it has; its own if absent. */
  siblingOf: orEmpty(TEXT),
  /**
   * As reported by the agent, like `system` and `family`, such as `24.04`. `rolling` stands for the date of the last update. If a
   * point release follows (`pointRelease` of the packages), only the part before its number.
   */
  version: TEXT,
  system: TEXT,
  family: TEXT,
  goVersion: TEXT,
  users: NAMES,
  /** Number of serial ports in its kernel's configuration. */
  serialPorts: WHOLE_NUMBER,
  swapFile: TEXT,
  /** The first process. */
  init: TEXT,
  initMemoryMib: NUMBER,
  initVirtualMib: NUMBER,
  /** Command of a scheduled job. */
  cronJob: TEXT,
  /** The container engine, unless the check for Docker is enabled. */
  containerEngine: oneOf('docker', 'podman'),
  /** The program of a virtual machine, and its user. */
  hypervisor: TEXT,
  hypervisorUser: TEXT,
  /** How the names of common units start that it lacks. */
  withoutUnits: NAMES,
};

const KERNEL = {
  /** The output of `uname -r`, with `{r}` for the running revision. */
  running: TEXT,
  revision: WHOLE_NUMBER,
  month: MONTH,
  security: YES_OR_NO,
  /**
   * How it names its threads. Up to 6.7, the rescuer of a work queue has the queue's name; later versions prepend `kworker/R-`. Names
   * of at least 16 characters were truncated: all up to 5.16, those of rescuers up to 6.10.
   */
  threadNames: oneOf('all cut', 'queues cut', 'prefixed and cut', 'prefixed'),
  /** Packages of this source are released with it, in the same version. */
  source: orEmpty(TEXT),
};

/** Texts of other distributions, with those that it has instead. */
const TEXTS = { of: oneOf('units', 'services', 'hypervisor', 'packages'), here: TEXT, there: orEmpty(TEXT) };

const SNAP = { name: TEXT, revision: WHOLE_NUMBER };

export type Distribution = ReturnType<typeof readDistribution>;

/** Reads what the hosts of a distribution have in common, except its packages. */
export function readDistribution(data: HostTables, name: string) {
  const file = profileFile(name);
  const {
    siblingOf = name,
    init,
    initMemoryMib,
    initVirtualMib,
    hypervisor,
    hypervisorUser,
    ...properties
  } = readRecord(data, { file, section: 'distribution' }, PROPERTIES);
  const { revision, month, security, ...kernel } = readRecord(data, { file, section: 'kernel' }, KERNEL);
  const texts = readSection(data, { file, section: 'texts' }, TEXTS);
  const textsOf = (kind: (typeof texts)[number]['of']) => {
    return Object.fromEntries(texts.flatMap(({ of, here, there = '' }) => (of === kind ? [[here, there]] : [])));
  };
  return {
    ...{ ...properties, name, siblingOf },
    init: { user: 'root', command: init, memoryMib: initMemoryMib, virtualMib: initVirtualMib, work: 0, nice: 0 },
    /** `releases` says when its revisions are published. */
    kernel: { ...kernel, releases: { revision, month, security } },
    hypervisor: { program: hypervisor, user: hypervisorUser },
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
