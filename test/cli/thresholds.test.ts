import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Summary, summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { listen } from '../run/real-time/own-server.ts';
import { type Ending, muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Ran = Ending & { readonly words: string; readonly summary: Summary };
let ran: Promise<Ran> | undefined;

/** A run that crosses no threshold and one that crosses three, executed once. */
function goodAndBad(): Promise<Ran> {
  ran ??= runBoth();
  return ran;
}

async function runBoth(): Promise<Ran> {
  const { url } = await listen({ status: 403, body: '{"error":"no"}' });
  const enroll = `fleet: { agents: 8, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, register: { over: 100ms }, packages: { every: 1h, first: 1h } }]\n`;
  writeFileSync(join(folder, 'good.yaml'), enroll);
  const thresholds = 'thresholds: { delivery: ["lost == 0"], register: ["max < 0.001ms"], checkdata: ["p(99) < 1s"] }';
  writeFileSync(join(folder, 'bad.yaml'), `target: { url: "${url}" }\n${enroll}${thresholds}\n`);
  const ending = await muster(['run', 'bad.yaml', 'good.yaml'], { cwd: folder });
  const summary = readFileSync(join(folder, 'results/bad/latest/summary.json'), 'utf8');
  // Removes the line breaks of the terminal's width.
  return { ...ending, words: ending.stdout.replace(/\s+/g, ' '), summary: summarySchema.parse(JSON.parse(summary)) };
}

describe('a run with thresholds', () => {
  it('fails a threshold on delivery if the server does not report it, and says why', async () => {
    const { words, summary } = await goodAndBad();
    expect(summary.verdict.reasons).toContainEqual({
      kind: 'threshold_crossed',
      text: 'delivery lost == 0: observed no data (the target is not the embedded server)',
    });
    expect(words).toContain('✗ delivery lost == 0: no data (the target is not the embedded server)');
  });

  it('in a series of scenarios ends with the worst code', async () => {
    const { code, words } = await goodAndBad();
    expect([99, 111]).toContain(code);
    expect(words).toContain('✗ register max < 0.001ms');
    expect(words).toMatch(/ good target embedded .* (• DONE, without thresholds|✗ INVALID)/);
  });

  it('fails a threshold without data', async () => {
    const { words, summary } = await goodAndBad();
    expect(words).toContain('✗ checkdata p(99) < 1s: no data');
    expect(summary.verdict.reasons).toContainEqual({
      kind: 'threshold_crossed',
      text: expect.stringMatching(/^checkdata p\(99\) < 1s: .*no data/),
    });
  });
});
