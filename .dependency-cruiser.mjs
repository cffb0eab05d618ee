// The import rules of the modules of `src`. ARCHITECTURE.md draws the same imports; test/architecture.test.ts compares
// the diagram, these tables and the code, so that an import that nothing uses is removed.

/** Each module with the modules that it imports. Every module may import `base`. */
export const MODULE_IMPORTS = {
  launcher: ['main'],
  main: ['cli'],
  cli: [
    'conformance',
    'staging',
    'cluster',
    'run',
    'recordings',
    'results',
    'report',
    'outputs',
    'server',
    'wire',
    'capacity',
    'replay',
    'provisioning',
    'scenario',
    'metrics',
    'hosts',
    'load',
  ],
  conformance: ['wire', 'report'],
  replay: ['load'],
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
  base: [],
};

/** The folders of modules with several parts, each with the other folders of its module that it imports. */
const FOLDER_IMPORTS = {
  staging: { fleet: [], 'control-api': ['fleet'], dashboard: ['control-api'] },
  cluster: { kubernetes: [] },
  recordings: { recorder: ['.'] },
  run: { calibration: ['.'] },
  replay: { reading: ['.'] },
  outputs: { exposition: [], otlp: ['.', 'exposition'], webhook: ['.'] },
  wire: { agent: [], http: [], transport: ['agent'], 'web-server': ['http'], poller: ['http'] },
  server: {
    faults: [],
    json: [],
    dialects: ['.', 'json'],
    observations: ['.', 'dialects', 'json'],
    injection: ['.', 'dialects', 'faults'],
    admin: ['.', 'observations', 'faults'],
  },
  load: { cohorts: [], events: ['cohorts'], traces: [] },
  base: {
    kernel: [],
    protocol: ['kernel'],
    notation: ['kernel'],
    runtime: ['kernel'],
    system: ['kernel'],
    storage: ['kernel', 'protocol'],
  },
};

/** Modules and folders that only compute: they use no file, socket, thread, process, clock or source of randomness. */
export const DOMAIN = [
  'capacity',
  'cluster/kubernetes',
  'engine',
  'scenario',
  'wire/agent',
  'recordings',
  'hosts',
  'load',
  'replay',
  'server/faults',
  'metrics',
  'base/notation',
  'base/protocol',
  'base/kernel',
];

/** Folders in them that do. */
export const NOT_DOMAIN = ['recordings/recorder', 'replay/reading'];

/** What the domain may import besides sources: these libraries only compute. test/domain.test.ts has the same for globals. */
const DOMAIN_LIBRARIES = ['node:buffer', 'node:path', 'node:util', 'node:zlib', 'zod', 'yaml', 'hdr-histogram-js'];

