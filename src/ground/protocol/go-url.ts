// Paths as Go's net/url and net/http write them. A path has one character per byte.

/** Removes empty, `.` and `..` segments. */
export function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Escapes a path with one character per byte. Like Go, leaves letters, digits and `$&+,/:;=@-_.~`. */
export function escapedPath(path: string): string {
  return path.replaceAll(
    /[^\w$&+,/:;=@.~-]/g,
    (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}

/** Decodes percent escapes to one character per byte. */
export function unescaped(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
