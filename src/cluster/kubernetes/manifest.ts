import { parse, stringify } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { counted, formatBytes, GIB } from '../../base/kernel/units.ts';
import { VERSION } from '../../base/kernel/version.ts';
import { formatScenario } from '../../scenario/file.ts';
import { fleetSizeOf } from '../../scenario/planning/fleet-size.ts';
import { memoryNeeds, socketNeeds, storeBytes } from '../../scenario/planning/needs.ts';
import type { Plan } from '../../scenario/planning/plan.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** Resources of each pod of a component, as requests and limits. */
type PodSize = { readonly cores: number; readonly memoryMib: number };

type MachineNeeds = PodSize & {
  /** Set by the container runtime: Kubernetes has no setting for them. */
  readonly fileDescriptors: number;
  readonly localPorts: number;
};

const USUAL_LOCAL_PORTS = 28_232;
/** Ports that a pod can use for connections; lower ports belong to services. */
const WIDEST_PORT_RANGE = { first: 1024, last: 65_535 };
const MAX_LOCAL_PORTS = WIDEST_PORT_RANGE.last - WIDEST_PORT_RANGE.first + 1;

/** Maximum needs of one of this many machines. The first may have one agent more than others. @throws UserError if no pod can meet them. */
function machineNeeds(scenario: Scenario, plan: Plan, machines: number): MachineNeeds {
  const size = fleetSizeOf(scenario, { index: 0, count: machines });
  const localPorts = socketNeeds('localPorts', size, 'external');
  if (localPorts > MAX_LOCAL_PORTS)
    throw new UserError(
      `--machines: each of ${machines} machines needs ${localPorts} local ports, expected up to ${MAX_LOCAL_PORTS}, the limit ` +
        `of the single address of a pod; use ${Math.ceil((machines * localPorts) / MAX_LOCAL_PORTS)} machines or more.`,
    );
  const cores = coresFor(plan, machines);
  return {
    cores,
    memoryMib: memoryFor(memoryNeeds(size, 'external', cores)),
    fileDescriptors: socketNeeds('fileDescriptors', size, 'external'),
    localPorts,
  };
}

// CPU time per push and per KB at a given rate, with TLS (docs/developers/performance.md, "fleet-pace" and "density").
const PUSH_SECONDS = 110e-6;
const KILOBYTE_SECONDS = 3e-6;
/** Above this, pushes are late while V8 collects garbage or the node does other work. */
const BUSY_AT_MOST = 0.5;
/** Used for closed loads, whose rate is unknown. */
const UNKNOWN_CORES = 2;

function coresFor({ peakPerSecond, mostInSecond = peakPerSecond, peakBytesPerSecond }: Plan, machines: number): number {
  if (mostInSecond === undefined || peakBytesPerSecond === undefined) return UNKNOWN_CORES;
  const busy = mostInSecond * PUSH_SECONDS + (peakBytesPerSecond / 1000) * KILOBYTE_SECONDS;
  return Math.max(1, Math.ceil(busy / machines / BUSY_AT_MOST));
}

const MIB = 2 ** 20;
/** Kernel buffers count toward the memory of a pod, but are not part of the plan. */
const KERNEL_SHARE = 0.25;
const KERNEL_BYTES = 128 * MIB;
const STEP_BYTES = 64 * MIB;

function memoryFor(plannedBytes: number): number {
  const bytes = plannedBytes * (1 + KERNEL_SHARE) + KERNEL_BYTES;
  return (Math.ceil(bytes / STEP_BYTES) * STEP_BYTES) / MIB;
}

export type ManifestOrder = {
  /** Text of `manifest.yaml`: the objects, with holes. */
  readonly template: string;
  /** A fleet is kept running; a run ends. */
  readonly kind: 'run' | 'fleet';
  readonly scenario: Scenario;
  readonly plan: Plan;
  /** Certificate authority for the target, in PEM; `undefined` for those that Node trusts. */
  readonly authority: string | undefined;
  readonly machines: number;
  readonly names: Names;
  /** An image with the command `muster`. */
  readonly image: string;
  /** Overrides the plan; `undefined` to follow it. */
  readonly cores: number | undefined;
  readonly memoryMib: number | undefined;
  /** `undefined` for the cluster's default. */
  readonly storageClass: string | undefined;
  readonly nats: { readonly kind: 'own'; readonly image: string } | ExistingNats;
  readonly placement: Placement;
};

export type ExistingNats = {
  readonly kind: 'existing';
  readonly url: string;
  /** Certificate authority of the server, in PEM; `undefined` for those that Node trusts. */
  readonly authority: string | undefined;
  readonly login: NatsLogin;
};

