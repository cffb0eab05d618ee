import { readNatsUrl } from '../../cluster/address.ts';
import type { ManifestOrder, NatsLogin, Toleration } from '../../cluster/kubernetes/manifest.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { VERSION } from '../../ground/kernel/version.ts';
import { quoted } from '../../ground/notation/finding.ts';
import { onlyOne, type ScenarioFlags } from './common.ts';
import type { ManifestFlags } from './manifest-flags.ts';

/** The validated flags of `muster manifest`; files are given by path. */
export type ManifestRequest = Omit<ManifestOrder, 'template' | 'scenario' | 'plan' | 'authority' | 'nats'> & {
  readonly nats: NatsRequest;
};

type NatsRequest =
  | Extract<ManifestOrder['nats'], { kind: 'own' }>
  | { readonly kind: 'existing'; readonly url: string; readonly caFile: string | undefined; readonly login: NatsLogin };

type TextFlag = Exclude<
  keyof ManifestFlags,
  keyof ScenarioFlags | 'scenario' | 'fleet' | 'machines' | 'node-selector' | 'toleration'
>;

/** Validates the flags of `muster manifest`. Throws `UserError` for an invalid value. */
export function manifestWanted(flags: ManifestFlags, scenarioName: string): ManifestRequest {
  const given = (flag: TextFlag) => onlyOne(flag, flags[flag]);
  return {
    kind: flags.fleet ? 'fleet' : 'run',
    machines: machinesOf(onlyOne('machines', flags.machines)),
    names: {
      name: nameOf(given('name') ?? nameFrom(scenarioName)),
      namespace: labelOf('namespace', given('namespace')),
    },
    image: imageOf('image', given('image')) ?? `muster:${VERSION}`,
    cores: coresOf(given('cpu')),
    memoryMib: memoryOf(given('memory')),
    storageClass: labelOf('storage-class', given('storage-class')),
    nats: natsOf(given),
    placement: {
      nodeSelector: flags['node-selector'] && Object.fromEntries(flags['node-selector'].map(selectorOf)),
      tolerations: flags.toleration?.map(tolerationOf),
    },
  };
}

const MOST_MACHINES = 1000;

function machinesOf(text: string): number {
  const machines = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (machines >= 1 && machines <= MOST_MACHINES) return machines;
  throw unexpected('machines', `a whole number from 1 to ${MOST_MACHINES}`, text);
}

// Object names are DNS labels, and pod names append a suffix and an index to `NAME-machines`.
const LONGEST_NAME = 40;

function nameFrom(scenarioName: string): string {
  const label = scenarioName.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return (
    label
      .replace(/^[^a-z]+/, '')
      .slice(0, LONGEST_NAME)
      .replace(/-$/, '') || 'muster'
  );
}

function nameOf(text: string): string {
  if (/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(text) && text.length <= LONGEST_NAME) return text;
  throw unexpected('name', `up to ${LONGEST_NAME} lowercase letters, digits and dashes, such as steady-load`, text);
}

function labelOf(flag: 'namespace' | 'storage-class', text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw unexpected(flag, 'lowercase letters, digits and dashes, such as load', text);
}

function imageOf(flag: 'image' | 'nats-image', text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z0-9][\w.:/@-]*$/.test(text)) return text;
  throw unexpected(flag, 'an image such as registry.example/muster:0.1.0', text);
}

function coresOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw unexpected('cpu', 'whole cores such as 2, because a CPU limit below one core throttles all threads', text);
}

function memoryOf(text: string | undefined): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,5})(Mi|Gi)$/.exec(text ?? '') ?? [];
  if (amount !== undefined) return Number(amount) * (unit === 'Gi' ? 1024 : 1);
  if (text === undefined) return undefined;
  throw unexpected('memory', 'an amount such as 512Mi or 2Gi', text);
}

const USUAL_NATS = 'nats:2.11-alpine';

function natsOf(given: (flag: TextFlag) => string | undefined): NatsRequest {
  const [url, image] = [given('nats'), imageOf('nats-image', given('nats-image'))];
  if (url === undefined) {
    const [extra] = (['nats-ca', 'nats-login'] as const).filter((flag) => given(flag) !== undefined);
    if (extra === undefined) return { kind: 'own', image: image ?? USUAL_NATS };
    throw new UserError(`--${extra} applies to an existing NATS server: add its address with --nats, or omit it.`);
  }
  if (image !== undefined)
    throw new UserError('--nats-image starts a NATS server, but --nats uses an existing one: omit one of them.');
  const { shown, isRemote } = readNatsUrl(url);
  if (!isRemote) throw unexpected('nats', 'a server that pods can reach, such as tls://nats.example:4222', shown);
  return { kind: 'existing', url: shown, caFile: given('nats-ca'), login: loginOf(given('nats-login') ?? 'user') };
}

function loginOf(text: string): NatsLogin {
  if (text === 'user' || text === 'creds' || text === 'nkey') return text;
  throw unexpected('nats-login', 'user, creds or nkey', text);
}

const LABEL = '[A-Za-z0-9](?:[\\w./-]{0,251}[A-Za-z0-9])?';
const SELECTOR = new RegExp(`^(${LABEL})=(${LABEL})?$`);
const TAINT = new RegExp(`^(${LABEL})(?:=(${LABEL})?)?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$`);

function selectorOf(text: string): readonly [key: string, value: string] {
  const [, key, value = ''] = SELECTOR.exec(text) ?? [];
  if (key !== undefined) return [key, value];
  throw unexpected('node-selector', 'a label such as pool=load', text);
}

function tolerationOf(text: string): Toleration {
  const [, key, value, effect] = TAINT.exec(text) ?? [];
  if (key === undefined) throw unexpected('toleration', 'a taint such as dedicated=load:NoSchedule', text);
  const taint = value === undefined ? { operator: 'Exists' as const } : { operator: 'Equal' as const, value };
  return { key, ...taint, ...(effect !== undefined && { effect }) };
}

function unexpected(flag: string, expected: string, text: string): UserError {
  return new UserError(`--${flag}: expected ${expected}, found ${quoted(text)}`);
}
