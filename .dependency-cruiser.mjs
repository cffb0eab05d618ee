// The rooms of `src` and who may import whom. ARCHITECTURE.md draws the same arrows; test/architecture.test.ts holds
// the drawing, these tables and the code against each other, so that an arrow that nothing uses goes.

/** Room by room, the other rooms it imports. Every room may import `ground`. */
export const ARROWS = {
  launcher: ['main'],
  main: ['cli'],
  cli: [
    ...['staging', 'cluster', 'run', 'recordings', 'results', 'report', 'outputs', 'server', 'wire', 'capacity'],
    ...['provisioning', 'scenario', 'metrics', 'hosts', 'load'],
  ],
  provisioning: ['wire'],
  staging: ['run', 'engine', 'wire', 'report', 'scenario', 'metrics', 'load'],
  cluster: ['run', 'workers', 'scenario', 'metrics', 'load'],
  run: ['workers', 'results', 'server', 'wire', 'scenario', 'metrics', 'load'],
  workers: ['engine', 'server', 'wire', 'scenario', 'metrics', 'hosts', 'load'],
  engine: ['wire', 'metrics', 'hosts', 'load'],
  results: ['report', 'scenario', 'metrics', 'hosts', 'load'],
  report: ['capacity', 'metrics', 'load'],
  capacity: ['scenario', 'metrics', 'load'],
  recordings: ['wire', 'hosts'],
  scenario: ['server', 'wire', 'metrics', 'hosts', 'load'],
  server: ['outputs', 'wire'],
  outputs: ['wire', 'metrics'],
  wire: ['metrics', 'hosts', 'load'],
  hosts: ['load'],
  load: [],
  metrics: [],
  ground: [],
};

/** The folders of rooms that have several parts, each with the other folders of its room that it imports. */
const FOLDERS = {
  staging: { fleet: [], 'control-api': ['fleet'], dashboard: ['control-api'] },
  cluster: { kubernetes: [] },
  recordings: { recorder: ['.'] },
  run: { calibration: ['.'] },
  outputs: { exposition: [], otlp: ['exposition'] },
  wire: { agent: [], http: [], transport: ['agent'], 'web-server': ['http'], poller: ['http'] },
  server: {
    faults: [],
    json: [],
    dialects: ['.', 'json'],
    observations: ['.', 'dialects', 'json'],
    injection: ['.', 'dialects', 'faults'],
    admin: ['.', 'observations', 'faults'],
  },
  load: { cohorts: [], events: ['cohorts'] },
  ground: {
    kernel: [],
    protocol: ['kernel'],
    notation: ['kernel'],
    runtime: ['kernel'],
    system: ['kernel'],
    storage: ['kernel', 'protocol'],
  },
};

/** Rooms and folders that compute and touch nothing: no file, socket, thread, process, clock or chance. */
export const DOMAIN = [
  ...['capacity', 'cluster/kubernetes', 'engine', 'scenario', 'wire/agent', 'recordings', 'hosts', 'load'],
  ...['server/faults', 'metrics', 'ground/notation', 'ground/protocol', 'ground/kernel'],
];

/** Folders in them that do. */
export const NOT_DOMAIN = ['recordings/recorder'];

/** What the domain may import beside sources: these modules compute, too. test/domain.test.ts has the same for globals. */
const DOMAIN_MODULES = [
  ...[
    'node:buffer',
    'node:path',
    'node:util',
    'node:zlib',
    'zod',
    'yaml',
    'hdr-histogram-js',
    '@faker-js/faker/locale/en',
  ],
];