export type NatsLogin = 'user' | 'creds' | 'nkey';

/** Nodes where pods may run; `undefined` for any. */
export type Placement = {
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
  readonly tolerations: readonly Toleration[] | undefined;
};

/** As in a pod's specification. */
export type Toleration = {
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value?: string;
  readonly effect?: string;
};

/** Name and namespace of the objects of one run. */
type Names = {
  /** Name of the coordinator's Job; a prefix of all other objects and labels. */
  readonly name: string;
  /** `undefined` for the namespace of `kubectl apply`. */
  readonly namespace: string | undefined;
};

export type Manifest = {
  /** For `kubectl apply -f -`; begins with a comment about the steps before and after it. */
  readonly text: string;
  /** Resources of each machine, and those that the plan would give it. */
  readonly needs: MachineNeeds;
  readonly planned: MachineNeeds;
};

/** Keys in the only Secret, which the user creates, and the commands that generate their values. */
const GENERATED_SECRETS: Readonly<Record<string, string>> = {
  MUSTER_CLUSTER_KEY: '"$(openssl rand -base64 32)"',
  // NATS reads it as a string in its configuration only if it starts with a letter.
  MUSTER_NATS_PASSWORD: '"n$(openssl rand -hex 24)"',
  MUSTER_METRICS_TOKEN: '"$(openssl rand -hex 24)"',
  MUSTER_CONTROL_TOKEN: '"$(openssl rand -hex 24)"',
};

/** Time to get nodes, pull images and start machines, in addition to the timeline. */
const AROUND_SECONDS = 3600;

/** Creates the objects of a run on this many machines. @throws UserError for a scenario that pods cannot run. */
export function manifestOf(order: ManifestOrder): Manifest {
  assertFitForPods(order.scenario);
  const { machines, names, nats, plan } = order;
  const scenario = inPod(order.scenario);
  const text = formatScenario(scenario);
  const access = natsAccess(nats, names);
  assertFitsConfigMap(text, `${order.authority ?? ''}${nats.kind === 'own' ? '' : (nats.authority ?? '')}`);
  const planned = machineNeeds(scenario, plan, machines);
  const needs = { ...planned, cores: order.cores ?? planned.cores, memoryMib: order.memoryMib ?? planned.memoryMib };
  const secrets = environmentAsked(text);
  const bytes = storeBytes(order.scenario, machines);
  const holes = {
    ...names,
    version: VERSION,
    image: order.image,
    storageClass: order.storageClass,
    scenario: text,
    authority: order.authority,
    machines,
    machineCount: String(machines),
    cores: String(needs.cores),
    memory: `${needs.memoryMib}Mi`,
    sysctls: sysctlsFor(needs),
    secrets: secrets.map((key) => fromSecret(names, key)),
    ...listening(scenario),
    ...order.placement,
    ...HOLES_OF[order.kind](order),
    ...storageFor(bytes),
    ownNats: nats.kind === 'own',
    natsAccess: access.environment,
    natsFiles: access.files,
    hasNatsFiles: access.files.length > 0,
    ...(nats.kind === 'own'
      ? { natsImage: nats.image, natsUrl: `tls://${names.name}-nats:4222`, natsAuthority: undefined }
      : { natsImage: undefined, natsUrl: nats.url, natsAuthority: nats.authority }),
  };
  const { header, objects } = parse(order.template, { merge: true, maxAliasCount: -1 });
  const keys = ['MUSTER_CLUSTER_KEY', 'MUSTER_METRICS_TOKEN', 'MUSTER_CONTROL_TOKEN', ...access.secrets, ...secrets];
  const comment = headerOf(header, {
    ...holes,
    title: scenario.name,
    onMachines: counted(machines, 'machine'),
    where: inNamespace(names),
    secretName: secretName(names),
    secretArguments: secretArguments(order, keys),
    coordinator: coordinatorOf(order),
    bytes: formatBytes(bytes),
    fileDescriptors: needs.fileDescriptors,
    fetchWhat: fetched(order).what,
    fetchCommand: fetched(order).command,
  });
  const documents = (part(objects, holes) as readonly { readonly comment: string; readonly object: object }[]).map(
    // Kubernetes reads YAML 1.1, in which more unquoted words are not strings.
    (one) => `# ${one.comment}\n${stringify(one.object, { version: '1.1', lineWidth: 0 })}`,
  );
  return { text: `${comment}---\n${documents.join('---\n')}`, needs, planned };
}

