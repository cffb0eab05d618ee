import {
  type ByteRange,
  isObjectAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readMembers,
  skipSpace,
  skipValue,
} from '../../base/protocol/json.ts';
import { type CheckData, COMPOSITE, type Field, readField } from '../json/envelope.ts';

/** Judgment of a package document. `type_error`: it makes the shipped code fail. */
type PackageJudgment = 'empty' | 'accepted' | 'refused' | 'type_error';

/** Applies the rules of docs/reference/wire.md, "submit_package_info.json", in their order. */
export function judgePackages(body: Buffer, document: CheckData | undefined): PackageJudgment {
  if (document === undefined || isEmpty(body, document)) return 'empty';
  if (readField(body, document) !== COMPOSITE) return 'type_error';
  const pending = document.member('Pending');
  if (pending === undefined || readField(body, pending) === null || !isEmpty(body, pending)) return 'refused';
  const system = operatingSystem(body, document.member('Stats'));
  // The shipped code joins article names without checking them.
  if (system === 'windows') return document.lacksArticles ? 'type_error' : 'accepted';
  return system === 'linux' || system === 'macos' ? 'accepted' : 'refused';
}

/** Emptiness as defined by PHP. */
function isEmpty(body: Buffer, span: ByteRange): boolean {
  const value = readField(body, span);
  if (value === COMPOSITE) return skipSpace(body, span.start + 1) === span.end - 1;
  return value === null || value === false || value === 0 || value === '' || value === '0';
}

const SYSTEM = memberNames(['OperatingSystem']);

function operatingSystem(bytes: Buffer, stats: ByteRange | undefined): Field {
  if (stats === undefined || !isObjectAt(bytes, stats.start)) return undefined;
  const text = jsonInput(bytes, PHP_JSON);
  let system: ByteRange | undefined;
  readMembers(text, stats.start, {
    names: SYSTEM,
    read: (index, start) => {
      const end = skipValue(text, start, 0);
      if (index === 0) system = { start, end };
      return end;
    },
  });
  return system && readField(bytes, system);
}
