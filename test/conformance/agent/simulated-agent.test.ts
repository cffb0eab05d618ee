import { expect, it, onTestFinished } from 'vitest';
import { addressText } from '../../../src/base/kernel/address.ts';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import { openAuthority } from '../../../src/conformance/agent/authority.ts';
import { AGENT_CASES, tryAgent } from '../../../src/conformance/agent/mode.ts';
import { makeAuthority } from '../../../src/wire/poller/authority.ts';
import { startFleet } from '../../run/listening/running-fleet.ts';
import { isDeviation } from '../deviations.ts';

const CASES = AGENT_CASES.filter((one) => !('slow' in one && one.slow));

it('the simulated agent of the documented dialect hides Auto-TLS that is off, as the page says', async () => {
  const fleet = await startFleet(`
target: { url: "http://127.0.0.1:9" }
fleet: { agents: 1, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN, trustWebPages: true }
phases: [{ name: serve, duration: 5m }]`);
  onTestFinished(fleet.close);
  const address = fleet.at(0);
  const cases = AGENT_CASES.filter(({ id, needs }) => id.startsWith('autotls.') && needs === undefined);
  const subject = {
    peer: { address, tls: undefined },
    base: `http://${addressText(address)}`,
    auth: undefined,
    authority: undefined,
    allowChanges: false,
    patienceMs: 30_000,
    clock: monotonicClock,
    timer: realTimer,
    saved: () => {},
  };
  const ports = { clock: monotonicClock, timer: realTimer, signal: new AbortController().signal, onResult: () => {} };
  const found = await tryAgent(subject, cases, ports);
  const broken = found?.results.filter(({ verdict }) => verdict.kind === 'broken').map(({ rule }) => rule.id);
  expect(broken).toEqual(cases.filter((one) => isDeviation(one, 'documented')).map(({ id }) => id));
  expect(broken).toContain('autotls.1');
  await fleet.stop();
}, 60_000);

it('the simulated agent breaks exactly the rules that the page says, and gets its configuration back', async () => {
  const fleet = await startFleet(`
target: { url: "http://127.0.0.1:9" }
fleet: { agents: 1, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer:
  { listen: LISTEN, autoTls: true, configPush: true, dialect: shipped, trustWebPages: true, interval: 3s, keys: { type: rsa-2048, pool: 1 } }
phases: [{ name: serve, duration: 5m }]`);
  onTestFinished(fleet.close);
  const address = fleet.at(0);
  const authority = await makeAuthority({ systemId: 'test', keyType: 'ecdsa-p256', nowMs: Date.now() });
  let saved = '';
  const subject = {
    peer: { address, tls: undefined },
    base: `http://${addressText(address)}`,
    auth: undefined,
    authority: await openAuthority(authority),
    allowChanges: true,
    patienceMs: 30_000,
    clock: monotonicClock,
    timer: realTimer,
    saved: (configuration: string) => {
      saved = configuration;
    },
  };
  const ports = { clock: monotonicClock, timer: realTimer, signal: new AbortController().signal, onResult: () => {} };
  const found = await tryAgent(subject, CASES, ports);
  if (found === undefined) throw new Error('no answer');
  const { results, configuration, hasCertificates } = found;
  const broken = results.filter(({ verdict }) => verdict.kind === 'broken').map(({ rule }) => rule.id);
  // The fleet has shorter keys than real agents, so that the test need not make one.
  expect(broken).toEqual(
    CASES.filter((one) => isDeviation(one, 'shipped') || one.id === 'autotls.3').map(({ id }) => id),
  );
  expect({ configuration, hasCertificates }).toEqual({ configuration: 'restored', hasCertificates: true });
  expect(JSON.parse(saved)).toHaveProperty('configuration');
  const untried = results.filter(({ verdict }) => verdict.kind === 'untried').map(({ rule }) => rule.id);
  expect(untried.filter((id) => /^(auth|tls)\.|^config\.[2-9]/.test(id))).toEqual([]);
  await fleet.stop();
}, 120_000);
