import { describe, expect, it } from 'vitest';
import { AGENT_VERSIONS } from '../../src/base/protocol/agent-versions.ts';
import { compileFleet, type PayloadWriter } from '../../src/hosts/payloads.ts';
import { HOST_DATA } from './host-data.ts';

const START_MS = Date.UTC(2026, 5, 1);
const FLEET = {
  data: HOST_DATA,
  seed: 1,
  agents: 4,
  profiles: { 'ubuntu-24.04': 1, 'windows-server-2022': 1 },
  ...({ payload: 'lean', checkIntervalSeconds: 30, checks: { prometheus_exporters: 1 } } as const),
};
const fleet = compileFleet(FLEET);
const AGENTS = [0, 1, 2, 3];

function text(writer: PayloadWriter, agent: number): string {
  const out = Buffer.alloc(writer.checkdataRoomBytes(agent));
  return out.toString('utf8', 0, writer.writeCheckdata(out, 0, agent, START_MS + 3_600_000));
}

function ofVersion(version: string | undefined, startMs?: number): PayloadWriter {
  return fleet.reloaded(START_MS, undefined, { version, startMs });
}

function checks(version: string, agent = 0): Record<string, Record<string, unknown>> {
  return JSON.parse(text(ofVersion(version), agent));
}

describe('the check data of an agent with another release', () => {
  it.each(AGENT_VERSIONS)('contain release %s', (version) => {
    for (const agent of AGENTS) expect(checks(version, agent).agent?.agent_version).toBe(version);
  });

  it.each([
    ['3.0.11', 'goversion', '3.0.10'],
    ['3.0.12', 'check_interval', '3.0.11'],
  ])('contain since %s %s in agent, which %s lacks', (since, member, before) => {
    expect(checks(since).agent).toHaveProperty(member);
    expect(checks(before).agent).not.toHaveProperty(member);
  });

  it.each([
    ['3.0.12', 'ntp', '3.0.11'],
    ['3.1.0', 'prometheus_exporters', '3.0.12'],
    ['3.5.0', 'packagemanager', '3.4.0'],
  ])('contain since %s %s, which %s lacks', (since, check, before) => {
    expect(checks(since)).toHaveProperty(check);
    expect(checks(before)).not.toHaveProperty(check);
  });

  it('are otherwise equal', () => {
    for (const agent of AGENTS) {
      const present = text(ofVersion(undefined), agent);
      expect(text(ofVersion('3.6.0'), agent)).toBe(present.replaceAll('3.6.1', '3.6.0'));
      expect(text(ofVersion('3.6.1'), agent)).toBe(present);
    }
  });

  it('are complete three seconds earlier before 3.1.0, except on Windows', () => {
    const lengths = (version: string) => AGENTS.map((agent) => ofVersion(version).checkRunMs(agent));
    const [before, since] = [lengths('3.0.12'), lengths('3.1.0')];
    expect(new Set(since.map((ms, agent) => ms - (before[agent] ?? 0)))).toEqual(new Set([0, 3000]));
  });
});

describe('a process that started during the run', () => {
  it("counts its own time from its start, while the host's uptime continues", () => {
    const startMs = START_MS + 3_500_000;
    const [long, short] = [ofVersion(undefined), ofVersion(undefined, startMs)].map((writer) =>
      JSON.parse(text(writer, 0)),
    );
    const sinceStart = ({ agent }: typeof long) => Number(/m=\+([\d.]+)$/.exec(agent.last_updated)?.[1]);
    expect(sinceStart(short)).toBeCloseTo(96, 0);
    expect(sinceStart(long)).toBeGreaterThan(3600);
    expect(short.agent.system_uptime).toBe(long.agent.system_uptime);
  });
});
