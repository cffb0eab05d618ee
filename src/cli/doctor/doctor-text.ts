import { hanging } from '../../report/layout.ts';
import type { Palette } from '../../report/palette.ts';
import { textTable } from '../output/text-table.ts';
import type { Diagnosis } from './diagnosis.ts';

export type Section = { readonly title: string; readonly diagnoses: readonly Diagnosis[] };

const REMEDY_INDENT = '      ';

/** What was found, as tables for a person; a remedy stands below its line. */
export function doctorText(sections: readonly Section[], palette: Palette): string {
  const lines = sections.flatMap(({ title, diagnoses }) => [
    palette.strong(title),
    '',
    ...diagnosisLines(diagnoses, palette),
    '',
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function diagnosisLines(diagnoses: readonly Diagnosis[], palette: Palette): readonly string[] {
  const marks = { good: palette.good('✓'), caution: palette.caution('!'), absent: palette.faint('-') };
  const rows = textTable(diagnoses.map(({ what, found, meaning }) => [what, found, meaning]));
  return diagnoses.flatMap(({ mark, remedy }, index) => [
    `  ${marks[mark]} ${rows[index]}`,
    ...(remedy === '' ? [] : hanging(`→ ${remedy}`, REMEDY_INDENT)),
  ]);
}
