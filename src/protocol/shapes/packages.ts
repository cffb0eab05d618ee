import { z } from 'zod';
import { allOf, count, flag, integer, listOf, text } from './kinds.ts';

export const packageStatsShape = z.strictObject({
  InstalledPackages: count,
  UpgradablePackages: count,
  SecurityUpdates: count,
  RebootRequired: flag,
  // null in development builds before 3.5.0
  LastError: text.nullable(),
  OperatingSystem: z.enum(['linux', 'windows', 'macos', '']),
  PackageManager: text,
  OsName: text,
  OsVersion: text,
  OsFamily: text,
  AgentVersion: text,
  Uptime: count,
});

const packageShape = allOf(['Name', 'Version', 'Description'], text);

/** The document of a package push, agent 3.6.1 (docs/protocol.md, "Package information"). */
export const packagesShape = z.strictObject({
  Enabled: flag,
  Pending: flag,
  LastUpdate: integer,
  Stats: packageStatsShape,
  LinuxPackages: listOf(packageShape),
  LinuxUpdates: listOf(
    z.strictObject({
      Name: text,
      CurrentVersion: text,
      AvailableVersion: text,
      IsSecurityUpdate: flag,
      IsPatch: flag,
    }),
  ),
  WindowsApps: listOf(allOf(['Name', 'Version', 'Publisher'], text)),
  WindowsUpdates: listOf(
    z.strictObject({
      Title: text,
      Description: text,
      KBArticleIDs: listOf(text).nullable(),
      IsInstalled: flag,
      IsSecurityUpdate: flag,
      IsOptional: flag,
      UpdateID: text,
      RevisionNumber: integer,
      RebootRequired: flag,
    }),
  ),
  MacosApps: listOf(packageShape),
  MacosUpdates: listOf(packageShape),
});
