import { hasFeature } from '../ground/protocol/agent-versions.ts';
import { isSlotted, type Node, SLOT } from './document/nodes.ts';
import type { RunLength } from './host/host-state.ts';

type Members = Readonly<Record<string, Node>>;

/** Check data as an agent of a different release reports them (docs/reference/events.md, "upgrade"). */
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

/** Package document of such an agent. */
export function packagesOfRelease(version: string, node: Node): Node {
  return named(version, node);
}

/** In older releases, the CPU check does not wait for others. Runs take as long as current ones at intervals of up to five seconds. */
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

/** The same document, with `version` wherever it names the version of its agent. */
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
