import type { Releases } from '../releases.ts';

const DAY_SECONDS = 86_400;

/** An update that the vendor publishes anew from time to time. */
export type WindowsUpdate = {
  /** Around the number of the article, and of the revision where the title has one. */
  readonly title: (article: Piece, revision: Piece) => readonly Piece[];
  readonly description: string;
  /** The article of the first release, and by how much the numbers grow; none for drivers. */
  readonly article: { readonly first: number; readonly step: number } | undefined;
  readonly optional: boolean;
  readonly rebootRequired: boolean;
  readonly updateIdHead: string;
  readonly releases: Releases;
};

export const ARTICLE: unique symbol = Symbol('article');
export const REVISION: unique symbol = Symbol('revision');
export type Piece = string | typeof ARTICLE | typeof REVISION;

/** Second Tuesdays come every four weeks or five; the mean of them is near enough. */
export const MONTHLY: Releases = { periodSeconds: 30.44 * DAY_SECONDS, phase: 0.62, security: true };

/** What an edition's machines are offered. */
export function windowsUpdates(system: string, client: boolean): readonly WindowsUpdate[] {
  return [
    cumulative(system),
    {
      title: (article) => [
        `Cumulative Update for .NET Framework 3.5 and 4.8.1 for ${system} for x64 (KB`,
        article,
        ')',
      ],
      description: 'Fixes of the frameworks that programs share; a restart may be needed after it.',
      article: { first: 5_049_622, step: 587 },
      optional: false,
      rebootRequired: true,
      updateIdHead: '0b9c7a52-53c1-4f68-a3d4-81b',
      releases: { ...MONTHLY, periodSeconds: 2 * MONTHLY.periodSeconds },
    },
    {
      title: (article, revision) => [
        'Security Intelligence Update for Microsoft Defender Antivirus - KB',
        article,
        ' (Version 1.443.',
        revision,
        '.0) - Current Channel (Broad)',
      ],
      description: 'Descriptions of the threats that were found since the last update of this kind.',
      article: { first: 2_267_602, step: 0 },
      optional: false,
      rebootRequired: false,
      updateIdHead: 'd1f6a30e-7725-4b0a-90ce-4c2',
      releases: { periodSeconds: 0.31 * DAY_SECONDS, phase: 0.3, security: true },
    },
    {
      title: (article, revision) => [
        `Windows Malicious Software Removal Tool x64 - v5.`,
        revision,
        ' (KB',
        article,
        ')',
      ],
      description: 'Looks once for common malicious software and removes it where it is found.',
      article: { first: 890_830, step: 0 },
      optional: false,
      rebootRequired: false,
      updateIdHead: '77e2c9d4-1a3b-4c55-b1f7-0e9',
      releases: { ...MONTHLY, phase: 0.61, security: false },
    },
    ...(client ? CLIENT_UPDATES : []),
  ];
}

/** The update that counts for the build: it wants a restart, and the machine has the new build from then on. */
function cumulative(system: string): WindowsUpdate {
  return {
    title: (article) => [`Cumulative Update for ${system} for x64-based Systems (KB`, article, ')'],
    description: 'All fixes of this version so far, those of vulnerabilities included. Restart after it.',
    article: { first: 5_050_009, step: 1163 },
    optional: false,
    rebootRequired: true,
    updateIdHead: 'c41d8e07-9a2f-4d13-8b60-f5a',
    releases: MONTHLY,
  };
}

const DRIVERS = [
  ['Lenovo Driver Update (1.69.', 'Lenovo System driver update', '5f0d2b66-c0a1-4a0c-8a9b-6d3', 61],
  [
    'Intel Corporation - Display - 32.0.101.',
    'Intel Corporation Display driver update',
    'e9b43c18-02de-4b7f-9c3d-a17',
    83,
  ],
  ['Realtek - Net - 1168.20.', 'Realtek Net driver update', '3ac6f5d9-8e64-47b2-bb0e-92c', 139],
] as const;

const CLIENT_UPDATES: readonly WindowsUpdate[] = DRIVERS.map(([head, description, updateIdHead, days], index) => ({
  title: (_article, revision) => [head, revision, index === 0 ? '.0)' : ''],
  description,
  article: undefined,
  optional: index > 0,
  rebootRequired: false,
  updateIdHead,
  releases: { periodSeconds: days * DAY_SECONDS, phase: 0.2 * index, security: false },
}));
