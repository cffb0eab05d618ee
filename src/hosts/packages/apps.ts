import type { Cells, CellValues, Node, Optional } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import type { HostTables } from '../host-data.ts';
import {
  type Cause,
  type CauseMask,
  groupNamed,
  installedCount,
  maskAt,
  maskCounts,
  presenceCells,
  upTo,
  withMasks,
} from './causes.ts';
import { type ChannelTexts, channelTexts } from './channels.ts';
import type { LISTS, Software, SoftwareFigures } from './document.ts';
import { type Periodic, revisionAt, type UpdateLevel } from './updates.ts';
import { revisedText } from './versions.ts';

/* Installed programs and pending updates on Windows and macOS. */

/** A program that hosts have by chance or with a service. A program without causes is on all hosts. */
export type Candidate<App> = { readonly app: App; readonly causes: readonly Cause[] };

/** A program on this share of the hosts, independently of their other programs. */
export function candidate<App>(app: App, name: string, share: number): Candidate<App> {
  return { app, causes: share < 1 ? [groupNamed(`apps.${name}`, share)] : [] };
}

export type ListedApps<App> = {
  readonly apps: readonly (App & { readonly mask: CauseMask })[];
  readonly causes: readonly Cause[];
};

/** The first candidates, of which a host has `count` on average. */
export function listedApps<App>(candidates: readonly Candidate<App>[], count: number): ListedApps<App> {
  const { causes, members } = withMasks(upTo(candidates, count));
  return { apps: members.map(({ app, mask }) => ({ ...app, mask })), causes };
}

/** An entry of a list, filled with the updates of a host. */
export type ListPart<State> = {
  readonly node: Node | Optional;
  readonly fill: (frame: CellValues, state: State) => void;
};

type AppsInput<App, State> = Omit<Software, 'foundAt' | 'lists'> & {
  readonly listed: ListedApps<App>;
  /** `undefined` if no program updates itself. */
  readonly data?: HostTables | undefined;
  /** The arrays of programs and of updates. */
  readonly members: readonly [apps: (typeof LISTS)[number], updates: (typeof LISTS)[number]];
  /** The updates of a host at a time (Unix ms): computed once for all entries of a document. */
  readonly stateAt: (host: HostState, unixMs: number) => State;
  readonly dueAt: (host: HostState, unixMs: number) => Omit<SoftwareFigures, 'installed'>;
  readonly appPart: (app: App, channels: ChannelTexts, cells: Cells) => ListPart<State> & { readonly node: Node };
  readonly updateParts: (cells: Cells) => readonly ListPart<State>[];
};

/** The software of a host whose programs have causes and partly update themselves. */
export function appsSoftware<App, State>(input: AppsInput<App, State>): Software {
  const { listed, data, members, stateAt, dueAt, appPart, updateParts, ...names } = input;
  const { apps, causes } = listed;
  const counts = maskCounts(apps);
  return {
    ...names,
    foundAt: (host, unixMs) => {
      const installed = installedCount(counts, maskAt(causes, host.hostKey, unixMs));
      return { installed, ...dueAt(host, unixMs) };
    },
    lists(cells) {
      const presence = presenceCells(apps, cells);
      const channels = channelTexts(data, cells);
      const entries = apps.map((app) => ({ app, ...appPart(app, channels, cells) }));
      const updates = updateParts(cells);
      const parts = [...entries, ...updates];
      return {
        nodes: {
          [members[0]]: entries.map(({ app, node }) => presence.entry(app, node)),
          [members[1]]: updates.map(({ node }) => node),
        },
        fill(frame, host, collectionMs) {
          presence.fill(frame, maskAt(causes, host.hostKey, collectionMs));
          const state = stateAt(host, collectionMs);
          channels.fill(frame, host.hostKey, collectionMs);
          for (const part of parts) part.fill(frame, state);
        },
      };
    },
  };
}

/** An entry with texts that move with the installed revision of its releases, or else with the channels that they name. */
export function textsPart(
  texts: Readonly<Record<string, string>>,
  releases: Periodic | undefined,
  { channels, cells }: { readonly channels: ChannelTexts; readonly cells: Cells },
): ListPart<{ readonly installed: UpdateLevel }> & { readonly node: Node } {
  const members = Object.entries(texts);
  if (releases === undefined) {
    return { node: Object.fromEntries(members.map(([name, text]) => [name, channels.of(text)])), fill: () => {} };
  }
  const cell = cells.one();
  return {
    node: Object.fromEntries(members.map(([name, text]) => [name, revisedText(text, cell)])),
    fill(frame, { installed }) {
      frame[cell] = revisionAt(releases, installed);
    },
  };
}
