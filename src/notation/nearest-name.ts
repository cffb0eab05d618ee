/** The candidate a misspelt name most likely stands for, or undefined when none is close. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))?.candidate;
}

// A name inside the other (`check` for `checkdata`) counts as one slip, whatever the lengths.
function distanceOf(a: string, b: string): number {
  const contained = Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a));
  return contained ? Math.min(1, Math.abs(a.length - b.length)) : editDistance(a, b);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = cell(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = swap ? cell(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, cell(last, column) + 1, cell(current, column - 1) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