/** The modules that use a library: one, with few exceptions. */
const LIBRARY_USERS = {
  '@nats-io': ['cluster'],
  yargs: ['cli'],
  undici: ['cli/ctl', 'outputs', 'provisioning'],
  'eventsource-parser': ['cli/ctl'],
  piscina: ['workers'],
  '@peculiar/x509': ['wire'],
  'reflect-metadata': ['wire'],
  'hdr-histogram-js': ['metrics'],
  mustache: ['report'],
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

const inModule = (...modules) => `^src/(${modules.join('|')})(/|\\.c?[jt]s$)`;
const library = (name) => `^(node_modules/)?${name}(/|$)`;
// As dependency-cruiser names what it resolved: `util` for `node:util`, the path of a file for a package.
const modulePath = (name) =>
  name.startsWith('node:') ? `^(node:)?${name.slice('node:'.length)}$` : `^(node_modules/)?${name}(/|\\.|$)`;

const moduleRules = Object.entries(MODULE_IMPORTS).map(([module, targets]) => ({
  name: `${module}-imports-what-the-diagram-shows`,
  comment: `MODULE_IMPORTS has no such import of ${module}. Move what is needed into a module that both import, or pass it in.`,
  severity: 'error',
  from: { path: inModule(module) },
  to: { path: '^src/', pathNot: inModule(module, 'base', ...targets) },
}));

const folderRules = Object.entries(FOLDER_IMPORTS).flatMap(([module, folders]) =>
  Object.entries(folders).map(([folder, targets]) => ({
    name: `${module}-${folder}-imports-what-is-listed`,
    comment: `FOLDER_IMPORTS has no such import of ${module}/${folder}. Move what both need into a folder that both import, or pass it in.`,
    severity: 'error',
    from: { path: `^src/${module}/${folder}/` },
    to: {
      path: `^src/${module}/`,
      pathNot: [folder, ...targets].map((one) => (one === '.' ? `^src/${module}/[^/]+$` : `^src/${module}/${one}/`)),
    },
  })),
);

const inDomain = { path: inModule(...DOMAIN), pathNot: inModule(...NOT_DOMAIN) };

const libraryRules = Object.entries(LIBRARY_USERS).map(([name, modules]) => ({
  name: `${name}-is-used-in-${modules.join('-and-').replaceAll('/', '-')}`,
  comment: `Few modules use ${name}, so that it can be replaced there. Ask ${modules.join(' or ')} for what is needed.`,
  severity: 'error',
  from: { path: '^src/', pathNot: inModule(...modules) },
  to: { path: library(name) },
}));

/** The layers of the host model, from the lowest, each with what it imports there and what to do about another import. */
const HOSTS_LAYERS = [
  {
    layer: 'document',
    imports: [],
    comment: 'Documents know nothing of hosts: hand in what is written as a node and what changes as a cell.',
  },
  {
    layer: 'host',
    imports: ['host-data', 'document'],
    comment: 'What a host is does not depend on who tells of it: move what both need into src/hosts/host.',
  },
  {
    layer: 'checks',
    imports: ['host', 'host-data', 'document'],
    comment: 'Checks tell of a host, and of packages only through it: move what both need into src/hosts/host.',
  },
  {
    layer: 'packages',
    imports: ['host', 'host-data', 'document'],
    comment: 'Packages are told of by themselves, not through other checks: move what both need into src/hosts/host.',
  },
  {
    layer: 'profiles',
    imports: ['recorded', 'checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Profiles are chosen and compiled above them: move what they need into src/hosts/host, or hand it in.',
  },
  {
    layer: 'recorded',
    imports: ['checks', 'packages', 'host', 'host-data', 'document'],
    comment: 'Hosts that were recorded are described as profiles are: hand in what they need.',
  },
];

/** The files below the top of the host model that other modules import: what scenarios and the configurations of agents contain. */
const HOSTS_INTERFACE = [
  'host/boots',
  'host/configuration',
  'host/configured-checks',
  'host/incident',
  'host/profile',
  'checks/exporter-scrape',
  'packages/document',
  'recorded/recorded-hosts',
];

const inLayer = (...layers) => `^src/hosts/(${layers.join('|')})(/|\\.ts$)`;

const layerRules = HOSTS_LAYERS.map(({ layer, imports, comment }) => ({
  name: `hosts-${layer}-imports-downward`,
  comment,
  severity: 'error',
  from: { path: inLayer(layer) },
  to: { path: '^src/hosts/', pathNot: inLayer(layer, ...imports) },
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
      name: 'every-module-is-in-the-diagram',
      comment: 'A new module needs a line in MODULE_IMPORTS and a place in the diagram of ARCHITECTURE.md.',
      severity: 'error',
      from: { path: '^src/', pathNot: inModule(...Object.keys(MODULE_IMPORTS)) },
      to: {},
    },
    {
      name: 'the-domain-imports-what-computes',
      comment:
        'Modules of the domain only compute; the rest is passed in, so that tests need no files, sockets or clocks. A library that only computes gets a place in DOMAIN_LIBRARIES.',
      severity: 'error',
      from: inDomain,
      to: { path: '.', pathNot: ['^src/', ...DOMAIN_LIBRARIES.map(modulePath)] },
    },
    {
      name: 'the-domain-imports-the-domain',
      comment:
        'The rest touches the world: hand in what is needed of it. Time comes in as a Clock or a Timer of src/base/kernel/clock.ts.',
      severity: 'error',
      from: inDomain,
      to: { path: [`^src/(?!(${DOMAIN.join('|')})/)`, inModule(...NOT_DOMAIN)], dependencyTypesNot: ['type-only'] },
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
        'Other modules import the files at the top of src/hosts and what HOSTS_INTERFACE names. Ask one of these for what is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/hosts/' },
      to: {
        path: '^src/hosts/',
        pathNot: ['^src/hosts/[^/]+$', ...HOSTS_INTERFACE.map((path) => `^src/hosts/${path}\\.ts$`)],
      },
    },
    {
      name: 'every-folder-of-hosts-is-a-layer',
      comment: 'A new folder of src/hosts needs its place in HOSTS_LAYERS.',
      severity: 'error',
      from: { path: '^src/hosts/[^/]+/', pathNot: inLayer(...HOSTS_LAYERS.map(({ layer }) => layer)) },
      to: {},
    },
    {
      name: 'http-and-tls-are-not-imported',
      comment:
        'Importing them loads what nobody uses, in each thread anew: take them from src/base/runtime/builtins.ts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: modulePath('node:(http|https|http2|tls)'), dependencyTypesNot: ['type-only'] },
    },
    ...moduleRules,
    ...folderRules,
    ...layerRules,
    ...libraryRules,
  ],
  options: { parser: 'swc', doNotFollow: { path: 'node_modules' } },
};

export default rules;
