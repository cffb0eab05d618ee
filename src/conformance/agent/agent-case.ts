import type { Deviation, Rule } from '../case.ts';
import type { HttpCase } from '../http-case.ts';
import type { AgentFixture } from './fixture.ts';
import type { AgentSession } from './session.ts';

/** What a case needs that not every agent has. */
export type AgentNeed = 'auth' | 'checkdata' | 'config' | 'no-config' | 'exporter' | 'large' | 'changes' | 'authority';

/** A rule whose requests depend on earlier answers. `perform` returns what was found instead of what is expected. */
export type Performed = {
  readonly expected: string;
  readonly perform: (session: AgentSession) => Promise<Deviation>;
};

/** A rule for the web server of an agent. */
export type AgentCase = Rule & { readonly needs?: AgentNeed } & (HttpCase<AgentFixture> | Performed);
