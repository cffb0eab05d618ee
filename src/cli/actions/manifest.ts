import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopback } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { VERSION } from '../../base/kernel/version.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { readCertificates } from '../../base/storage/text-files.ts';
import { readNatsUrl } from '../../cluster/address.ts';
import {
  fetched,
  type ManifestOrder,
  manifestOf,
  type NatsLogin,
  type Toleration,
} from '../../cluster/kubernetes/manifest.ts';
import { traceOf } from '../../load/timeline.ts';
import { assertShardsPossible, assertTargetAllowed } from '../../run/guards.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import { keptScenario } from '../../scenario/planning/staying.ts';
import { baseUrlsOf, displayUrl } from '../../scenario/server-urls.ts';
import type { ManifestFlags } from '../commands/machines.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { matching, readFlag, readValue, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';

const TEMPLATE = new URL('../../cluster/kubernetes/manifest.yaml', import.meta.url);

/** Writes a manifest to stdout. Throws `UserError` for a scenario that a cluster cannot run. */
export async function writeManifest(flags: ManifestFlags, io: Io): Promise<void> {
  const { scenario } = await loadScenario(flags.scenario, flags, io);
  const wanted = manifestRequest(flags, scenario.name);
  assertTargetAllowed(scenario.target);
  assertElsewhere(scenario.target);
  assertShardsPossible(scenario, { count: wanted.machines });
  for (const file of new Set(scenario.phases.flatMap((phase) => traceOf(phase)?.file ?? []))) {
    if (flags.image === undefined)
      throw new UserError(
        `The trace ${file}: expected an image with this file, found the usual one; add the file to an image, and name that with --image.`,
      );
    io.stderr.write(`! ${flags.image} must contain the trace ${file}\n`);
  }
  const { caFile } = scenario.target.tls;
  const authority = caFile === undefined ? undefined : await readCertificates(caFile);
  const template = readFileSync(TEMPLATE, 'utf8');
  const nats = await withAuthority(wanted.nats, io.cwd);
  // Refused here as well as by the coordinator.
  if (wanted.kind === 'fleet') keptScenario(scenario);
  const plan = planOf(scenario, readHostData());
  const { text, needs, planned } = manifestOf({ ...wanted, nats, template, scenario, plan, authority });
  if (wanted.memoryMib !== undefined && wanted.memoryMib < planned.memoryMib)
    io.stderr.write(
      `! --memory: expected at least the ${planned.memoryMib}Mi per machine that the plan needs, found ${needs.memoryMib}Mi\n`,
    );
  io.stdout.write(text);
  const { what, command } = fetched(wanted);
  io.stderr.write(`${what}: ${command}\n`);
}

async function withAuthority(nats: ManifestRequest['nats'], cwd: string): Promise<ManifestOrder['nats']> {
  if (nats.kind === 'own') return nats;
  const { caFile, ...rest } = nats;
  return { ...rest, authority: caFile && (await readCertificates(resolve(cwd, caFile))) };
}

/** Throws `UserError` for a target on loopback: in a pod, nothing listens there. */
function assertElsewhere(target: Parameters<typeof baseUrlsOf>[0]): void {
  for (const url of baseUrlsOf(target)) {
    const isHere = url === 'embedded' || isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
    if (isHere)
      throw new UserError(
        `The target ${displayUrl(url)}: expected a server that pods can reach, found one on this machine; set another one with --target and --allow.`,
      );
  }
}

/** The validated flags of `muster manifest`; files are given by path. */
type ManifestRequest = Omit<ManifestOrder, 'template' | 'scenario' | 'plan' | 'authority' | 'nats'> & {
  readonly nats: NatsRequest;
};

type NatsRequest =
  | Extract<ManifestOrder['nats'], { kind: 'own' }>
  | { readonly kind: 'existing'; readonly url: string; readonly caFile: string | undefined; readonly login: NatsLogin };

