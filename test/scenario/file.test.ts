import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatScenario } from '../../src/scenario/file.ts';
import { escapeVariables } from '../../src/scenario/reading/variables.ts';
import { draws } from '../draws.ts';
import { SMALLEST, scenarioOf } from './read-scenario.ts';

const words = fc.oneof(
  fc.constantFrom('a', '5', 'null', 'true', '${X}', '# x', 'ü: y', '$'),
  fc.string().map(escapeVariables),
  fc.constant(escapeVariables('${X}')),
);
const duration = fc.oneof(
  fc.integer({ min: 1, max: 10 ** 9 }).map((n) => `${n}us`),
  fc.integer({ min: 1, max: 10 ** 8 }).map((n) => `${n}ms`),
  fc.double({ min: 0.001, max: 1e5, noNaN: true }).map((n) => `${n.toFixed(7)}s`),
);
const rate = fc
  .oneof(
    fc.integer({ min: 1, max: 10 ** 6 }).map((n) => `${n}/m`),
    fc.double({ min: 1e-9, max: 1e6, noNaN: true }).map((n) => `${n.toFixed(12)}/h`),
  )
  .filter((text) => Number.parseFloat(text) > 0);
const count = fc.integer({ min: 0, max: 100 });
const slots = fc.integer({ min: 1, max: 10 });
const rates = fc.oneof(
  fc.record({ rate }),
  fc.record({ rate: fc.tuple(rate, rate).map(([from, to]) => `${from}..${to}`) }),
  fc.record({ concurrency: slots }),
);
const load = fc.oneof(
  rates,
  fc.record(
    { every: duration, jitter: fc.double({ min: 0, max: 1, noNaN: true }), first: duration },
    { requiredKeys: ['every'] },
  ),
);
const delay = fc.oneof(
  fc.constantFrom('0s', '20ms', '10ms..1.5s', '5us..5us'),
  fc.constantFrom<object>({ '0.5%': '1ms', '50%': '1ms', '99.9%': '1h' }, { '100%': '5s', '33.333333%': '0s' }),
  fc.record({ median: fc.constant('20ms'), sigma: fc.double({ min: 0, max: 10, noNaN: true }) }),
);
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('30%', '33.333333%', '100%', '0%'));
const at = fc.oneof(
  duration,
  duration.map((offset) => `p0+${offset}`),
  fc.constant('p0'),
);
const operations = fc.subarray(['register', 'authorize', 'checkdata', 'packages'], { minLength: 1 });
const fault = fc
  .tuple(
    fc.oneof(
      fc.record({ do: fc.constant('latency'), delay }),
      fc.record({ do: fc.constant('reset'), processed: fc.boolean() }),
      fc.constantFrom<object>(
        { do: 'status', status: 503, body: 'html' },
        { do: 'content-type', contentType: '$${x} text/plain' },
        { do: 'drip', bytesPerSecond: 100 },
      ),
    ),
    fc.record({ at, for: duration, share, operations }, { requiredKeys: [] }),
  )
  .map(([what, when]) => ({ ...what, ...when }))
  .chain((request) =>
    fc.oneof(
      fc.constant<object>(request),
      fc.record(
        { do: fc.constantFrom('freeze', 'outage', 'stop-accepting'), at, for: duration },
        { requiredKeys: ['do'] },
      ),
      fc.record({ do: fc.constant('forget'), share, at }, { requiredKeys: ['do'] }),
      fc.record({ do: fc.constant('connection-limit'), connections: count }),
    ),
  );
const cohort = fc.constantFrom<unknown>(1, '100%', '0..9', '3..3', 'profile=ubuntu-*', 'not (5 or host="a b") or 7');
const event = fc
  .tuple(
    fc.oneof(
      fc.constantFrom<object>({ do: 'cpu-saturated' }, { do: 'reboot' }, { do: 'disk-full' }, { do: 'memory-leak' }),
      fc.record({ do: fc.constant('disk-full'), mountpoint: fc.constant('/') }),
      fc.record({
        do: fc.constant('clock-skew'),
        offset: fc.oneof(
          duration,
          duration.map((time) => `-${time}`),
        ),
      }),
      fc.record({ do: fc.constant('check-error'), check: fc.constant('disk_io'), error: words.filter(Boolean) }),
      fc.constantFrom<object>({ do: 'disconnect' }, { do: 'stop' }, { do: 'clone', original: 3, password: 'none' }),
      fc.record({ do: fc.constant('upgrade'), version: fc.constant('3.5.0') }),
      fc.record({ do: fc.constant('scale'), to: share }),
      fc.record({ do: fc.constant('retarget'), url: fc.constant('http://127.0.0.1:8081/prefix') }),
    ),
    fc.record({ at, for: duration, cohort, over: duration, sticky: fc.constant('site') }, { requiredKeys: [] }),
  )
  .map(([what, when]) => ({ ...what, ...when }));
