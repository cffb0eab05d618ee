import { hash32 } from '../../../kernel/random.ts';
import type { WindowsRole } from '../../host/windows/hardware.ts';
import type { OptionalService } from '../../host/windows/optional-services.ts';
import { serviceDrawn } from '../causes.ts';
import { type Periodic, releasesOf } from '../releases.ts';
import { type Wish, wish } from '../wishes.ts';

/** A text with a revision in it. */
export type Revised = { readonly head: string; readonly tail: string };

/** An entry of the list of installed programs. Many carry their version in the name too. */
export type WindowsApp = {
  readonly name: string | Revised;
  readonly version: string | Revised;
  readonly publisher: string;
  readonly releases: Periodic | undefined;
};

/** Lines of `name | version | publisher`. A tilde ends a version that grows with each release. */
function appTable(lines: string): readonly WindowsApp[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = '', publisher = ''] = line.split('|').map((field) => field.trim());
      const releases = version.includes('~') ? releasesOf('windows.apps', name) : undefined;
      return { name: revised(name), version: revised(version), publisher, releases };
    });
}

function revised(text: string): string | Revised {
  const place = text.indexOf('~');
  return place < 0 ? text : { head: text.slice(0, place), tail: text.slice(place + 1) };
}

/** On every host, the most important first. */
const COMMON = appTable(`
  openITCOCKPIT Monitoring Agent | 3.6.1 | it-novum
  Microsoft Edge | 143.0.3650.~ | Microsoft Corporation
  Microsoft Edge WebView2 Runtime | 143.0.3650.~ | Microsoft Corporation
  Microsoft Visual C++ 2015-2022 Redistributable (x64) - 14.44.35211 | 14.44.35211.0 | Microsoft Corporation
  Microsoft Visual C++ 2015-2022 Redistributable (x86) - 14.44.35211 | 14.44.35211.0 | Microsoft Corporation
  7-Zip 25.01 (x64) | 25.01 | Igor Pavlov
  Notepad++ (64-bit x64) | 8.8.~ | Notepad++ Team
  Microsoft Visual C++ 2022 X64 Minimum Runtime - 14.44.35211 | 14.44.35211 | Microsoft Corporation
  Microsoft Visual C++ 2022 X64 Additional Runtime - 14.44.35211 | 14.44.35211 | Microsoft Corporation
  Microsoft Visual C++ 2022 X86 Minimum Runtime - 14.44.35211 | 14.44.35211 | Microsoft Corporation
  Microsoft Visual C++ 2022 X86 Additional Runtime - 14.44.35211 | 14.44.35211 | Microsoft Corporation
  Microsoft Visual C++ 2013 Redistributable (x64) - 12.0.40664 | 12.0.40664.0 | Microsoft Corporation
  Microsoft Visual C++ 2012 Redistributable (x64) - 11.0.61030 | 11.0.61030.0 | Microsoft Corporation
  Microsoft Visual C++ 2010  x64 Redistributable - 10.0.40219 | 10.0.40219 | Microsoft Corporation
  Microsoft .NET Runtime - 8.0.~ (x64) | 64.88.~ | Microsoft Corporation
  Microsoft Windows Desktop Runtime - 8.0.~ (x64) | 8.0.~.34809 | Microsoft Corporation
  Microsoft Update Health Tools | 5.72.0.0 | Microsoft Corporation
`);

const OFFICE = appTable(`
  Microsoft 365 Apps for enterprise - en-us | 16.0.19426.2~ | Microsoft Corporation
  Office 16 Click-to-Run Extensibility Component | 16.0.19426.2~ | Microsoft Corporation
  Office 16 Click-to-Run Licensing Component | 16.0.19426.2~ | Microsoft Corporation
  Office 16 Click-to-Run Localization Component | 16.0.19426.2~ | Microsoft Corporation
  Microsoft OneDrive | 25.238.1204.~ | Microsoft Corporation
  Microsoft Teams Meeting Add-in for Microsoft Office | 1.25.289~ | Microsoft
  Adobe Refresh Manager | 1.8.0 | Adobe Systems Incorporated
  Foxit PDF Reader | 2025.2.~ | Foxit Software Inc.
  KeePassXC | 2.7.~ | KeePassXC Team
  VLC media player | 3.0.~ | VideoLAN
  Greenshot 1.3.301 | 1.3.301 | Greenshot
  IrfanView 4.72 (64-bit) | 4.72 | Irfan Skiljan
  Paint.NET | 5.1.~ | dotPDN LLC
  ShareX | 18.0.~ | ShareX Team
  Webex | 45.12.0.~ | Cisco Systems, Inc
  Slack (Machine - MSI) | 4.47.~ | Slack Technologies Inc.
  Bitwarden | 2026.1.~ | Bitwarden Inc.
  Nextcloud | 4.0.~ | Nextcloud GmbH
  Lexware Elster | 25.1.~ | Haufe-Lexware GmbH & Co. KG
  PDF24 Creator | 11.29.~ | geek software GmbH
  LibreOffice 25.8.~.2 | 25.8.~.2 | The Document Foundation
  Jabra Direct | 6.25.~ | GN Audio A/S
  Realtek Audio Driver | 6.0.9899.~ | Realtek Semiconductor Corp.
  Microsoft Intune Management Extension | 1.97.~ | Microsoft Corporation
  Citrix Workspace 2508 | 25.8.10.~ | Citrix Systems, Inc.
`);

