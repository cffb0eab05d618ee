import { DAY_SECONDS, MIB } from '../../kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Row, valueAt } from '../document/cells.ts';
import type { OptionalChecks } from '../optional-checks.ts';
import type { Fill } from '../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { scramble, smoothNoise, unit } from '../time/noise.ts';
import { type HostMemory, pages } from './memory.ts';
import { textTable } from './text-table.ts';

/**
 * What the containers or the virtual machines of a host have of it: bytes of memory, their share of all that processes
 * do, and the same in tenths of a percent of a core. Filled after the memory, before what divides the rest.
 */
export type Guests = Row<'bytes' | 'share' | 'tenths'> & { readonly fill: Fill };

/** Guests have at most so much of what programs hold and do. */
export const MOST_FOR_GUESTS = 0.65;

/** A process inside a container, as its host lists it. */
export type ContainedProcess = {
  /** Users of an image have no name on the host. */
  readonly user: string;
  readonly memoryMib: number;
  readonly virtualMib: number;
  /** Share of what all containers do. */
  readonly work: number;
  readonly command: string;
};

type PublishedPort = { readonly host: number; readonly container: number };

/** What a container is made from. */
export type ContainerService = {
  readonly name: string;
  /** Which one of the service it is, from 1. */
  readonly replica: number;
  readonly image: string;
  readonly ports: readonly PublishedPort[];
  readonly main: ContainedProcess;
  /** What its main process starts. */
  readonly children: readonly ContainedProcess[];
};

/**
 * Reads lines of `service | image | host port:port … | user | resident MiB | virtual MiB | share of work | command`; `>`
 * marks a process that the service above it starts.
 */
function containerTable(lines: string): readonly ContainerService[] {
  const services: (ContainerService & { children: ContainedProcess[] })[] = [];
  for (const [name = '', image = '', ports = '', user = '', resident, virtual, work, command = ''] of textTable(
    lines,
  )) {
    const process = { user, memoryMib: Number(resident), virtualMib: Number(virtual), work: Number(work), command };
    if (name === '>') services.at(-1)?.children.push(process);
    else services.push({ name, replica: 1, image, ports: portsOf(ports), main: process, children: [] });
  }
  return services;
}

function portsOf(text: string): readonly PublishedPort[] {
  return text.split(' ').flatMap((pair) => {
    const [host = '', container = ''] = pair.split(':');
    return container === '' ? [] : [{ host: Number(host), container: Number(container) }];
  });
}

