import { expect, it } from 'vitest';
import type { CaseResult } from '../../src/conformance/case.ts';
import { conformancePage } from '../../src/conformance/report.ts';

const RULE = { id: 'key.1', level: 'written', rule: 'A key is needed.', source: 'keys' } as const;
const HOLDS = { kind: 'holds' } as const;
const BROKEN = { kind: 'broken', expected: 'status 403', found: 'status 200' } as const;
const UNTRIED = { kind: 'untried', why: 'it needs an assigned host' } as const;

it.each([
  ['Conforms', [HOLDS, UNTRIED]],
  ['Does not conform', [HOLDS, BROKEN]],
  ['Not judged', [UNTRIED]],
  ['Not judged', []],
] as const)('the page of a run is titled "%s" for %j', (title, verdicts) => {
  const results = verdicts.map((verdict): CaseResult => ({ rule: RULE, verdict, wire: [], repeat: [], elapsedMs: 1 }));
  const run = { mode: 'server', subject: 'https://mon.example', levels: ['written'], results } as const;
  const page = conformancePage({ ...run, left: [], startedAt: new Date(0), elapsedMs: 1 });
  expect(page).toContain(`<title>${title} · https://mon.example`);
});
