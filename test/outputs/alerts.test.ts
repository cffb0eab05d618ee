import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const PROMTOOL = process.env.PROMTOOL ?? 'promtool';
const isMissing = spawnSync(PROMTOOL, ['--version']).status !== 0;
const RULES = resolve(import.meta.dirname, '../../examples/prometheus-alerts.yml');

function promtool(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, words, { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

it.skipIf(isMissing)(
  `the alerts in examples fire for a fleet that is killed or leaks, scraped or not${isMissing ? ` (skipped: there is no ${PROMTOOL})` : ''}`,
  () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
    const folder = mkdtempSync(join(tmpdir(), 'muster-alerts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    copyFileSync(RULES, join(folder, 'prometheus-alerts.yml'));
    copyFileSync(join(import.meta.dirname, 'alerts.yml'), join(folder, 'alerts.yml'));
    expect(promtool('test', 'rules', join(folder, 'alerts.yml'))).toMatchObject({ status: 0 });
  },
);
