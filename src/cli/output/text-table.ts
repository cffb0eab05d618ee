/** Lines of a table whose columns are as wide as their widest cells, two blanks apart. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (wide, row) => row.map((cell, column) => Math.max(cell.length, wide[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
