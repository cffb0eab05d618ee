import { DAY_SECONDS, MIB } from '../../kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Row, valueAt } from '../document/cells.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { scramble, smoothNoise, unit } from '../time/noise.ts';
import { type ContainerService, wholeOf } from './container-services.ts';
import type { Guests } from './guests.ts';
import { type HostMemory, pages } from './memory.ts';

export type ContainersInput = {
  readonly services: readonly ContainerService[];
  /** What belongs together has one of these names on each host. */
  readonly projects: readonly string[];
  readonly cores: number;
  readonly memory: HostMemory;
  /** Of what programs hold and do, they have at most so much. */
  readonly share: number;
  /** What processes of the host hold for a container, in MiB. */
  readonly besideMib: (service: ContainerService) => number;
};

const FIGURES = ['running', 'turn', 'upSeconds', 'id', 'idEnd', 'cpu', 'memory'] as const;

/** One container: `cpu` in percent of a core over the last second, `memory` in bytes. Only `running` holds for a stopped one. */
export type Container = Row<(typeof FIGURES)[number]> & { readonly service: ContainerService; readonly index: number };

export type Containers = Guests & {
  readonly list: readonly Container[];
  readonly projects: readonly string[];
  /** Which of the projects. */
  readonly project: Cell;
  /** What a container or its side on the host holds, as a share of what it usually does: less where memory is short. */
  readonly scale: Cell;
};

const DOCKER = streamLabel('docker');
const PROJECT = streamLabel('docker.project');
const STOPS = streamLabel('docker.stops');
/** Some are stopped in the last part of their life. */
const STOPPED = 0.08;
const STOPPED_PART = 0.3;
const MOST_LEVEL = 1.8;
const MOST_LUCK = 1.5;

/** The stream of one of a host's containers. */
export function containerKey({ hostKey }: Moment, index: number): number {
  return keyOf(hostKey, DOCKER) + 97 * index;
}

/** How much a container does beside others of its service. */
export function levelOf(key: number): number {
  return 0.2 + 1.6 * unit(key, -3) ** 2;
}

export function containersOn(input: ContainersInput, cells: Cells): Containers {
  const { services, projects, cores, memory, share, besideMib } = input;
  const list = services.map((service, index): Container => ({ service, index, ...cells.row(...FIGURES) }));
  const own = cells.row('bytes', 'share', 'tenths', 'project', 'scale');
  const wholes = services.map((service) => ({ ...wholeOf(service), besideMib: besideMib(service) }));
  const most = wholes.reduce((sum, { work }) => sum + work, 0) * MOST_LEVEL * MOST_LUCK;
  return {
    list,
    projects,
    ...own,
    fill(frame, moment) {
      frame[own.project] = Math.floor(unit(keyOf(moment.hostKey, PROJECT), 0) * projects.length);
      const now = secondsSinceEpoch(moment.checkMs);
      let [bytes, work, tenths] = [0, 0, 0];
      for (let i = 0; i < list.length; i++) {
        const container = list[i] as Container;
        const whole = wholes[i] as (typeof wholes)[number];
        const key = containerKey(moment, i);
        fillLife(frame, container, moment);
        if (frame[container.running] === 0) continue;
        const level = levelOf(key);
        const done = (share * whole.work * level * (0.5 + unit(key + 5, now))) / most;
        const cpu = 100 * cores * moment.ownBusy * done;
        const drift = 1 + 0.2 * smoothNoise(key + 4, valueAt(frame, container.upSeconds) / 900);
        const wanted = MIB * whole.memoryMib * (0.5 + 0.7 * level) * drift;
        frame[container.cpu] = cpu;
        frame[container.memory] = wanted;
        bytes += wanted + MIB * whole.besideMib;
        work += done;
        tenths += Math.floor(10 * cpu);
      }
      const scale = Math.min(1, (share * valueAt(frame, memory.programs)) / Math.max(1, bytes));
      for (const container of list) frame[container.memory] = pages(valueAt(frame, container.memory) * scale);
      frame[own.scale] = scale;
      frame[own.bytes] = bytes * scale;
      frame[own.share] = work;
      frame[own.tenths] = tenths;
    },
  };
}

/** A container is replaced every few days by one with another identifier, and starts anew with its host. */
function fillLife(frame: CellValues, container: Container, moment: Moment): void {
  const key = containerKey(moment, container.index);
  const now = secondsSinceEpoch(moment.checkMs);
  const life = (2 + 40 * unit(key, -1)) * DAY_SECONDS;
  const lives = now / life + unit(key, -2);
  const turn = Math.floor(lives);
  const replaced = Math.ceil((turn - unit(key, -2)) * life + 5 + 60 * unit(key, turn));
  const started = Math.max(replaced, secondsSinceEpoch(moment.bootMs) + 9 + (container.index % 7));
  const stops = unit(keyOf(moment.hostKey, STOPS) + container.index, turn) < STOPPED;
  frame[container.running] = now < started || (stops && lives - turn > 1 - STOPPED_PART) ? 0 : 1;
  frame[container.turn] = turn;
  frame[container.upSeconds] = now - started;
  frame[container.id] = scramble(key + 1, turn);
  frame[container.idEnd] = scramble(key + 2, turn) & 0xff;
}
