import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceReference } from '../../scripts/conformance-reference.ts';
import { AGENT_CASES } from '../../src/conformance/agent/mode.ts';
import type { Rule } from '../../src/conformance/case.ts';
import { PUSH_CASES } from '../../src/conformance/pushes/mode.ts';
import { SERVER_CASES } from '../../src/conformance/server/mode.ts';

const MODES: readonly (readonly [string, readonly Rule[], number])[] = [
  ['server', SERVER_CASES, 110],
  ['agent', AGENT_CASES, 60],
  ['pushes', PUSH_CASES, 50],
];

describe.each(MODES)('the rules of the mode %s', (_, cases, least) => {
  it('are at least as many as promised, each with an id of its own', () => {
    expect(cases.length).toBeGreaterThanOrEqual(least);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(cases.filter(({ id }) => !/^[a-z-]+\.[\w-]+$/.test(id))).toEqual([]);
  });

  it('are sentences that fit a line of a report', () => {
    expect(
      cases.filter(({ rule }) => !/^[^a-z].*\.$/s.test(rule) || rule.length > 200).map(({ rule }) => rule),
    ).toEqual([]);
  });

  it('say why they matter where a real program would fail', () => {
    const silent = cases.filter(({ level, why }) => (level === 'agent' || level === 'server') && why === undefined);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});

describe('docs/reference/conformance.md', () => {
  it('is current (npm run reference)', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/conformance.md'), 'utf8');
    expect(page).toBe(conformanceReference());
  });
});
