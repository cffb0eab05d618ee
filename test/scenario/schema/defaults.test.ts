import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonSchema } from '../../../src/scenario/json-schema.ts';
import { scenarioInputSchema } from '../../../src/scenario/json-schema.ts';
import { scenarioOf } from '../read-scenario.ts';
import { PLACES } from './places.ts';

const TIMED = { every: '30s' };

/** Every section without a default, each with its required keys only. */
const BARE = {
  target: {
    faults: [
      ...[{ do: 'latency', delay: '20ms' }, { do: 'status', status: 503 }, { do: 'reset' }, { do: 'half-answer' }],
      ...[{ do: 'content-type', contentType: 'text/plain' }, { do: 'wrong-uuid' }, { do: 'empty-password' }],
      ...[{ do: 'drip', bytesPerSecond: 100 }, { do: 'freeze' }, { do: 'stop-accepting' }, { do: 'outage' }],
      ...[{ do: 'connection-limit', connections: 5 }, { do: 'forget' }],
    ],
    pull: {},
  },
  fleet: { agents: 10 },
  hostClock: {},
  webServer: { listen: '127.0.0.1:20000+' },
  phases: [
    { name: 'steady', duration: '10s', authorize: TIMED, checkdata: TIMED, packages: TIMED },
    { name: 'replayed', duration: '10s', load: { trace: 'incident.trace' } },
  ],
  events: [
    ...[{ do: 'disk-full' }, { do: 'cpu-saturated' }, { do: 'memory-leak' }, { do: 'service-down', service: 'nginx' }],
    ...[{ do: 'clock-skew', offset: '-5m' }, { do: 'reboot' }, { do: 'security-updates-due' }],
    ...[{ do: 'check-error', check: 'disk_io' }, { do: 'disconnect' }, { do: 'restart' }, { do: 'stop' }],
    ...[
      { do: 'lose-password' },
      { do: 'register-again' },
      { do: 'new-identity' },
      { do: 'clone' },
      { do: 'upgrade', version: '3.5.0' },
    ],
    ...[{ do: 'retarget', apiKey: 'other' }, { do: 'synchronize' }, { do: 'scale', to: '50%' }],
    ...[
      { do: 'misbehave', how: 'gzip' },
      { do: 'end', event: 'stop-1' },
    ],
  ],
};

/** With groups of hosts, these keys belong to the groups and not to the fleet. */
const GROUPED = { ...BARE, fleet: { agents: 10, hosts: [{ weight: 1, profile: 'arch' }] } };
const SAID_BY_GROUP = ['profiles', 'payload', 'checks'];

const PROVISION = 'fleet.provision.';

describe('the schema of scenarios', () => {
  it('states the defaults that are applied', () => {
    const stated: string[] = [];
    for (const bare of [BARE, GROUPED]) {
      const spelledOut = withDefaults(bare, { path: '', schema: scenarioInputSchema() }, stated);
      expect(scenarioOf(stringify(spelledOut))).toEqual(scenarioOf(stringify(bare)));
    }
    const below = PLACES.filter(({ path, schema: { default: preset } }) => {
      return preset !== undefined && !isEmpty(preset) && !path.startsWith(PROVISION);
    });
    expect(stated).toEqual(expect.arrayContaining(below.map(({ path }) => path)));
  });

  it('states the defaults of fleet.provision, which is only for servers without the defaults of the embedded one', () => {
    const presets = PLACES.filter(({ path }) => path.startsWith(PROVISION)).flatMap(({ path, schema }) =>
      schema.default === undefined ? [] : [[path.slice(PROVISION.length), schema.default]],
    );
    expect(presets).toHaveLength(6);
    const fleets = [true, {}, Object.fromEntries(presets)].map((provision) => {
      const target = { url: 'http://127.0.0.1:8080' };
      return scenarioOf(stringify({ ...BARE, target, fleet: { agents: 10, provision } })).fleet;
    });
    expect(fleets[1]).toEqual(fleets[0]);
    expect(fleets[2]).toEqual(fleets[0]);
  });
});

function isEmpty(preset: unknown): boolean {
  return typeof preset === 'object' && Object.keys(preset ?? {}).length === 0;
}

type Spot = { readonly path: string; readonly schema: JsonSchema };

/** Returns the data with every default of the schema filled in; adds their paths to `stated`. */
function withDefaults(data: unknown, { path, schema }: Spot, stated: string[]): unknown {
  if (Array.isArray(data)) {
    return data.map((entry) => withDefaults(entry, entrySpot(entry, { path, schema }), stated));
  }
  if (typeof data !== 'object' || data === null) return data;
  const whole: Record<string, unknown> = { ...data };
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const below = { path: path === '' ? key : `${path}.${key}`, schema: child };
    const isSaid = path === 'fleet' && whole.hosts !== undefined && SAID_BY_GROUP.includes(key);
    if (whole[key] === undefined && child.default !== undefined && !isSaid) {
      stated.push(below.path);
      whole[key] = child.default;
    }
    if (whole[key] !== undefined) whole[key] = withDefaults(whole[key], below, stated);
  }
  return whole;
}

function entrySpot(entry: unknown, { path, schema: { items = {} } }: Spot): Spot {
  const kind = (entry as { readonly do?: string }).do;
  if (kind === undefined) return { path: `${path}[]`, schema: items };
  const branch = items.oneOf?.find(({ properties }) => properties?.do?.const === kind);
  return { path: `${path}[](${kind})`, schema: branch ?? {} };
}
