import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incident } from '../../src/hosts/host/incident.ts';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws, near } from '../draws.ts';
import { type Case, checkdata, type Parsed, packages } from './any-machine.ts';

const FROM_MS = Date.UTC(2026, 9, 5, 12);
const TO_MS = FROM_MS + 3_600_000;
const DURING_MS = TO_MS - 60_000;
/** Any time of the incident after the end of its first check run, often around its end. */
const anyDuring = fc
  .oneof(fc.integer({ min: FROM_MS, max: TO_MS }), near(fc.constantFrom(FROM_MS, TO_MS)))
  .map((ms) => Math.min(TO_MS - 1, Math.max(FROM_MS + 10_000, ms)));
const SPAN = { isHit: () => true, fromMs: FROM_MS, toMs: TO_MS };

type Host = { readonly seed: number; readonly profile: string; readonly agent: number };

const anyHost = fc.record({ seed: fc.nat(6), profile: fc.constantFrom(...PROFILE_NAMES), agent: fc.nat(20_000) });
const anyWindowsOrMac = anyHost.filter(({ profile }) => /^(windows|macos)/.test(profile));

function caseOf({ seed, profile, agent }: Host, incidents: readonly Incident[]): Omit<Case, 'instantMs'> {
  return {
    fleet: { seed, profiles: { [profile]: 1 }, payload: 'typical', checkIntervalSeconds: 30, incidents },
    agent,
  };
}

describe('on any host', () => {
  it('a memory leak exceeds 90 % in the end, and moves memory to swap if there is any', () => {
    fc.assert(
      fc.property(anyHost, (host) => {
        const one = caseOf(host, [{ kind: 'memory-leak', ...SPAN }]);
        const [before, late] = [FROM_MS - 60_000, TO_MS - 1000].map((instantMs) => checkdata({ ...one, instantMs }));
        expect(late.memory.percent).toBeGreaterThan(90);
        if (late.swap.total > 0) expect(late.swap.used).toBeGreaterThan(before.swap.used);
      }),
      { numRuns: draws(8) },
    );
  });

  it('saturated cores are fully used, and no more than that', () => {
    fc.assert(
      fc.property(anyHost, anyDuring, (host, instantMs) => {
        const one = caseOf(host, [{ kind: 'cpu-saturated', ...SPAN }]);
        const { cpu, processes } = checkdata({ ...one, instantMs });
        const worked = processes.reduce((sum: number, { cpu_percent }: Parsed) => sum + cpu_percent, 0);
        const most = host.profile.startsWith('windows') ? 100 : 100 * cpu.cpu_percentage.length;
        expect(worked).toBeLessThanOrEqual(most + 0.5);
        expect(cpu.cpu_total_percentage).toBeGreaterThan(90);
        expect(cpu.cpu_total_percentage).toBeLessThanOrEqual(100);
      }),
      { numRuns: draws(8) },
    );
  });

  it('a skewed clock shifts the times of the agent, which reports that it is not synchronized', () => {
    fc.assert(
      fc.property(anyHost, fc.integer({ min: -4000, max: 4000 }), anyDuring, (host, offsetSeconds, instantMs) => {
        const incident: Incident = { kind: 'clock-skew', offsetSeconds, ...SPAN };
        const [skewed, right] = [[incident], []].map((incidents) => {
          return checkdata({ ...caseOf(host, incidents), instantMs });
        });
        expect(skewed.agent.last_updated_timestamp - right.agent.last_updated_timestamp).toBe(offsetSeconds);
        expect(skewed.ntp.Timestamp - right.ntp.Timestamp).toBe(offsetSeconds);
        expect(skewed.agent.system_uptime).toBe(right.agent.system_uptime);
        if (offsetSeconds !== 0) expect(skewed.ntp.SyncStatus).toBe(false);
      }),
      { numRuns: draws(8) },
    );
  });

  it('security updates become due if the package manager can report them', () => {
    const telling = anyHost.filter(({ profile }) => !/^(arch|macos)/.test(profile));
    fc.assert(
      fc.property(telling, (host) => {
        const one = caseOf(host, [{ kind: 'security-updates-due', ...SPAN }]);
        expect(packages({ ...one, instantMs: DURING_MS }).Stats.SecurityUpdates).toBeGreaterThan(0);
      }),
      { numRuns: draws(8) },
    );
  });
});

/** The services that run in a separate process, with its PID. */
function ownProcesses({ windows_services = [], launchd_services = [] }: Parsed): ReadonlyMap<string, number> {
  const running = [...windows_services, ...launchd_services].filter(({ Pid }: Parsed) => Pid > 0);
  const byPid = Map.groupBy(running, ({ Pid }: Parsed) => Pid as number);
  const alone = [...byPid].flatMap(([pid, those]) => (those.length === 1 ? [[those[0], pid] as const] : []));
  return new Map(alone.map(([{ Name, Label }, pid]) => [Name ?? Label, pid]));
}

describe('a stopped service of Windows or macOS', () => {
  it('has no process, whichever service it is', () => {
    fc.assert(
      fc.property(anyWindowsOrMac, fc.nat(200), anyDuring, (host, pick, instantMs) => {
        const well = checkdata({ ...caseOf(host, []), instantMs });
        // Services of a user or of the kernel cannot be named.
        const kernels = /_[0-9a-f]+$|^(SamSs|KeyIso|VaultSvc|NTDS|Kdc|KdsSvc|Netlogon)$/;
        const named = [...ownProcesses(well)].filter(([name]) => !kernels.test(name));
        const [service, pid] = named[pick % named.length] ?? ['', 0];
        const down = checkdata({ ...caseOf(host, [{ kind: 'service-down', service, ...SPAN }]), instantMs });
        const states: readonly Parsed[] = [...(down.windows_services ?? []), ...(down.launchd_services ?? [])];
        const state = states.find(({ Name, Label }) => (Name ?? Label) === service);
        expect({ ...state }, service).toMatchObject({ Pid: 0 });
        expect(down.processes.map((process: Parsed) => process.pid)).not.toContain(pid);
      }),
      { numRuns: draws(8) },
    );
  });
});
