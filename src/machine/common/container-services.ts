import { textTable } from './text-table.ts';

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

export type PublishedPort = { readonly host: number; readonly container: number };

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
export function wholeOf({ main, children }: ContainerService): Pick<ContainedProcess, 'memoryMib' | 'work'> {
  const all = [main, ...children];
  return {
    memoryMib: all.reduce((sum, { memoryMib }) => sum + memoryMib, 0),
    work: all.reduce((sum, { work }) => sum + work, 0),
  };
}
