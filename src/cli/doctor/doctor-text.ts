import { columnsOf, hanging, type Page } from '../../report/layout.ts';
import { textTable } from '../output/text-table.ts';
import type { Diagnosis } from './diagnosis.ts';

export type Section = { readonly title: string; readonly diagnoses: readonly Diagnosis[] };

const REMEDY_INDENT = '      ';

/** What was found, as tables for a person; a remedy stands below its line. */
export function doctorText(sections: readonly Section[], page: Page): string {
  const lines = sections.flatMap(({ title, diagnoses }) => [
    page.strong(title),
    '',
    ...diagnosisLines(diagnoses, page),
    '',
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function diagnosisLines(diagnoses: readonly Diagnosis[], page: Page): readonly string[] {
  const marks = { good: page.good('✓'), caution: page.caution('!'), absent: page.faint('-') };
  const rows = textTable(
    diagnoses.map(({ what, found, meaning }) => [what, found, meaning]),
    columnsOf(page) - 4,
  );
  return diagnoses.flatMap(({ mark, remedy }, index) => [
    `  ${marks[mark]} ${rows[index]?.replaceAll('\n', '\n    ')}`,
    ...(remedy === '' ? [] : hanging(`→ ${remedy}`, REMEDY_INDENT, page)),
  ]);
}
