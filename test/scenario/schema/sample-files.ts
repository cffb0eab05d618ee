import { stringify } from 'yaml';

const FLEET = { agents: 100, profiles: { 'ubuntu-24.04': 1, 'windows-11': 1 } };
const EVERY = { every: '30s' };

/** Agents that push and listen. */
const PUSHING = {
  fleet: FLEET,
  webServer: { listen: '127.0.0.1:20000+' },
  phases: [
    { name: 'steady', duration: '1h', authorize: EVERY, checkdata: EVERY, packages: EVERY },
    { name: 'enroll', register: { rate: '50/s' } },
  ],
};

/** Agents that register with the first load. */
const REGISTERING = { fleet: FLEET, phases: [{ name: 'enroll', register: { rate: '50/s' } }] };

/** Without a load; the part under test contains one. */
const PLAIN = { fleet: FLEET, phases: [{ name: 'steady', duration: '1h' }] };

/** Agents that are polled and verify certificates. */
const PULLED = {
  target: { pull: { config: 'agent.ini' }, tls: { verify: true } },
  fleet: FLEET,
  webServer: { listen: '127.0.0.1:20000+', autoTls: true, configPush: true },
  phases: [{ name: 'steady', duration: '1h' }],
};

/** Groups of hosts, the first of which the part under test supplies, by weight or by count. */
const GROUPED = [{ weight: 1 }, {}].map((first) => ({
  ...PUSHING,
  fleet: { agents: 100, hosts: [first, { name: 'others', weight: 1, profile: 'macos-26' }] },
}));

/** A fleet with an event on agents. */
const EVENTFUL = { ...PUSHING, events: [{ do: 'disconnect', name: 'outage', at: '10m', for: '5s' }] };

/** A fleet with an event that ends another. */
const ENDED = { ...PUSHING, events: [{ event: 'cable' }, { do: 'disconnect', name: 'cable' }] };

/** A fleet with a server that stays up. */
const SERVED = { ...PUSHING, target: { url: 'https://mon.example' } };

/** Each function returns a complete scenario file that contains the given part. */
export const SAMPLES = [PUSHING, REGISTERING, PLAIN, PULLED, EVENTFUL, ENDED, SERVED, ...GROUPED].map(
  (base) => (part: unknown) => stringify(laidOver(base, part)),
);

/** Merges sections by key and lists by position. */
function laidOver(base: unknown, part: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(part)) {
    return [...part.map((entry, index) => laidOver(base[index], entry)), ...base.slice(part.length)];
  }
  if (!isSection(base) || !isSection(part)) return part;
  const joined = Object.entries(part).map(([key, value]) => [key, laidOver(base[key], value)]);
  return { ...base, ...Object.fromEntries(joined) };
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
