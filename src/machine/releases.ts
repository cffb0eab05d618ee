import { hasFeature } from '../protocol/agent-versions.ts';
import { isSlotted, type Node, SLOT } from './document/nodes.ts';
import type { RunLength } from './host/host-state.ts';

type Members = Readonly<Record<string, Node>>;

/** The check data as an agent of another release than the present one tells them (docs/reference/events.md, "upgrade"). */
export function checkdataOfRelease(version: string, node: Node): Node {
  const missing = new Set([
    ...(hasFeature(version, 'ntp') ? [] : ['ntp']),
    ...(hasFeature(version, 'exporters') ? [] : ['prometheus_exporters']),
    ...(hasFeature(version, 'packages') ? [] : ['packagemanager']),
  ]);
  const { agent, ...checks } = named(version, node) as Members;
  const unknown = new Set([
    ...(hasFeature(version, 'goVersion') ? [] : ['goversion']),
    ...(hasFeature(version, 'ntp') ? [] : ['check_interval']),
  ]);
  return { agent: without(unknown, agent as Members), ...without(missing, checks) };
}

/** The package document of such an agent. */
export function packagesOfRelease(version: string, node: Node): Node {
  return named(version, node);
}

/** Before the check of the processor waited for the others, runs took as long as those that follow each other closely still do. */
export function runOfRelease(version: string, runMs: RunLength): RunLength {
  return hasFeature(version, 'exporters')
    ? runMs
    : (intervalSeconds) => runMs(Math.min(intervalSeconds, CLOSE_SECONDS));
}

const CLOSE_SECONDS = 5;

function without(names: ReadonlySet<string>, members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

const VERSION_MEMBERS = new Set(['agent_version', 'AgentVersion']);

/** The same document with this version wherever it names that of its agent. */
function named(version: string, node: Node): Node {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  if (isSlotted(node)) {
    return node[SLOT] === 'either' ? { ...node, forms: node.forms.map((form) => named(version, form)) } : node;
  }
  const members = Object.entries(node as Members);
  return Object.fromEntries(
    members.map(([name, member]) => [name, VERSION_MEMBERS.has(name) ? version : named(version, member)]),
  );
}