// Object names are DNS labels, and pod names append a suffix and an index to `NAME-machines`.
const MAX_NAME_CHARACTERS = 40;
const NAME = matching(
  /^(?=.{1,40}$)[a-z]([a-z0-9-]*[a-z0-9])?$/,
  `up to ${MAX_NAME_CHARACTERS} lowercase letters, digits and dashes, such as steady-load`,
);
const DNS_LABEL = matching(
  /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/,
  'lowercase letters, digits and dashes, such as load',
);
const IMAGE = matching(/^[A-Za-z0-9][\w.:/@-]*$/, 'an image such as registry.example/muster:0.1.0');

/** Validates the flags of `muster manifest`. Throws `UserError` for an invalid value. */
function manifestRequest(flags: ManifestFlags, scenarioName: string): ManifestRequest {
  const name = flags.name ?? nameFrom(scenarioName);
  const cores = 'whole cores such as 2, because a CPU limit below one core throttles all threads';
  return {
    kind: flags.fleet ? 'fleet' : 'run',
    machines: readFlag('machines', flags, wholeNumber(1, 1000)),
    names: { name: readFlag('name', { name }, NAME), namespace: readFlag('namespace', flags, DNS_LABEL) },
    image: readFlag('image', flags, IMAGE) ?? `muster:${VERSION}`,
    cores: readFlag('cpu', flags, wholeNumber(1, 999, cores)),
    memoryMib: readFlag('memory', flags, { expected: 'an amount such as 512Mi or 2Gi', read: mebibytes }),
    storageClass: readFlag('storage-class', flags, DNS_LABEL),
    nats: natsOf(flags),
    placement: {
      nodeSelector: flags['node-selector'] && Object.fromEntries(flags['node-selector'].map(selectorOf)),
      tolerations: flags.toleration?.map(tolerationOf),
    },
  };
}

function nameFrom(scenarioName: string): string {
  const label = scenarioName.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return (
    label
      .replace(/^[^a-z]+/, '')
      .slice(0, MAX_NAME_CHARACTERS)
      .replace(/-$/, '') || 'muster'
  );
}

function mebibytes(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,5})(Mi|Gi)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unit === 'Gi' ? 1024 : 1);
}

const USUAL_NATS = 'nats:2.11-alpine';

function natsOf(flags: ManifestFlags): NatsRequest {
  const image = readFlag('nats-image', flags, IMAGE);
  if (flags.nats === undefined) {
    const [extra] = (['nats-ca', 'nats-login'] as const).filter((flag) => flags[flag] !== undefined);
    if (extra === undefined) return { kind: 'own', image: image ?? USUAL_NATS };
    throw new UserError(`--${extra} applies to an existing NATS server: add its address with --nats, or omit it.`);
  }
  const { shown: url, isRemote } = readNatsUrl(flags.nats);
  const expected = 'a server that pods can reach, such as tls://nats.example:4222';
  readFlag('nats', { nats: url }, { expected, read: () => isRemote || undefined });
  const login = readFlag('nats-login', flags, LOGIN) ?? 'user';
  return { kind: 'existing', url, caFile: flags['nats-ca'], login };
}

const LOGIN = {
  expected: 'user, creds or nkey',
  read: (text: string): NatsLogin | undefined => (['user', 'creds', 'nkey'] as const).find((login) => login === text),
};

const LABEL = '[A-Za-z0-9](?:[\\w./-]{0,251}[A-Za-z0-9])?';
const SELECTOR = matching(new RegExp(`^(${LABEL})=(${LABEL})?$`), 'a label such as pool=load');
const TAINT = new RegExp(`^(${LABEL})(?:=(${LABEL})?)?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$`);

function selectorOf(text: string): readonly string[] {
  return readValue({ name: '--node-selector', value: text }, SELECTOR).split('=');
}

function tolerationOf(text: string): Toleration {
  const expected = 'a taint such as dedicated=load:NoSchedule';
  const read = (taint: string) => TAINT.exec(taint) ?? undefined;
  const [, key = '', value, effect] = readValue({ name: '--toleration', value: text }, { expected, read });
  const taint = value === undefined ? { operator: 'Exists' as const } : { operator: 'Equal' as const, value };
  return { key, ...taint, ...(effect !== undefined && { effect }) };
}