/** JetStream must report that it is full before the disk does. */
const STORE_SHARE = 0.9;

/** The volume of NATS, and how much of it streams may take. */
function storageFor(bytes: number) {
  const gib = Math.ceil(bytes / STORE_SHARE / GIB);
  return { natsVolume: `${gib}Gi`, natsStore: Math.floor(gib * GIB * STORE_SHARE) };
}

const SCENARIO_PATH = '/etc/muster/scenario.yaml';

/** What differs between a run, which ends, and a kept fleet. */
const HOLES_OF: Readonly<Record<ManifestOrder['kind'], (order: ManifestOrder) => Holes>> = {
  run: ({ plan, names }) => ({
    isRun: true,
    isFleet: false,
    restartPolicy: 'Never',
    once: '--once',
    kept: 'results',
    deadlineSeconds: Math.ceil(plan.durationMs / 1000) + AROUND_SECONDS,
    command: ['run', SCENARIO_PATH, '--out', '/work/results', '--resume', `${names.name}-$(JOB_UID)`],
  }),
  fleet: () => ({
    isRun: false,
    isFleet: true,
    restartPolicy: 'Always',
    once: undefined,
    kept: 'data',
    deadlineSeconds: undefined,
    command: ['fleet', SCENARIO_PATH, '--data', '/work/data'],
  }),
};

const NATS_FILES = '/etc/muster-nats';

/** What pods need to connect to NATS: variables, files, and keys of the Secret. */
function natsAccess(nats: ManifestOrder['nats'], names: Names) {
  const secretFile = (key: string) => ({ secret: { name: secretName(names), items: [{ key, path: key }] } });
  const at = (name: string, file: string) => ({ name, value: `${NATS_FILES}/${file}` });
  if (nats.kind === 'own')
    return {
      environment: [
        { name: 'MUSTER_NATS_USER', value: 'muster' },
        fromSecret(names, 'MUSTER_NATS_PASSWORD'),
        at('MUSTER_NATS_CA', 'tls.crt'),
      ],
      files: [secretFile('tls.crt')],
      secrets: ['MUSTER_NATS_PASSWORD'],
    };
  const authority = { configMap: { name: `${names.name}-scenario`, items: [{ key: 'nats-ca.pem', path: 'ca.pem' }] } };
  const isTrusted = nats.authority === undefined;
  const [trust, trustFiles] = isTrusted ? [[], []] : [[at('MUSTER_NATS_CA', 'ca.pem')], [authority]];
  if (nats.login === 'user') {
    const secrets = ['MUSTER_NATS_USER', 'MUSTER_NATS_PASSWORD'];
    return { environment: [...secrets.map((key) => fromSecret(names, key)), ...trust], files: trustFiles, secrets };
  }
  const file = nats.login === 'creds' ? at('MUSTER_NATS_CREDS', 'nats.creds') : at('MUSTER_NATS_NKEY', 'nats.nkey');
  const key = `nats.${nats.login}`;
  return { environment: [file, ...trust], files: [...trustFiles, secretFile(key)], secrets: [key] };
}

function fromSecret(names: Names, key: string) {
  return { name: key, valueFrom: { secretKeyRef: { name: secretName(names), key } } };
}

type Holes = Readonly<Record<string, unknown>>;

/**
 * A part of a template with its holes filled; `undefined` without a value. A text that is only a hole, such as `<machines>`, takes a
 * value of any type, and a list for an item replaces that item.
 */
