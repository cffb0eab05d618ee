import { describe, expect, it } from 'vitest';
import type { MachineLimits } from '../../../src/base/system/limits.ts';
import { planText } from '../../../src/cli/output/plan-text.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const LIMITS: MachineLimits = {
  fileDescriptors: 20_000,
  hardFileDescriptors: 20_000,
  addressBytes: undefined,
  localPorts: 28_232,
  localPortRange: { first: 32_768, last: 60_999 },
  memoryBytes: 8e9,
  cores: 2,
};

const PULLED = `name: pulled
target: { pull: {} }
fleet: { agents: 1000, payload: lean }
webServer: { listen: 127.20.0.0/16:3333, autoTls: true }
phases: [{ name: polled, duration: 5m }]
`;

const WARNING = /^! ports 40000 to 40999 overlap the ephemeral ports .* from 127\.0\.0\.1, 32768 to 60999/;

function linesOf(sets: readonly string[] = [], text = PULLED) {
  const scenario = scenarioOf(text, sets);
  const lines = planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS, columns: 1000 }).split('\n');
  return lines.filter((line) => /^(listen|pull|!) /.test(line));
}

describe('the plan of a listening fleet', () => {
  it('says where agents listen, which clients connect, and what that takes', async () => {
    const scenario = scenarioOf(PULLED);
    await expect(planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS })).toMatchFileSnapshot(
      'golden/plan-pulled.txt',
    );
  });

  it('lists its phases even if no client is configured', () => {
    const text = PULLED.replace('target: { pull: {} }\n', '').replace('autoTls: true', 'autoTls: false');
    const scenario = scenarioOf(text);
    const lines = planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS }).split('\n');
    expect(lines).toContain('polled  0s     5m        agents listen');
    expect(linesOf([], text)).toEqual([
      'listen  127.20.0.1:3333 to 127.20.3.232:3333, pull mode',
      'pull  from outside; each connection to an agent needs one more file descriptor',
    ]);
  });

  it('shows the only address of a single agent, and a key per agent', () => {
    const sets = ['fleet.agents=1', 'webServer.listen="[::1]:20000+"', 'webServer.keys.pool=unique'];
    expect(linesOf(sets)[0]).toBe('listen  [::1]:20000, pull mode, Auto-TLS with one rsa-4096 key per agent');
  });

  it('distinguishes agents that push and listen from those that only listen', () => {
    expect(linesOf(['phases.0.checkdata={ every: 10s }'])[0]).toContain('push mode with web server');
  });

  it('warns if external clients have too few descriptors', () => {
    const text = PULLED.replace('target: { pull: {} }\n', '');
    expect(linesOf(['fleet.agents=9968'], text).join('\n')).not.toContain('!');
    expect(linesOf(['fleet.agents=9969'], text)).toContainEqual(
      expect.stringMatching(/^! 9969 listening agents leave file descriptors for 9967 concurrent client connections/),
    );
  });

  it('warns if ports overlap the ephemeral ports of connections from the same address', () => {
    expect(linesOf(['webServer.listen=127.0.0.1:40000+'])).toContainEqual(expect.stringMatching(WARNING));
    expect(linesOf(['webServer.listen=127.0.0.1:20000+']).join('\n')).not.toContain('!');
    expect(linesOf(['webServer.listen=127.0.0.1:31768+']).join('\n')).not.toContain('!');
    expect(linesOf(['webServer.listen=127.0.0.1:31769+']).join('\n')).toContain('! ports 31769 to 32768');
  });

  it('does not warn if no connection uses that address', () => {
    const text = PULLED.replace('pull: {}', 'url: https://monitoring.example');
    const push = 'phases.0.checkdata={ every: 10s }';
    const warningsOf = (host: string, sets: readonly string[]) =>
      linesOf([`webServer.listen="${host}:40000+"`, `webServer.allowListen=["${host}"]`, ...sets], text).filter(
        (line) => line.startsWith('!'),
      );
    expect(warningsOf('127.0.0.1', [])).toEqual([]);
    expect(warningsOf('127.0.0.1', [push])).toEqual([]);
    expect(warningsOf('10.0.0.7', [push])).toHaveLength(1);
    expect(warningsOf('0.0.0.0', [push])).toHaveLength(1);
    expect(warningsOf('127.0.0.1', [push, 'target.url=embedded'])).toHaveLength(1);
  });
});
