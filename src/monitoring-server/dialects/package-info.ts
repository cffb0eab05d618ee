import { type ByteRange, type CheckData, COMPOSITE, type Field, readField } from '../json/envelope.ts';
import { isObjectAt, readMembers, skipSpace, skipValue } from '../json/scan.ts';

/** What the server makes of a package document. `type_error`: one the shipped code stumbles over. */
export type PackageJudgement = 'empty' | 'accepted' | 'refused' | 'type_error';

/** Judges the document by the rules of docs/protocol.md, "submit_package_info.json", in their order. */
export function judgePackages(body: Buffer, document: CheckData | undefined): PackageJudgement {
  if (document === undefined || isEmpty(body, document)) return 'empty';
  if (readField(body, document) !== COMPOSITE) return 'type_error';
  const pending = document.members.get('Pending');
  if (pending === undefined || readField(body, pending) === null || !isEmpty(body, pending)) return 'refused';
  switch (operatingSystem(body, document.members.get('Stats'))) {
    case 'linux':
    case 'macos':
      return 'accepted';
    case 'windows':
      return lacksArticles(body, document.members.get('WindowsUpdates')) ? 'type_error' : 'accepted';
    default:
      return 'refused';
  }
}

/** Whether an update names no knowledge base articles: the shipped code joins them without looking. */
function lacksArticles(body: Buffer, updates: ByteRange | undefined): boolean {
  const value: unknown = updates === undefined ? [] : JSON.parse(body.toString('utf8', updates.start, updates.end));
  return Array.isArray(value) && value.some((update) => update?.KBArticleIDs === null);
}

/** PHP's idea of emptiness. */
function isEmpty(body: Buffer, span: ByteRange): boolean {
  const value = readField(body, span);
  if (value === COMPOSITE) return skipSpace(body, span.start + 1) === span.end - 1;
  return value === null || value === false || value === 0 || value === '' || value === '0';
}

function operatingSystem(body: Buffer, stats: ByteRange | undefined): Field {
  let system: Field;
  if (stats === undefined || !isObjectAt(body, stats.start)) return system;
  readMembers(body, stats.start, (name, start) => {
    const end = skipValue(body, start, 0);
    if (name === 'OperatingSystem') system = readField(body, { start, end });
    return end;
  });
  return system;
}