const DEVELOPMENT = appTable(`
  Git | 2.52.~ | The Git Development Community
  Microsoft Visual Studio Code (User) | 1.108.~ | Microsoft Corporation
  Docker Desktop | 4.55.~ | Docker Inc.
  Node.js | 24.13.~ | Node.js Foundation
  Python 3.13.7 (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Core Interpreter (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Development Libraries (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Documentation (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Executables (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Standard Library (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Tcl/Tk Support (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 Test Suite (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python 3.13.7 pip Bootstrap (64-bit) | 3.13.7150.0 | Python Software Foundation
  Python Launcher | 3.13.7150.0 | Python Software Foundation
  Go Programming Language amd64 go1.26.0 | 1.26.0 | https://go.dev
  Eclipse Temurin JDK with Hotspot 21.0.9+10 (x64) | 21.0.9.10 | Eclipse Adoptium
  IntelliJ IDEA 2025.3.~ | 253.28294.~ | JetBrains s.r.o.
  JetBrains Toolbox | 3.2.0.65851 | JetBrains s.r.o.
  PowerShell 7-x64 | 7.5.~.0 | Microsoft Corporation
  Windows Subsystem for Linux | 2.6.~.0 | Microsoft Corporation
  PowerToys (Preview) x64 | 0.96.~ | Microsoft Corporation
  PostgreSQL 17 | 17.~-1 | PostgreSQL Global Development Group
  DBeaver 25.3.~ | 25.3.~ | DBeaver Corp
  Insomnia | 12.2.~ | Kong
  WinSCP 6.5.~ | 6.5.~ | Martin Prikryl
  PuTTY release 0.83 (64-bit) | 0.83.0.0 | Simon Tatham
  Wireshark 4.6.~ x64 | 4.6.~ | The Wireshark developer community
  CMake | 4.2.~ | Kitware
  OBS Studio | 32.0.~ | OBS Project
  Microsoft Visual Studio Installer | 4.0.2184.~ | Microsoft Corporation
  Visual Studio Build Tools 2026 | 18.1.~ | Microsoft Corporation
  Windows Software Development Kit - Windows 10.0.26100.7175 | 10.1.26100.7175 | Microsoft Corporation
`);

const ENGINEERING = appTable(`
  AutoCAD 2026 - English | 25.1.58.~ | Autodesk
  Autodesk Access | 2.22.~ | Autodesk
  Autodesk Genuine Service | 5.4.~ | Autodesk
  Autodesk Identity Manager | 1.15.~ | Autodesk
  Autodesk Material Library 2026 | 26.1.3.0 | Autodesk
  SOLIDWORKS 2025 SP5.0 | 33.50.0.71 | Dassault Systemes SolidWorks Corp
  SOLIDWORKS PDM Client | 33.50.71 | Dassault Systemes SolidWorks Corp
  eDrawings 2025 | 33.50.0007 | Dassault Systemes SolidWorks Corp
  NVIDIA Graphics Driver 581.~ | 581.~ | NVIDIA Corporation
  NVIDIA App 11.0.~ | 11.0.~ | NVIDIA Corporation
  Sentinel Runtime | 10.21.1.30313 | Thales
  3Dconnexion 3DxWare 10 | 10.9.~ | 3Dconnexion
  MATLAB R2025b | 25.2 | MathWorks
  KiCad 9.0 | 9.0.~ | KiCad
`);