const phase = fc.record(
  {
    duration,
    exclude: fc.boolean(),
    register: fc.oneof(rates, fc.record({ over: duration })),
    authorize: load,
    checkdata: load,
    packages: load,
  },
  { requiredKeys: ['duration', 'checkdata'] },
);
// Long enough for all faults and events to begin in this phase, and with all operations for faults to hit.
const ALL_DAY = { duration: '2d', authorize: { rate: '1/s' }, packages: { every: '1h' }, checkdata: { every: '30s' } };
const basicAuth = fc.oneof(
  fc.constant(''),
  words.map((word) => `me:${word}`),
);
const keys = fc.record(
  {
    type: fc.constantFrom('rsa-4096', 'rsa-2048', 'ecdsa-p256'),
    pool: fc.oneof(slots, fc.constant('unique')),
  },
  { requiredKeys: [] },
);
const webServer = fc.record(
  {
    listen: fc.constantFrom('127.0.0.0/8:3333', '10.0.0.0/8:1'),
    dialect: fc.constantFrom('documented', 'shipped'),
    autoTls: fc.boolean(),
    configPush: fc.constant(true),
    allowListen: fc.constantFrom(['10.0.0.0/8'], ['fd00::7', '10.0.0.0/7']),
    trustWebPages: fc.boolean(),
    basicAuth,
    tlsLevel: fc.constantFrom('lax', 'intermediate', 'modern'),
    keys,
  },
  { requiredKeys: ['listen', 'configPush', 'allowListen'] },
);
const pull = fc.record(
  { every: duration, packages: duration, timeout: duration, concurrency: slots, config: words.filter(Boolean) },
  { requiredKeys: [] },
);
const certificateFiles = fc.record({ cert: words.filter(Boolean), key: words.filter(Boolean) });
const certificate = fc.oneof(fc.constant('self-signed'), certificateFiles);
const file = fc.record(
  {
    description: words,
    target: fc.record(
      {
        apiKey: words,
        timeout: duration,
        allow: fc.array(fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,12}$/)),
        tls: fc.oneof(
          fc.record({ verify: fc.boolean(), serve: certificate }, { requiredKeys: [] }),
          fc.record({ verify: fc.constant(true), ca: words.filter(Boolean), serve: certificate }),
        ),
        dialect: fc.constantFrom('documented', 'shipped'),
        faults: fc.array(fault, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
    fleet: fc.record(
      {
        agents: fc.integer({ min: 10, max: 10 ** 7 }),
        seed: fc.maxSafeNat(),
        payload: fc.oneof(
          fc.constantFrom<unknown>('full', 'typical', 'lean'),
          fc.record(
            { processes: slots, services: slots, disks: slots, interfaces: slots, containers: count },
            { requiredKeys: [] },
          ),
        ),
        checks: fc.record(
          { docker: count, customchecks: count, prometheus_exporters: count, sensors: fc.boolean() },
          { requiredKeys: [] },
        ),
        connections: fc.oneof(fc.constant('per-agent'), fc.record({ shared: slots })),
        sourceAddresses: fc.subarray(['127.0.0.2', '10.0.0.250-10.0.1.3', 'fd00::2', '192.0.2.7']),
        identities: words.filter(Boolean),
      },
      { requiredKeys: ['agents'] },
    ),
    events: fc.array(event, { maxLength: 3 }),
    phases: fc
      .array(phase, { minLength: 1, maxLength: 4 })
      .map((phases) => phases.map((entry, n) => ({ name: `p${n}`, ...entry, ...(n === 0 && ALL_DAY) }))),
    thresholds: fc.constantFrom(
      {},
      {
        checkdata: ['p(99) < 250ms', 'error_rate <= 0.1%', 'rate > 5/m', 'dropped == 0', 'dropped_rate < 0.5%'],
        'register{phase:p0}': ['count == 5'],
        delivery: ['lost == 0', 'unknown < 9'],
      },
      {
        checkdata: ['p(99) < 1s', { condition: 'error_rate < 5%', abort: true as const }],
      },
    ),
  },
  { requiredKeys: ['fleet', 'phases'] },
);

const pushing = fc
  .tuple(file, fc.option(webServer), fc.option(pull))
  .map(([written, own, asked]) =>
    own === null
      ? written
      : { ...written, webServer: own, target: { ...written.target, ...(asked !== null && { pull: asked }) } },
  );
const instantOfConfig = fc.record({ config: fc.constant('x.ini'), configAt: fc.constantFrom('p0', 'p0+5us', '3s') });
const listening = fc.record({
  fleet: fc.record({ agents: fc.integer({ min: 1, max: 1000 }) }),
  webServer: fc
    .tuple(webServer, fc.integer({ min: 3, max: 10 ** 6 }))
    .map(([own, seconds]) => ({ ...own, interval: `${seconds}s` })),
  target: fc.record({ pull: fc.oneof(pull, instantOfConfig) }),
  phases: fc.constant([{ name: 'p0', duration: '10s' }]),
});

/** Skips draws with a threshold that their phases can never measure: an operation that is never due, or a recovery without time for it. */
function possible<Made>(read: () => Made): Made {
  try {
    return read();
  } catch (error) {
    fc.pre(!/an operation that occurs in its phase|an event that leaves time before/.test(String(error)));
    throw error;
  }
}

describe('the effective scenario', () => {
  it('reads back as the same scenario', () => {
    fc.assert(
      fc.property(fc.oneof({ arbitrary: pushing, weight: 4 }, { arbitrary: listening, weight: 1 }), (written) => {
        const scenario = possible(() => scenarioOf(stringify(written), [], { X: 'x' }));
        const { user, password } = scenario.webServer?.basicAuth ?? { user: '', password: '' };
        const again = scenarioOf(formatScenario(scenario), [], {
          MUSTER_API_KEY: scenario.target.apiKey,
          MUSTER_BASIC_AUTH: `${user}:${password}`,
        });
        expect(again).toEqual(scenario);
      }),
      { numRuns: draws(10) },
    );
  });

  it('keeps the delay before a condition may stop the run', () => {
    const condition = '{ condition: dropped == 0, abort: true, after: 1500ms }';
    const scenario = scenarioOf(
      `fleet: { agents: 10 }\nphases: [{ name: p0, duration: 10s, checkdata: { every: 1s } }]\nthresholds: { checkdata: [${condition}] }`,
    );
    expect(scenario.thresholds).toMatchObject([{ abortAfterMs: 1500 }]);
    expect(scenarioOf(formatScenario(scenario)).thresholds).toEqual(scenario.thresholds);
  });

  it('contains no part of a URL that may be a secret, and reads the query from the environment', () => {
    expect(() => scenarioOf(SMALLEST, ['target.url=https://me:s3cret@host'])).toThrow(/user and password(?!.*s3cret)/);
    const scenario = scenarioOf(SMALLEST, ['target.url=https://host/${X}?apikey=s3cret&n=1'], { X: 'x' });
    const text = formatScenario(scenario);
    expect(text).not.toContain('s3cret');
    expect(text).toContain('https://host/$${X}?${MUSTER_TARGET_QUERY}');
    expect(scenarioOf(text, [], { MUSTER_TARGET_QUERY: 'apikey=s3cret&n=1' })).toEqual(scenario);
  });

  it('contains the details of an event', () => {
    const events = 'events=[{ do: service-down, service: nginx, cohort: 0..9 }]';
    const scenario = scenarioOf(SMALLEST, [events]);
    expect(formatScenario(scenario)).toContain('service: nginx');
    expect(scenarioOf(formatScenario(scenario))).toEqual(scenario);
  });

  it('does not contain the API key', () => {
    const text = formatScenario(scenarioOf(SMALLEST, ['target.apiKey=s3cret']));
    expect(text).not.toContain('s3cret');
    expect(text).toContain('"${MUSTER_API_KEY}"');
  });
});
