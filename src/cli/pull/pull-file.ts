import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type Address, addressText, isAllowedHost, parseAddress } from '../../base/kernel/address.ts';
import { TargetNotAllowedError, UserError } from '../../base/kernel/errors.ts';
import { type Finding, keyFinding, valueFinding } from '../../base/notation/finding.ts';
import { positiveDuration, wholeNumberFrom } from '../../base/notation/quantities.ts';
import { schemaFindings } from '../../base/notation/schema-findings.ts';
import { filledText, section, trueOrFalse } from '../../base/notation/section.ts';
import { readTextFile } from '../../base/storage/text-files.ts';
import { addressOfAgent, listenersIn } from '../../scenario/listen-range.ts';
import {
  formatProblems,
  inReadingOrder,
  openDocument,
  type Problem,
  problemsAt,
} from '../../scenario/reading/document.ts';
import { listen } from '../../scenario/web-server.ts';

const ADDRESS = 'an address such as 127.0.0.1:3333 or [::1]:3333';
const HOST = /^[\w.:-]+$/;
const BASIC_AUTH = 'user:password';

const range = section({
  listen,
  count: wholeNumberFrom(1, 1_000_000),
}).superRefine(({ listen, count }, context) => {
  const room = listenersIn(listen);
  if (count <= room) return;
  const message = `at most ${room}, the size of the range`;
  context.addIssue({ code: 'custom', path: ['count'], message, params: { found: String(count) } });
});

const address = z.string(ADDRESS).transform((text, context) => {
  const read = parseAddress(text);
  if (read !== undefined && read.port > 0 && HOST.test(read.host)) return read;
  context.addIssue({ code: 'custom', message: ADDRESS });
  return z.NEVER;
});

const pullFile = section({
  every: positiveDuration.prefault('60s'),
  packages: positiveDuration.prefault('60m'),
  timeout: positiveDuration.prefault('30s'),
  concurrency: wholeNumberFrom(1, 100_000).default(64),
  autoTls: trueOrFalse.default(true),
  exchangeAgain: trueOrFalse.default(false),
  https: trueOrFalse.default(false),
  basicAuth: z.string(BASIC_AUTH).regex(/:/, BASIC_AUTH).optional(),
  config: filledText.optional(),
  allow: z.array(filledText, 'a list of hosts').default([]),
  state: filledText.optional(),
  agents: z
    .array(z.union([address, range], `${ADDRESS}, or a section with listen and count`), 'a list of agents')
    .min(1, 'at least one agent'),
});

/** The contents of a pull file, with absolute paths. */
export type PullOrder = Omit<z.output<typeof pullFile>, 'agents'> & { readonly agents: readonly Address[] };

/** Reads a pull file. Throws a `UserError` with all problems by line and column. */
export async function readPullFile(file: string): Promise<PullOrder> {
  const { document, problems } = openDocument(await readTextFile('pull file', file));
  if (problems.length > 0) throw refusal(file, problems);
  const raw: unknown = document.tree.toJS();
  const { data, error } = pullFile.safeParse(raw);
  const findings = data === undefined ? schemaFindings(error.issues, raw) : contradictions(data);
  if (data === undefined || findings.length > 0) {
    throw refusal(file, problemsAt(document, findings.map(withoutPassword)));
  }
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(dirname(file), path));
  const { config, state, agents } = data;
  return { ...data, config: absolute(config), state: absolute(state), agents: agents.flatMap(addressesOf) };
}

/**
 * Rejects agents that are neither on this machine nor allowed by name before the first request, because real agents would accept the
 * certificates.
 * @param allow hosts and networks in addition to those of the file
 * @throws TargetNotAllowedError
 */
export function assertAgentsAllowed({ agents, ...order }: PullOrder, allow: readonly string[]): void {
  const entries = [...order.allow, ...allow];
  const strange = agents.filter(({ host }) => !isAllowedHost(host, entries));
  const [first] = strange;
  if (first === undefined) return;
  const others = strange.length > 1 ? ` and ${strange.length - 1} more` : '';
  throw new TargetNotAllowedError(
    `Some agents to poll are not on this machine: Muster polls and issues certificates to remote agents only with permission. ` +
      `If you may poll ${addressText(first)}${others}, add ${first.host} to allow in the pull file or pass --allow ${first.host}; use 10.20.0.0/16 for a network.`,
  );
}

// Messages end up in logs, so they must not contain the password.
function withoutPassword(finding: Finding): Finding {
  return finding.path[0] === 'basicAuth' ? { ...finding, found: 'something else' } : finding;
}

type PullFile = z.output<typeof pullFile>;

function contradictions(file: PullFile): readonly Finding[] {
  const { autoTls, https, state, exchangeAgain } = file;
  return [
    ...(autoTls && https ? [keyFinding(['https'], 'autoTls: false with https: true', 'both')] : []),
    ...(autoTls && state === undefined
      ? [keyFinding(['state'], 'a folder for the CA and the exchanged certificates, or autoTls: false', 'nothing')]
      : []),
    ...(exchangeAgain && !autoTls
      ? [keyFinding(['exchangeAgain'], 'autoTls: true with exchangeAgain', 'autoTls: false')]
      : []),
    ...repeated(file),
  ];
}

function repeated({ agents }: PullFile): readonly Finding[] {
  const seen = new Set<string>();
  return agents.flatMap((entry, index): readonly Finding[] => {
    const again = addressesOf(entry)
      .map(addressText)
      .find((text) => seen.size === seen.add(text).size);
    return again === undefined ? [] : [valueFinding(['agents', index], 'each address once', `${again} again`)];
  });
}

function addressesOf(entry: PullFile['agents'][number]): readonly Address[] {
  if ('host' in entry) return [entry];
  return Array.from({ length: entry.count }, (_, agent) => addressOfAgent(entry.listen, agent));
}

function refusal(file: string, problems: readonly Problem[]): UserError {
  return new UserError(formatProblems(file, inReadingOrder(problems)));
}
