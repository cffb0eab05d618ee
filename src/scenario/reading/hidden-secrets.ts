import { type Document, isAlias, isMap, isNode, isSeq, type Node, type Scalar } from 'yaml';
import { type Finding, quoted } from '../../base/notation/finding.ts';
import { valueAtPath } from '../../base/notation/schema-findings.ts';
import { displayUrl } from '../server-urls.ts';
import { inReadingOrder, nodeAt, type Problem, type ScenarioDocument } from './document.ts';
import { UNSET } from './variables.ts';

/** The problems in reading order, without secrets, because messages end up in logs. */
export function hideSecrets(problems: readonly Problem[], document: ScenarioDocument): readonly Problem[] {
  const hides = secretsHidden(secretsIn(document));
  return inReadingOrder(problems).map((problem) =>
    OF_SECRET.test(problem.path) && problem.found !== UNSET
      ? { ...problem, found: 'something else', suggestion: undefined }
      : hides(problem),
  );
}

/** The paths of secrets and of their parts, in the form that problems use. */
const OF_SECRET = /^(target\.apiKey|webServer\.basicAuth|events\.\d+\.apiKey)(\.|$)/;

function secretsIn({ tree }: ScenarioDocument): ReadonlySet<string> {
  const events = nodeAt(tree, ['events']);
  const keys = isSeq(events) ? events.items.map((_, index) => ['events', index, 'apiKey']) : [];
  const seen = new Set<Node>();
  const paths = [['target', 'apiKey'], ['webServer', 'basicAuth'], ...keys];
  return new Set(paths.flatMap((path) => textsIn(tree, nodeAt(tree, path), seen)));
}

/** All scalars of a value as strings, including those in sections and lists. Each node once, because aliases may repeat it without bounds. */
function textsIn(tree: Document, node: unknown, seen: Set<Node>): readonly string[] {
  const own = isAlias(node) ? node.resolve(tree) : node;
  if (!isNode(own) || seen.has(own)) return [];
  seen.add(own);
  if (isMap(own)) return own.items.flatMap(({ value }) => textsIn(tree, value, seen));
  if (isSeq(own)) return own.items.flatMap((item) => textsIn(tree, item, seen));
  const { value } = own as Scalar;
  return value === undefined || value === null || value === '' ? [] : [String(value)];
}

// Shorter secrets may occur in other words by chance.
const MIN_HIDDEN_CHARACTERS = 6;

/** Removes secrets from problems: aliases and variables may put a secret anywhere. */
function secretsHidden(secrets: ReadonlySet<string>): (problem: Problem) => Problem {
  const long = [...secrets].filter(({ length }) => length >= MIN_HIDDEN_CHARACTERS);
  const forms = long.flatMap((secret) => [secret, quoted(secret).slice(1, -1)]);
  const values = new Set([...secrets].map(quoted));
  const hidden = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
  return ({ place, path, expected, found, suggestion }) => ({
    place,
    path: hidden(path),
    expected: hidden(expected),
    found: values.has(found) ? 'something else' : hidden(found),
    suggestion: suggestion && hidden(suggestion),
  });
}

// The query and the user of a URL may be secrets.
export function withoutUrlSecrets(finding: Finding, raw: unknown): Finding {
  const path = finding.path.join('.');
  const url = valueAtPath(raw, finding.path);
  if (typeof url !== 'string' || !/^target\.(url|urls\.\d+|proxy)$/.test(path)) return finding;
  // Anything before an @ may be a user and a password, even in an invalid URL.
  const written = path === 'target.proxy' ? url.replace(/^([^@]*:\/\/)?.*@/s, '$1…@') : url;
  return { ...finding, found: quoted(displayUrl(written)) };
}