function part(given: unknown, holes: Holes): unknown {
  if (typeof given === 'string') {
    const [, alone] = /^<(\w+)>$/.exec(given) ?? [];
    return alone === undefined ? given.replace(/<(\w+)>/g, (_, name) => `${hole(name, holes)}`) : hole(alone, holes);
  }
  if (Array.isArray(given)) return given.flatMap((item) => part(item, holes) ?? []);
  if (typeof given !== 'object' || given === null) return given;
  const { if: condition = true, ...members } = given as { readonly if?: unknown };
  if (part(condition, holes) === false) return undefined;
  const kept = Object.entries(members).map(([key, value]) => [key, part(value, holes)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

function hole(name: string, holes: Holes): unknown {
  if (!Object.hasOwn(holes, name)) throw new Error(`manifest.yaml: expected a known hole, found <${name}>`);
  return holes[name];
}

/** @throws UserError if the scenario needs something that a pod lacks. */
function assertFitForPods({ fleet, webServer }: Scenario): void {
  const [source] = fleet.sourceAddresses;
  if (source !== undefined)
    throw new UserError(
      `fleet.sourceAddresses: expected none, because a pod has a single address, which is unknown in advance; found ${source}; ` +
        'use more machines instead of addresses.',
    );
  if (webServer?.listen.kind === 'addresses')
    throw new UserError(
      'webServer.listen: expected one address and a range of ports, because a pod has a single address, found a range of addresses; write 0.0.0.0:20000+.',
    );
}

/** The scenario with the paths of its files in the coordinator's pod. */
function inPod(scenario: Scenario): Scenario {
  const { target } = scenario;
  if (target.tls.caFile === undefined) return scenario;
  return { ...scenario, target: { ...target, tls: { ...target.tls, caFile: '/etc/muster/ca.pem' } } };
}

/** Environment variables that an effective scenario refers to: its secrets. */
function environmentAsked(text: string): readonly string[] {
  const names = [...text.matchAll(/\$\$\{|\$\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return [...new Set(names)];
}

// The API server refuses a larger object.
const MAX_CONFIG_BYTES = 1_000_000;

function assertFitsConfigMap(text: string, authorities: string): void {
  const bytes = Buffer.byteLength(text + authorities);
  if (bytes > MAX_CONFIG_BYTES)
    throw new UserError(
      `The scenario: expected up to ${MAX_CONFIG_BYTES} bytes with every default, the limit of a ConfigMap, found ${bytes}; ` +
        'use fewer events or phases.',
    );
}

/** `undefined` if the usual range of ports suffices. */
function sysctlsFor({ localPorts }: MachineNeeds) {
  const { first, last } = WIDEST_PORT_RANGE;
  return localPorts > USUAL_LOCAL_PORTS
    ? [{ name: 'net.ipv4.ip_local_port_range', value: `${first} ${last}` }]
    : undefined;
}

/** Who may connect to machines: nobody, unless agents listen. */
function listening({ webServer, fleet }: Scenario) {
  if (webServer?.listen.kind !== 'ports') return { pollers: 'Deny all connections to machines.', ingress: [] };
  const { firstPort: port } = webServer.listen;
  const ports = [{ port, endPort: port + fleet.agents - 1, protocol: 'TCP' }];
  return { pollers: 'Allow pollers of agents to connect to machines.', ingress: [{ ports }] };
}

function secretName({ name }: Names): string {
  return `${name}-keys`;
}

/** The arguments that give the Secret its keys, a line each. */
function secretArguments({ nats }: ManifestOrder, keys: readonly string[]): string {
  const isOwn = nats.kind === 'own';
  const generated = (key: string) =>
    (key === 'MUSTER_NATS_PASSWORD' && !isOwn ? undefined : GENERATED_SECRETS[key]) ?? '…';
  const given = keys.map((key) =>
    key.startsWith('nats.') ? `--from-file=${key}=…` : `--from-literal=${key}=${generated(key)}`,
  );
  return [...given, ...(isOwn ? ['--from-file=tls.crt', '--from-file=tls.key'] : [])].join(' \\\n    ');
}

function headerOf(lines: unknown, holes: Holes): string {
  const shown = part(lines, holes) as readonly (string | { readonly line: string })[];
  const text = shown.map((line) => (typeof line === 'string' ? line : line.line)).join('\n');
  return text.replace(/^.*$/gm, (line) => `# ${line}`.trimEnd()).concat('\n');
}

function inNamespace({ namespace }: Names): string {
  return namespace === undefined ? '' : ` --namespace ${namespace}`;
}

function coordinatorOf({ kind, names: { name } }: Pick<ManifestOrder, 'kind' | 'names'>): string {
  return `${kind === 'run' ? 'job' : 'statefulset'}/${name}`;
}

/** How to copy what the coordinator keeps to this machine. */
export function fetched(order: Pick<ManifestOrder, 'kind' | 'names'>): {
  readonly what: string;
  readonly command: string;
} {
  const where = inNamespace(order.names);
  const copy = (pod: string, folder: string) => `kubectl exec${where} ${pod} -- tar -cz -C /work ${folder} | tar -xz`;
  if (order.kind === 'fleet') return { what: 'Fetch its data', command: copy(coordinatorOf(order), 'data') };
  const reader = `deployment/${order.names.name}-results`;
  const command = [
    `kubectl scale${where} ${reader} --replicas 1`,
    `kubectl rollout status${where} ${reader}`,
    copy(reader, 'results'),
    `kubectl scale${where} ${reader} --replicas 0`,
  ];
  return { what: 'Fetch the results', command: command.join(' && ') };
}
