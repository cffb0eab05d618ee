/**
 * Writes docs/reference/conformance.md, with a row for each case of `muster conform`, from the cases themselves. Run by hand after a change
 * to a case:
 *
 *     npm run reference
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AGENT_CASES } from '../src/conformance/agent/mode.ts';
import { RULE_LEVELS, type Rule, type RuleLevel } from '../src/conformance/case.ts';
import { PUSH_CASES } from '../src/conformance/pushes/mode.ts';
import { SERVER_CASES } from '../src/conformance/server/mode.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = 'docs/reference/conformance.md';

const SIGNS: Readonly<Record<RuleLevel, string>> = { written: '■', agent: '▲', server: '◆', shipped: '●', note: '○' };

const INTRODUCTION = `# Conformance

<!-- Made from the cases in src/conformance. To change it, edit them and run npm run reference -->

The rules that [\`muster conform\`](commands.md#muster-conform) tries. A sign gives the level of a rule:
${Object.entries(RULE_LEVELS)
  .map(([level, text]) => `${SIGNS[level as RuleLevel]} \`${level}\` (${text})`)
  .join(', ')}. By default, ${SIGNS.written}, ${SIGNS.agent} and ${SIGNS.server} decide the exit code.

- **Guess**: what a good engineer would expect, where that is wrong.
- **Released**: what server 5.3.0 or agent 3.6.1 does where it breaks the rule; otherwise it was seen to keep it, or the rule names another source.
- **Muster**: what the embedded server or a simulated agent does where it breaks it: \`d\` with the dialect documented, \`s\` with the shipped one.`;

/** Returns the page, ending with a line break. */
export function conformanceReference(): string {
  return `${[
    INTRODUCTION,
    part('Servers: `muster conform server`', SERVER_CASES),
    part("Agents' web servers: `muster conform agent`", AGENT_CASES),
    part('Agents that push: `muster conform pushes`', PUSH_CASES),
  ].join('\n\n')}\n`;
}

function part(title: string, cases: readonly Rule[]): string {
  const rows = cases.map((one) => [
    `${SIGNS[one.level]} \`${one.id}\``,
    sourced(one),
    one.guess ?? '',
    one.observed ?? '',
    musterText(one.muster),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = ['Case', 'Rule', 'Guess', 'Released', 'Muster'];
  return [`## ${title}`, '', ...[head, head.map(() => '---'), ...rows].map(line)].join('\n');
}

/** Where most rules of the agents' modes are from, so that only others are named. */
const USUAL_SOURCE = 'agent 3.6.1, observed';

/** The rule with its source, unless it is the usual one. */
function sourced({ rule, source }: Rule): string {
  return source === undefined || source === USUAL_SOURCE ? rule : `${rule} (${source})`;
}

function musterText(muster: Rule['muster']): string {
  if (muster === undefined || typeof muster === 'string') return muster ?? '';
  const { documented, shipped } = muster;
  if (documented === shipped) return documented ?? '';
  return [documented && `d: ${documented}`, shipped && `s: ${shipped}`].filter(Boolean).join('; ');
}

if (import.meta.main) writeFileSync(join(ROOT, PAGE), conformanceReference());
