/** The candidate closest to a misspelled name; `undefined` if none is close. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))?.candidate;
}

// The start of a word (`check` for `checkdata`) and missing punctuation (`p95` for `p(95)`) each count as one edit.
function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  const contained = Math.min(a.length, b.length) >= 4 && (beginsAWordOf(a, b) || beginsAWordOf(b, a));
  return contained || lettersOf(a) === lettersOf(b) ? 1 : editDistance(a, b);
}

function beginsAWordOf(part: string, whole: string): boolean {
  const start = whole.indexOf(part);
  return start === 0 || (start > 0 && !/[a-z0-9]/.test(whole[start - 1] ?? ''));
}

function lettersOf(name: string): string {
  return name.replace(/[^a-z0-9]/g, '') || name;
}

/** Number of insertions, deletions, replacements and swaps of adjacent characters that turn `a` into `b`. */
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
