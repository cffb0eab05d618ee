import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planText } from '../../../src/cli/output/plan-text.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIOS = resolve(import.meta.dirname, '../../../scenarios');
const LIMITS = {
  cores: 2,
  memoryBytes: 8e9,
  fileDescriptors: 100,
  hardFileDescriptors: 100,
  addressBytes: undefined,
  localPorts: 100,
  localPortRange: { first: 32_768, last: 32_868 },
};

describe('the plan of every shipped scenario', () => {
  const files = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s fits the terminal, or 80 columns without one', (file) => {
    const scenario = scenarioOf(readFileSync(join(SCENARIOS, file), 'utf8'));
    const plan = planOf(scenario, HOST_DATA);
    for (const columns of [undefined, 60]) {
      const lines = planText(scenario, plan, { limits: LIMITS, columns }).split('\n');
      expect(lines.filter((line) => line.length > (columns ?? 80))).toEqual([]);
      expect(lines.join('\n')).toContain('NOT ENOUGH');
    }
  });
});

describe('the plan of a scenario in host time', () => {
  it("has the times of the run, and says how fast the hosts' clocks run", () => {
    const scenario = scenarioOf(`fleet: { agents: 10 }
hostClock: { factor: 144, start: "06:00" }
phases: [{ name: day, duration: 24h, checkdata: { rate: 1/s } }]`);
    const text = planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS, columns: 200 });
    expect(text).toContain(
      "\nclocks  the hosts' clocks start at 06:00 and run 144 times as fast, an hour in 25s; this plan shows times of the run\n",
    );
    expect(text).toMatch(/day +0s +10m/);
  });
});

describe('the plan of a fleet with source addresses', () => {
  it('says how many connections leave from each, and needs ports only for those', () => {
    const scenario = scenarioOf(`fleet: { agents: 1000, sourceAddresses: [127.0.0.2-127.0.0.4, 192.0.2.7] }
phases: [{ name: a, register: { rate: 1/s } }]`);
    const text = planText(scenario, planOf(scenario, HOST_DATA), { limits: { ...LIMITS, localPorts: 250 } });
    expect(text).toContain('\nfrom  127.0.0.2-127.0.0.4, 192.0.2.7, up to 250 connections each\n');
    expect(text).toMatch(/local ports +250 +250 +enough/);
  });
});

describe('the room for more connection attempts', () => {
  const roomOf = (fleet: string) => {
    const scenario = scenarioOf(`target: { url: "http://127.0.0.1:8080" }
fleet: ${fleet}
phases: [{ name: a, register: { rate: 1/s } }]`);
    const text = planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS });
    return /There is room for (\d+) more connection attempts/.exec(text)?.[1];
  };

  it('is what connections leave of descriptors and ports, and is omitted if they are shared or too few', () => {
    expect(roomOf('{ agents: 10 }')).toBe('26');
    expect(roomOf('{ agents: 200 }')).toBeUndefined();
    expect(roomOf('{ agents: 10, connections: { shared: 2 } }')).toBeUndefined();
  });
});

describe('the memory that a plan needs', () => {
  const memoryOf = (fleet: string, url = 'http://127.0.0.1:8080') => {
    const text = `target: { url: "${url}" }\nfleet: ${fleet}\nphases: [{ name: a, register: { rate: 1/s } }]`;
    const scenario = scenarioOf(text);
    return /memory +(\S+ \S+)/.exec(planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS }))?.[1];
  };

  it('is small for agents that share connections, also if the embedded server stores them', () => {
    expect(memoryOf('{ agents: 1000000, connections: { shared: 64 } }')).toBe('826 MB');
    expect(memoryOf('{ agents: 1000000 }')).toBe('8.3 GB');
    expect(memoryOf('{ agents: 1000000, connections: { shared: 64 } }', 'embedded')).toBe('3.4 GB');
  });
});
