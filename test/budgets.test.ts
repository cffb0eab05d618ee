import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const FILE = 'test/module-lines.tsv';

/** The budgets in a table, by module. */
function budgetsIn(table: string): ReadonlyMap<string, number> {
  const rows = table.trim().split('\n').slice(1);
  return new Map(rows.map((row) => row.split('\t')).map(([module = '', lines]) => [module, Number(lines)]));
}

function linesByModule(): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const path of globSync('**/*.{ts,js,cjs,css}', { cwd: resolve(ROOT, 'src') })) {
    const module = path.split('/')[0] ?? '';
    const count = readFileSync(resolve(ROOT, 'src', path), 'utf8').split('\n').length - 1;
    lines.set(module, (lines.get(module) ?? 0) + count);
  }
  return lines;
}

function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

const BUDGETS = budgetsIn(readFileSync(resolve(ROOT, FILE), 'utf8'));

describe('the size of src', () => {
  it.each([...linesByModule()])('is within the budget of the module %s', (module, lines) => {
    const budget = BUDGETS.get(module) ?? 0;
    const excess = `src/${module} has ${lines} lines, ${lines - budget} more than its budget of ${budget} in ${FILE}`;
    expect(
      lines <= budget,
      `${excess}: simplify it, or raise the budget in a commit with a line "Budget: reason"`,
    ).toBe(true);
  });

  it('has a budget for existing modules only', () => {
    expect([...BUDGETS.keys()].filter((module) => !linesByModule().has(module))).toEqual([]);
  });

  /** The messages of commits that changed the table, each with the changed rows, as far as this checkout knows the commits. */
  const commits = (git('log', '-n', '20', '-p', '-U0', '--format=%x00%H%n%B', '--', FILE) ?? '').split('\0').slice(1);

  it.skipIf(commits.length === 0)('has budgets that rose only in commits that say why', () => {
    const rowsIn = (commit: string, sign: '+' | '-') =>
      new Map(
        [...commit.matchAll(/^([+-])(\S+)\t(\d+)$/gm)].flatMap(([, side, module = '', lines]) =>
          side === sign ? [[module, Number(lines)] as const] : [],
        ),
      );
    const raised = commits.flatMap((commit) => {
      if (/^Budget: \S/m.test(commit)) return [];
      const before = rowsIn(commit, '-');
      return [...rowsIn(commit, '+')]
        .filter(([module, lines]) => lines > (before.get(module) ?? lines))
        .map(([module, lines]) => `${commit.slice(0, 8)}: ${module} from ${before.get(module)} to ${lines}`);
    });
    expect(raised).toEqual([]);
  });
});
