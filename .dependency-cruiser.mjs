// The rooms of `src` and who may import whom. ARCHITECTURE.md draws the same arrows; test/architecture.test.ts holds
// the drawing, this table and the code against each other, so that an arrow that nothing uses goes.

/**
 * Rooms that every room may import, a common one only those before it: what has no room of its own, the words of the wire, and
 * the event loop's clock and timers, which the domain may not touch.
 */
export const COMMON_ROOMS = ['kernel', 'protocol', 'runtime'];

/** Room by room, the other rooms it imports. */
export const ARROWS = {
  launcher: ['main'],
  main: ['cli'],
  cli: [
    ...[
      'calibration',
      'cluster',
      'kubernetes',
      'fleet',
      'run',
      'results',
      'control-api',
      'dashboard',
      'monitoring-server',
      'exposition',
      'otlp',
      'poller',
      'transport',
    ],
    ...['report', 'storage', 'recorder', 'recording'],
    ...['system', 'capacity', 'scenario', 'agent', 'machine', 'cohorts', 'load', 'faults', 'metrics', 'notation'],
  ],
  cluster: ['run', 'workers', 'storage', 'system', 'scenario', 'events', 'load', 'metrics'],
  fleet: ['run', 'storage', 'scenario', 'load', 'metrics'],
  calibration: ['run', 'monitoring-server', 'scenario', 'agent', 'faults', 'metrics'],
  run: [
    ...['workers', 'results', 'transport', 'monitoring-server', 'web-server', 'poller', 'storage', 'system'],
    ...['scenario', 'agent', 'events', 'load', 'faults', 'metrics'],
  ],
  'control-api': ['engine', 'http', 'scenario', 'agent', 'events', 'cohorts', 'load', 'metrics', 'notation'],
  dashboard: ['page', 'scenario'],
  results: ['report', 'storage', 'scenario', 'machine', 'load', 'metrics'],
  workers: [
    ...['engine', 'transport', 'monitoring-server', 'web-server', 'poller', 'storage'],
    ...['scenario', 'agent', 'machine', 'events', 'load', 'faults', 'metrics'],
  ],
  engine: ['agent', 'machine', 'events', 'cohorts', 'load', 'metrics'],
  poller: ['load', 'metrics'],
  transport: ['agent'],
  'monitoring-server': ['exposition', 'http', 'storage', 'faults'],
  'web-server': ['http'],
  exposition: ['http', 'metrics'],
  otlp: ['exposition', 'metrics'],
  http: [],
  recorder: ['http', 'transport', 'storage', 'recording'],
  storage: ['recording'],
  recording: ['machine'],
  report: ['page', 'capacity', 'events', 'metrics'],
  page: [],
  kubernetes: ['system', 'scenario'],
  capacity: ['system', 'scenario', 'load', 'metrics', 'notation'],
  system: ['scenario'],
  scenario: ['agent', 'machine', 'events', 'cohorts', 'load', 'faults', 'metrics', 'notation'],
  agent: ['machine'],
  faults: ['notation'],
  machine: ['events'],
  events: ['cohorts'],
  cohorts: ['notation'],
  load: [],
  metrics: [],
  notation: [],
  runtime: [],
  protocol: [],
  kernel: [],
};

/** Rooms that compute and touch nothing: no file, socket, thread, process, clock or chance. */
export const DOMAIN_ROOMS = [
  ...[
    'capacity',
    'kubernetes',
    'engine',
    'scenario',
    'agent',
    'recording',
    'machine',
    'load',
    'faults',
    'events',
    'cohorts',
    'metrics',
    'notation',
    'protocol',
    'kernel',
  ],
];

/** What the domain may import beside sources: these modules compute, too. test/domain.test.ts has the same for globals. */
const DOMAIN_MODULES = [
  ...['node:buffer', 'node:path', 'node:util', 'zod', 'yaml', 'hdr-histogram-js', '@faker-js/faker/locale/en'],
  // Types alone.
  'kubernetes-types',
];

/** The rooms where a library is used: one, with few exceptions. */
const HOMES = {
  '@nats-io': ['cluster'],
  yargs: ['cli'],
  piscina: ['workers'],
  '@peculiar/x509': ['http', 'poller', 'web-server'],
  'reflect-metadata': ['http', 'poller', 'web-server'],
  'hdr-histogram-js': ['metrics', 'results'],
  '@faker-js/faker': ['agent'],
  uplot: ['dashboard', 'page', 'report'],
  'kubernetes-types': ['kubernetes'],
  'prom-client': ['exposition'],
  '@opentelemetry': ['otlp'],
  hono: ['control-api'],
  '@hono/zod-openapi': ['control-api'],
  '@hono/node-server': ['control-api'],
  'log-update': ['cli'],
  'cli-cursor': ['cli'],
  'cli-truncate': ['report'],
  'string-width': ['cli', 'report'],
};

const inRoom = (...rooms) => `^src/(${rooms.join('|')})(/|\\.c?[jt]s$)`;
const library = (name) => `^(node_modules/)?${name}(/|$)`;
// As dependency-cruiser names what it resolved: `util` for `node:util`, the path of a file for a package.
const modulePath = (name) =>
  name.startsWith('node:') ? `^(node:)?${name.slice('node:'.length)}$` : `^(node_modules/)?${name}(/|\\.|$)`;

