import { hanging } from '../../report/layout.ts';
import type { Palette } from '../../report/palette.ts';
import { textTable } from '../text-table.ts';
import type { Finding } from './finding.ts';

export type Section = { readonly title: string; readonly findings: readonly Finding[] };

const REMEDY_INDENT = '      ';

/** What was found, as tables for a person; a remedy stands below its line. */
export function doctorText(sections: readonly Section[], palette: Palette): string {
  const lines = sections.flatMap(({ title, findings }) => [
    palette.strong(title),
    '',
    ...findingLines(findings, palette),
    '',
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function findingLines(findings: readonly Finding[], palette: Palette): readonly string[] {
  const marks = { good: palette.good('✓'), caution: palette.caution('!'), absent: palette.faint('-') };
  const rows = textTable(findings.map(({ what, found, meaning }) => [what, found, meaning]));
  return findings.flatMap(({ mark, remedy }, index) => [
    `  ${marks[mark]} ${rows[index]}`,
    ...(remedy === '' ? [] : hanging(`→ ${remedy}`, REMEDY_INDENT)),
  ]);
}
