import type { CaseVerdict, Rule } from '../case.ts';
import type { HttpCase } from '../http-case.ts';
import type { AgentGiven } from './given.ts';
import type { AgentHand } from './hand.ts';

/** What a case takes that not every agent has. */
export type AgentNeed = 'auth' | 'checkdata' | 'config' | 'no-config' | 'exporter' | 'large' | 'changes' | 'authority';

/** A rule whose requests depend on earlier answers. `perform` returns what was found instead of what is expected. */
export type Performed = {
  readonly expected: string;
  readonly perform: (hand: AgentHand) => Promise<string | CaseVerdict>;
};

/** A rule for the web server of an agent. */
export type AgentCase = Rule & { readonly needs?: AgentNeed } & (HttpCase<AgentGiven> | Performed);