const commonTo = (room) =>
  COMMON_ROOMS.includes(room) ? COMMON_ROOMS.slice(0, COMMON_ROOMS.indexOf(room)) : COMMON_ROOMS;

const roomRules = Object.entries(ARROWS).map(([room, targets]) => ({
  name: `${room}-imports-what-is-drawn`,
  comment: `The drawing has no such arrow from ${room}. Move what is needed into a room below both, or hand it in from above.`,
  severity: 'error',
  from: { path: inRoom(room) },
  to: { path: '^src/', pathNot: inRoom(room, ...commonTo(room), ...targets) },
}));

const homeRules = Object.entries(HOMES).map(([name, rooms]) => ({
  name: `${name}-lives-in-${rooms.join('-and-')}`,
  comment: `Few rooms know ${name}, so that it can be replaced there. Ask ${rooms.join(' or ')} for what is needed.`,
  severity: 'error',
  from: { path: '^src/', pathNot: inRoom(...rooms) },
  to: { path: library(name) },
}));

/** The floors of the host model from the bottom, each with what it imports there and what to do about another import. */
const MACHINE_FLOORS = [
  {
    floor: 'document',
    imports: [],
    comment: 'Documents know nothing of hosts: hand in what is written as a node and what changes as a cell.',
  },
  {
    floor: 'host',
    imports: ['host-data', 'document'],
    comment: 'What a host is does not depend on who tells of it: move what both need into src/machine/host.',
  },
  {
    floor: 'checks',
    imports: ['host', 'host-data', 'document'],
    comment: 'Checks tell of a host, and of packages only through it: move what both need into src/machine/host.',
  },
  {
    floor: 'packages',
    imports: ['host', 'host-data', 'document'],
    comment: 'Packages are told of by themselves, not through other checks: move what both need into src/machine/host.',
  },
  {
    floor: 'profiles',
    imports: ['recorded', 'checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Profiles are chosen and compiled above them: move what they need into src/machine/host, or hand it in.',
  },
  {
    floor: 'recorded',
    imports: ['checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Hosts that were recorded are described as profiles are: hand in what they need.',
  },
];

/** What other rooms see of the host model below its top: what stands in scenarios and in the configurations of agents. */
const MACHINE_SEEN = [
  ...['host/boots', 'host/configuration', 'host/incident', 'host/profile'],
  ...['checks/custom-checks', 'checks/exporter-scrape', 'checks/prometheus-exporters', 'packages/document'],
  'recorded/recorded-hosts',
];

const onFloor = (...floors) => `^src/machine/(${floors.join('|')})(/|\\.ts$)`;

const floorRules = MACHINE_FLOORS.map(({ floor, imports, comment }) => ({
  name: `machine-${floor}-imports-downward`,
  comment,
  severity: 'error',
  from: { path: onFloor(floor) },
  to: { path: '^src/machine/', pathNot: onFloor(floor, ...imports) },
}));

/** @type {import('dependency-cruiser').IFlattenedRuleSet} */
const rules = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Files that need each other are one thing or three: join them, or move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing imports this file and it imports nothing: it is dead, or the start of something unfinished.',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'every-room-is-drawn',
      comment: 'A new room needs a line in ARROWS and its place in the drawing of ARCHITECTURE.md.',
      severity: 'error',
      from: { path: '^src/', pathNot: inRoom(...Object.keys(ARROWS)) },
      to: {},
    },
    {
      name: 'the-domain-imports-what-computes',
      comment:
        'Rooms of the domain compute: what they need of the world is handed in, so that tests need no world. A module that computes, too, gets a place in DOMAIN_MODULES.',
      severity: 'error',
      from: { path: inRoom(...DOMAIN_ROOMS) },
      to: { path: '.', pathNot: ['^src/', ...DOMAIN_MODULES.map(modulePath)] },
    },
    {
      name: 'the-domain-has-no-clock',
      comment: 'Time comes in from outside as a Clock or a Timer of src/kernel/clock.ts; tests hand in virtual time.',
      severity: 'error',
      from: { path: inRoom(...DOMAIN_ROOMS) },
      to: { path: '^src/runtime/' },
    },
    {
      name: 'sources-do-not-know-tests',
      comment: 'What both need belongs into src.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'machine-is-entered-at-its-top',
      comment:
        'Other rooms see the files at the top of src/machine and what MACHINE_SEEN names. Ask one of these for what is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/machine/' },
      to: {
        path: '^src/machine/',
        pathNot: ['^src/machine/[^/]+$', ...MACHINE_SEEN.map((path) => `^src/machine/${path}\\.ts$`)],
      },
    },
    {
      name: 'every-folder-of-machine-is-a-floor',
      comment: 'A new folder of src/machine needs its place in MACHINE_FLOORS.',
      severity: 'error',
      from: { path: '^src/machine/[^/]+/', pathNot: onFloor(...MACHINE_FLOORS.map(({ floor }) => floor)) },
      to: {},
    },
    {
      name: 'http-and-tls-are-not-imported',
      comment: 'Importing them loads what nobody uses, in each thread anew: take them from src/runtime/builtins.ts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: modulePath('node:(http|https|http2|tls)'), dependencyTypesNot: ['type-only'] },
    },
    ...roomRules,
    ...floorRules,
    ...homeRules,
  ],
  options: { parser: 'swc', doNotFollow: { path: 'node_modules' } },
};

export default rules;
