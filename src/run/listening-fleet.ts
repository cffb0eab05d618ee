import type { Scenario } from '../scenario/scenario.ts';
import { type AgentDisks, openAgentDisks } from './agent-disks.ts';
import { openPullSide, type PullSide } from './pull-side.ts';

/** What a fleet that listens has beside it; both undefined if it does not. */
export type ListeningFleet = {
  readonly disks: AgentDisks | undefined;
  readonly pullSide: PullSide | undefined;
  readonly close: () => void;
};

/** Throws `UserError` if something that earlier runs left cannot be used. */
export async function openFleet(
  scenario: Scenario,
  onKey: (made: number, of: number) => void,
): Promise<ListeningFleet> {
  const disks = await openAgentDisks(scenario, onKey);
  const pullSide = await openPullSide(scenario);
  return { disks, pullSide, close: () => pullSide?.close() };
}
