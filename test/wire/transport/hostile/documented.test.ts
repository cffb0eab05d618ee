import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ATTACKS, type Attack } from '../../../../src/ground/protocol/attacks.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/how-to/hostile-agents.md'), 'utf8');

it('lists every attack in docs/how-to/hostile-agents.md with the values of the table', () => {
  const rows = Object.entries<Attack>(ATTACKS).map(
    ([how, { does, goodServer, embedded }]) => `| \`${how}\` | ${does} | ${goodServer} | ${answerText(embedded)} |`,
  );
  const written = PAGE.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 6);
  expect(written).toEqual(rows);
});

function answerText(embedded: Attack['embedded']): string {
  return typeof embedded === 'object' ? `${embedded.documented}, ${embedded.shipped}` : String(embedded);
}
