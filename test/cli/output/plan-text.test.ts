import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planText } from '../../../src/cli/output/plan-text.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIOS = resolve(import.meta.dirname, '../../../scenarios');
const LIMITS = {
  cores: 2,
  memoryBytes: 8e9,
  fileDescriptors: 100,
  hardFileDescriptors: 100,
  localPorts: 100,
  localPortRange: { first: 32_768, last: 32_868 },
};

describe('the plan of every shipped scenario', () => {
  const files = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s fits the terminal, and 80 columns where there is none', (file) => {
    const scenario = scenarioOf(readFileSync(join(SCENARIOS, file), 'utf8'));
    const plan = planOf(scenario);
    for (const columns of [undefined, 60]) {
      const lines = planText(scenario, plan, { limits: LIMITS, columns }).split('\n');
      expect(lines.filter((line) => line.length > (columns ?? 80))).toEqual([]);
      expect(lines.join('\n')).toContain('NOT ENOUGH');
    }
  });
});