/** The rooms where a library is used: one, with few exceptions. */
const HOMES = {
  '@nats-io': ['cluster'],
  yargs: ['cli'],
  undici: ['cli/ctl', 'outputs/otlp', 'provisioning'],
  'eventsource-parser': ['cli/ctl'],
  piscina: ['workers'],
  '@peculiar/x509': ['wire'],
  'reflect-metadata': ['wire'],
  'hdr-histogram-js': ['metrics'],
  '@faker-js/faker': ['wire/agent'],
  uplot: ['report', 'staging/dashboard'],
  'prom-client': ['outputs/exposition'],
  '@opentelemetry': ['outputs/otlp'],
  hono: ['staging/control-api'],
  '@hono/zod-openapi': ['staging/control-api'],
  '@hono/node-server': ['staging/control-api'],
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

const roomRules = Object.entries(ARROWS).map(([room, targets]) => ({
  name: `${room}-imports-what-is-drawn`,
  comment: `The drawing has no such arrow from ${room}. Move what is needed into a room below both, or hand it in from above.`,
  severity: 'error',
  from: { path: inRoom(room) },
  to: { path: '^src/', pathNot: inRoom(room, 'ground', ...targets) },
}));

const folderRules = Object.entries(FOLDERS).flatMap(([room, folders]) =>
  Object.entries(folders).map(([folder, targets]) => ({
    name: `${room}-${folder}-imports-what-is-listed`,
    comment: `FOLDERS has no such arrow from ${room}/${folder}. Move what both need into a folder below, or hand it in from above.`,
    severity: 'error',
    from: { path: `^src/${room}/${folder}/` },
    to: {
      path: `^src/${room}/`,
      pathNot: [folder, ...targets].map((one) => (one === '.' ? `^src/${room}/[^/]+$` : `^src/${room}/${one}/`)),
    },
  })),
);

const inDomain = { path: inRoom(...DOMAIN), pathNot: inRoom(...NOT_DOMAIN) };

const homeRules = Object.entries(HOMES).map(([name, rooms]) => ({
  name: `${name}-lives-in-${rooms.join('-and-').replaceAll('/', '-')}`,
  comment: `Few rooms know ${name}, so that it can be replaced there. Ask ${rooms.join(' or ')} for what is needed.`,
  severity: 'error',
  from: { path: '^src/', pathNot: inRoom(...rooms) },
  to: { path: library(name) },
}));

/** The floors of the host model from the bottom, each with what it imports there and what to do about another import. */
const HOSTS_FLOORS = [
  {
    floor: 'document',
    imports: [],
    comment: 'Documents know nothing of hosts: hand in what is written as a node and what changes as a cell.',
  },
  {
    floor: 'host',
    imports: ['host-data', 'document'],
    comment: 'What a host is does not depend on who tells of it: move what both need into src/hosts/host.',
  },
  {
    floor: 'checks',
    imports: ['host', 'host-data', 'document'],
    comment: 'Checks tell of a host, and of packages only through it: move what both need into src/hosts/host.',
  },
  {
    floor: 'packages',
    imports: ['host', 'host-data', 'document'],
    comment: 'Packages are told of by themselves, not through other checks: move what both need into src/hosts/host.',
  },
  {
    floor: 'profiles',
    imports: ['recorded', 'checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Profiles are chosen and compiled above them: move what they need into src/hosts/host, or hand it in.',
  },
  {
    floor: 'recorded',
    imports: ['checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Hosts that were recorded are described as profiles are: hand in what they need.',
  },
];

/** What other rooms see of the host model below its top: what stands in scenarios and in the configurations of agents. */
const HOSTS_SEEN = [
  ...['host/boots', 'host/configuration', 'host/configured-checks', 'host/incident', 'host/profile'],
  ...['checks/exporter-scrape', 'packages/document'],
  'recorded/recorded-hosts',
];

const onFloor = (...floors) => `^src/hosts/(${floors.join('|')})(/|\\.ts$)`;

const floorRules = HOSTS_FLOORS.map(({ floor, imports, comment }) => ({
  name: `hosts-${floor}-imports-downward`,
  comment,
  severity: 'error',
  from: { path: onFloor(floor) },
  to: { path: '^src/hosts/', pathNot: onFloor(floor, ...imports) },
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
      from: inDomain,
      to: { path: '.', pathNot: ['^src/', ...DOMAIN_MODULES.map(modulePath)] },
    },
    {
      name: 'the-domain-imports-the-domain',
      comment:
        'The rest touches the world: hand in what is needed of it. Time comes in as a Clock or a Timer of src/ground/kernel/clock.ts.',
      severity: 'error',
      from: inDomain,
      to: { path: [`^src/(?!(${DOMAIN.join('|')})/)`, inRoom(...NOT_DOMAIN)], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sources-do-not-know-tests',
      comment: 'What both need belongs into src.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'hosts-is-entered-at-its-top',
      comment:
        'Other rooms see the files at the top of src/hosts and what HOSTS_SEEN names. Ask one of these for what is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/hosts/' },
      to: {
        path: '^src/hosts/',
        pathNot: ['^src/hosts/[^/]+$', ...HOSTS_SEEN.map((path) => `^src/hosts/${path}\\.ts$`)],
      },
    },
    {
      name: 'every-folder-of-hosts-is-a-floor',
      comment: 'A new folder of src/hosts needs its place in HOSTS_FLOORS.',
      severity: 'error',
      from: { path: '^src/hosts/[^/]+/', pathNot: onFloor(...HOSTS_FLOORS.map(({ floor }) => floor)) },
      to: {},
    },
    {
      name: 'http-and-tls-are-not-imported',
      comment:
        'Importing them loads what nobody uses, in each thread anew: take them from src/ground/runtime/builtins.ts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: modulePath('node:(http|https|http2|tls)'), dependencyTypesNot: ['type-only'] },
    },
    ...roomRules,
    ...folderRules,
    ...floorRules,
    ...homeRules,
  ],
  options: { parser: 'swc', doNotFollow: { path: 'node_modules' } },
};

export default rules;