// Host ports differ in their last two digits, so that replicas, which lie hundreds above, never meet another service.
const SERVICES = containerTable(`
  web       | nginx:1.29-alpine             | 8088:80   | root  | 9   | 12   | 0.1 | nginx: master process nginx -g daemon off;
  >         |                               |           | 101   | 12  | 13   | 1   | nginx: worker process
  >         |                               |           | 101   | 11  | 13   | 0.9 | nginx: worker process
  api       | ghcr.io/example/api:4.18.2    | 3010:3000 | root  | 128 | 1090 | 4   | node --enable-source-maps /app/dist/server.js
  worker    | ghcr.io/example/worker:4.18.2 |           | root  | 74  | 140  | 0.2 | /usr/local/bin/python3 -m celery --app example.tasks worker --concurrency 2
  >         |                               |           | root  | 66  | 142  | 2   | /usr/local/bin/python3 -m celery --app example.tasks worker --concurrency 2
  >         |                               |           | root  | 64  | 142  | 1.8 | /usr/local/bin/python3 -m celery --app example.tasks worker --concurrency 2
  scheduler | ghcr.io/example/worker:4.18.2 |           | root  | 68  | 138  | 0.3 | /usr/local/bin/python3 -m celery --app example.tasks beat --schedule /tmp/celerybeat
  cache     | redis:8-alpine                |           | 999   | 14  | 62   | 1   | redis-server *:6379
  database  | postgres:17                   |           | 999   | 28  | 220  | 0.5 | postgres
  >         |                               |           | 999   | 62  | 221  | 0.6 | postgres: checkpointer
  >         |                               |           | 999   | 8   | 220  | 0.1 | postgres: background writer
  >         |                               |           | 999   | 10  | 220  | 0.5 | postgres: walwriter
  >         |                               |           | 999   | 9   | 222  | 0.1 | postgres: autovacuum launcher
  >         |                               |           | 999   | 34  | 226  | 2.2 | postgres: app app 172.18.0.1(48112) idle
  proxy     | traefik:v3.5                  | 8443:443 8081:8080 | root | 58 | 1290 | 1 | traefik traefik --providers.docker=true --entrypoints.websecure.address=:443
  mail      | boky/postfix:latest           | 1587:587  | root  | 6   | 44   | 0.1 | /usr/libexec/postfix/master -i
  >         |                               |           | 100   | 5   | 43   | 0   | pickup -l -t unix -u
  >         |                               |           | 100   | 5   | 43   | 0.1 | qmgr -l -t unix -u
  search    | opensearchproject/opensearch:3 | 9200:9200 | 1000 | 710 | 5400 | 4   | /usr/share/opensearch/jdk/bin/java -Xshare:auto -Dopensearch.networkaddress.cache.ttl=60 -Xms512m -Xmx512m -XX:+UseG1GC -Dopensearch.path.home=/usr/share/opensearch -cp /usr/share/opensearch/lib/* org.opensearch.bootstrap.OpenSearch
  queue     | rabbitmq:4-management         | 15672:15672 | 999 | 142 | 2300 | 1   | /opt/erlang/lib/erlang/erts-15.2.7/bin/beam.smp -W w -MBas ageffcbf -- -root /opt/erlang/lib/erlang -bindir /opt/erlang/lib/erlang/erts-15.2.7/bin -noshell -noinput
  >         |                               |           | 999   | 2   | 4    | 0   | erl_child_setup 1048576
  metrics   | prom/prometheus:v3.5.0        | 9090:9090 | nobody | 118 | 1840 | 1.5 | /bin/prometheus --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus
  registry  | registry:3                    | 5001:5000 | root  | 36  | 1270 | 0.3 | registry serve /etc/distribution/config.yml
`);

const PORT_STEP = 100;

/** The containers of a host that has so many, those of the services named first before the others. */
export function containerServices(count: number, first: readonly string[]): readonly ContainerService[] {
  const named = first.flatMap((name) => SERVICES.filter((service) => service.name === name));
  const ordered = [...named, ...SERVICES.filter(({ name }) => !first.includes(name))];
  return Array.from({ length: count }, (_, index) => {
    const turn = Math.floor(index / ordered.length);
    const service = ordered[index % ordered.length] as ContainerService;
    const ports = service.ports.map(({ host, container }) => ({ host: host + PORT_STEP * turn, container }));
    return { ...service, replica: turn + 1, ports };
  });
}

/** All that a container holds, in MiB, and does. */
function wholeOf({ main, children }: ContainerService): Pick<ContainedProcess, 'memoryMib' | 'work'> {
  const all = [main, ...children];
  return {
    memoryMib: all.reduce((sum, { memoryMib }) => sum + memoryMib, 0),
    work: all.reduce((sum, { work }) => sum + work, 0),
  };
}

type ContainersInput = {
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

type Host = { readonly cores: number; readonly memory: HostMemory };

/** Containers where they need a virtual machine: the host has one process for all of them. */
export function desktopContainers({ docker = 0 }: OptionalChecks, host: Host, cells: Cells): Containers | undefined {
  if (docker === 0) return undefined;
  const services = containerServices(docker, []);
  const projects = ['shop', 'portal', 'demo'];
  return containersOn({ ...host, services, projects, share: MOST_FOR_GUESTS, besideMib: () => 0 }, cells);
}

/** What that process holds besides: little enough that what hosts have in abundance does not end up there. */
export const MACHINE_MIB = 180;