const SERVER: Partial<Readonly<Record<WindowsRole, readonly WindowsApp[]>>> = {
  'domain-controller': appTable(`
    Local Administrator Password Solution | 6.2.0.0 | Microsoft Corporation
    Microsoft Entra Connect Health agent | 4.5.25~ | Microsoft Corporation
  `),
  'file-server': appTable(`
    TreeSize V9.6.~ (64 bit) | 9.6.~ | JAM Software
    Synology Active Backup for Business Agent | 3.1.0-49~ | Synology Inc.
  `),
  database: appTable(`
    Microsoft SQL Server 2022 (64-bit) | 16.0.1000.6 | Microsoft Corporation
    SQL Server 2022 Database Engine Services | 16.0.4225.~ | Microsoft Corporation
    SQL Server 2022 Common Files | 16.0.4225.~ | Microsoft Corporation
    SQL Server 2022 Shared Management Objects | 16.0.1000.6 | Microsoft Corporation
    SQL Server 2022 Integration Services | 16.0.4225.~ | Microsoft Corporation
    SQL Server Management Studio 21 | 21.6.~ | Microsoft Corporation
    Microsoft ODBC Driver 18 for SQL Server | 18.5.2.1 | Microsoft Corporation
    Microsoft OLE DB Driver for SQL Server | 18.7.5.0 | Microsoft Corporation
    Browser for SQL Server 2022 | 16.0.1000.6 | Microsoft Corporation
    Microsoft VSS Writer for SQL Server 2022 | 16.0.1000.6 | Microsoft Corporation
  `),
  'web-server': appTable(`
    Microsoft ASP.NET Core 8.0.~ Hosting Bundle Options | 8.0.~.25568 | Microsoft Corporation
    IIS URL Rewrite Module 2 | 7.2.1993 | Microsoft Corporation
    Microsoft Application Request Routing 3.0 | 3.0.5311 | Microsoft Corporation
    Microsoft Web Deploy 4.0 | 10.0.9066 | Microsoft Corporation
    Redis on Windows | 5.0.14.1 | Redis port contributors
    win-acme | 2.2.~ | win-acme contributors
  `),
};

const SERVER_TOOLS = appTable(`
  WinRAR 7.13 (64-bit) | 7.13.0 | win.rar GmbH
  Everything 1.4.1.~ (x64) | 1.4.1.~ | voidtools
  Microsoft .NET Runtime - 6.0.36 (x64) | 48.144.23141 | Microsoft Corporation
  Microsoft Visual C++ 2008 Redistributable - x64 9.0.30729.6161 | 9.0.30729.6161 | Microsoft Corporation
  Windows Admin Center | 2.5.~ | Microsoft Corporation
  TightVNC | 2.8.85.0 | GlavSoft LLC.
  Sysinternals Suite | 2025.12.~ | Microsoft Corporation
`);

/** What every host has, of the common ones; the others came with programs that some do not have. */
const ALWAYS = 3;
const COMMON_SHARE = 0.7;
/** On which share of a role's hosts a program of the role is, and any other. */
const OWN_SHARE = 0.9;
const OTHER_SHARE = 0.68;

/** What a role's hosts may have installed, the most important first, and what comes with their services. */
export function windowsApps(role: WindowsRole, services: readonly OptionalService[]): readonly Wish<WindowsApp>[] {
  const server = SERVER[role];
  const brought = services.flatMap(({ program, draw }) => {
    return program === undefined ? [] : appTable(program).map((app) => ({ app, causes: [serviceDrawn(draw)] }));
  });
  const first = [...wishes(COMMON.slice(0, ALWAYS), 1), ...wishes(server ?? [], 1), ...brought];
  const common = wishes(COMMON.slice(ALWAYS), COMMON_SHARE);
  if (server !== undefined) {
    const rest = mixed([...SERVER_TOOLS, ...OFFICE.slice(5), ...DEVELOPMENT], role);
    return distinct([...first, ...common, ...wishes(rest, OTHER_SHARE)]);
  }
  const own = role === 'developer' ? DEVELOPMENT : role === 'engineering' ? ENGINEERING : OFFICE;
  const rest = [OFFICE, DEVELOPMENT, ENGINEERING].filter((list) => list !== own).flat();
  return distinct([...first, ...common, ...wishes(own, OWN_SHARE), ...wishes(mixed(rest, role), OTHER_SHARE)]);
}

/** What is installed together, as the parts of one product. */
const FAMILY = /^(Python|SOLIDWORKS|Autodesk|Office 16|JetBrains|NVIDIA|Microsoft Visual C\+\+ 2022 X\d+)/;

function familyOf(name: string): string {
  return FAMILY.exec(name)?.[0] ?? name;
}

function wishes(apps: readonly WindowsApp[], share: number): readonly Wish<WindowsApp>[] {
  return apps.map((app) => wish(app, familyOf(nameText(app)), share));
}

function mixed(apps: readonly WindowsApp[], role: WindowsRole): readonly WindowsApp[] {
  const order = (app: WindowsApp) => hash32(0, `windows.apps.${role}.${nameText(app)}`);
  return [...apps].sort((a, b) => order(a) - order(b));
}

/** The list is unique by name, version and publisher together. */
function distinct(apps: readonly Wish<WindowsApp>[]): readonly Wish<WindowsApp>[] {
  return [...new Map(apps.toReversed().map((one) => [nameText(one.app), one])).values()].reverse();
}

function nameText({ name }: WindowsApp): string {
  return typeof name === 'string' ? name : `${name.head}${name.tail}`;
}
