import { hash32 } from '../../../kernel/random.ts';
import { type Wish, wish } from '../wishes.ts';
import { appleTable, helperList, type Language, type MacApp, vendorTable } from './app-table.ts';

/** What everybody sees in the folder of applications and in that of utilities. */
const APPLE_APPS = `
  Finder | = | ^
  Safari | = | 26.2
  Mail | = | 16.0
  App Store | = | 3.0
  System Settings | Systemeinstellungen | 15.0
  Terminal | = | 2.15
  Activity Monitor | Aktivitätsanzeige | 10.14
  Console | Konsole | 1.1
  Disk Utility | Festplattendienstprogramm | 22.7
  Time Machine | = | 1.3
  AirDrop | = | ^
  Computer | = | ^
  Network | Netzwerk | ^
  Recents | Zuletzt benutzt | ^
  iCloud Drive | = | ^
  iCloud Drive | = | 1.0
  Automator | = | 2.10
  Books | Bücher | 8.1
  Calculator | Rechner | 12.0
  Calendar | Kalender | 16.0
  Chess | Schach | 3.18 | 3.18, Copyright 2003–2024 Apple Inc.
  Clock | Uhr | 1.1
  Contacts | Kontakte | 14.0
  Contacts | Kontakte | 1.0
  Dictionary | Lexikon | 2.3.0
  FaceTime | = | 36
  Find My | Wo ist? | 4.0
  Font Book | Schriftsammlung | 11.0
  Freeform | = | 4.1
  Games | Spiele | 1.0
  Games | Spiele | 820.1.14
  Home | = | 10.0
  Image Capture | Digitale Bilder | 8.0
  Journal | = | 2.0
  Maps | Karten | 3.0
  Messages | Nachrichten | ^
  Mission Control | = | 1.2
  Music | Musik | 1.6.1 | Music 1.6.1.44, © 2019–2025 Apple Inc. All rights reserved.
  Notes | Notizen | 4.13
  Passwords | Passwörter | 2.1
  Phone | Telefon | 1.0
  Photo Booth | = | 13.1
  Photos | Fotos | 11.0
  Podcasts | = | 1.1.0
  Preview | Vorschau | 11.0
  QuickTime Player | = | 10.5 | 10.5, Copyright © 2009-2025 Apple Inc. All Rights Reserved.
  Reminders | Erinnerungen | 7.0
  Shortcuts | Kurzbefehle | 7.0
  Siri | = | 1.0
  Siri | = | 3505.11.1
  Stickies | Notizzettel | 10.3
  Stocks | Aktien | 8.1
  TV | = | 1.6.1 | TV 1.6.1.44, © 2019–2025 Apple Inc. All rights reserved.
  TextEdit | = | 1.20
  Tips | Tipps | ^
  Tips | Tipps | 1.0
  Voice Memos | Sprachmemos | 3.2
  Weather | Wetter | 6.0
  AirPort Utility | AirPort-Dienstprogramm | 6.3.9 | 6.3.9, Copyright 2001 -2025 Apple Inc.
  Audio MIDI Setup | Audio-MIDI-Setup | 3.7 | 3.7, Copyright 2002–2025 Apple Inc.
  Bluetooth File Exchange | Bluetooth-Datenaustausch | 9.0 | 7.0.0, Copyright © 2002-2018 Apple Inc. All rights reserved.
  ColorSync Utility | ColorSync-Dienstprogramm | 12.2.0
  Digital Color Meter | = | 6.10
  Grapher | = | 2.8
  Keychain Access | Schlüsselbundverwaltung | 11.0
  Magnifier | Lupe | 1.0
  Migration Assistant | Migrationsassistent | ^
  Print Center | Druckzentrale | 1.0
  Screen Sharing | Bildschirmfreigabe | 6.1
  Screenshot | Bildschirmfoto | 1.0
  Script Editor | Skripteditor | 2.11
  System Information | Systeminformationen | 11.0
  Ticket Viewer | Ticket-Viewer | 4.1
  VoiceOver Utility | VoiceOver-Dienstprogramm | 10
  Wireless Diagnostics | Diagnose für drahtlose Umgebungen | 11.0
  Folder Actions Setup | Ordneraktionen konfigurieren | 1.2
  iOS App Installer | iOS-App-Installationsprogramm | 1.0
  About This Mac | Über diesen Mac | 1.0
  Archive Utility | Archivierungsprogramm | 10.15
  Automator Installer | Automator-Installationsprogramm | 2.10
  Batteries | Batterien | 1.0
  Bluetooth Setup Assistant | Bluetooth-Assistent | 9.0 | 9.0 (1)
  Certificate Assistant | Zertifikatsassistent | 5.0
  Control Center | Kontrollzentrum | 1.0
  Coverage Details | Abdeckungsdetails | 1.0
  Desk View | Schreibtischansicht | 2.0
  Directory Utility | Verzeichnisdienste | 7.0
  DVD Player | DVD-Player | 6.0
  Erase Assistant | Löschassistent | 1.0
  Expansion Slot Utility | Dienstprogramm für Erweiterungssteckplätze | 2.0
  Feedback Assistant | Feedback-Assistent | 5.1
  Installer | Installationsprogramm | 6.2.0
  Installing | Installation wird durchgeführt | 3.0
  Language Chooser | Sprachauswahl | 1.0
  Live Captions | Live-Untertitel | 1.0
  Notification Center | Mitteilungszentrale | 1.0
  Paired Devices | Gekoppelte Geräte | 7.1
  Profile Installer | Profilinstallation | 1.0
  Screen Time | Bildschirmzeit | 3.0
  Script Menu | Skript-Menü | 1
  Setup Assistant | Systemassistent | 10.10
  Software Update | Softwareupdate | 6 | Software Update version 4.0, Copyright © 2000-2009, Apple Inc. All rights reserved.
  Spotlight | = | 1.0
  Spotlight | = | 3.0
  Summary Service | Zusammenfassung | 2.0
  Universal Control | Universelle Steuerung | 1.0
  Wallpaper | Hintergrundbild | 1.0
  Image Playground | = | 1.0
  GarageBand | = | 10.4.13 | GarageBand 10.4.13, Copyright © 2004–2025 Apple Inc. All rights reserved.
  iMovie | = | 10.4.3
  Pages | = | 14.4
  Numbers | = | 14.4
  Keynote | = | 14.4
`;

const APPLE_HELPERS = helperList(`BluetoothUIServer BluetoothUIService CalendarFileHandler ControlStrip
  CoreLocationAgent CoreServicesUIAgent DiscHelper DiskImageMounter Dock EscrowSecurityAlert Family
  FamilyExtensionHost FileProvider-Feedback FolderActionsDispatcher GameOverlayUI IOUIAgent JavaLauncher
  KeyboardAccessAgent KeyboardSetupAssistant MDMMigrationTrampoline MTLReplayer ManagedClient NetAuthAgent
  NowPlayingTouchUI OBEXAgent ODSAgent OSDUIHelper PIPAgent PeopleMessageService PosterBoard PowerChime PreviewShell
  RapportUIAgent RegisterPluginIMApp ARDAgent SSMenuAgent ScreenSaverEngine ScriptMonitor SystemUIServer
  TextInputMenuAgent TextInputSwitcher ThermalTrap TMHelperAgent UIKitSystem UniversalAccessControl
  UnmountAssistantAgent UserNotificationCenter VoiceOver WiFiAgent WindowManager WindowManagerShowDesktopEducation
  WorkoutAlert-Mac loginwindow rcd screencaptureui ShortcutDroplet SpacesTouchBarAgent StageManagerOnboarding
  SystemIntents CharacterPalette EmojiFunctionRowIM JapaneseIM-KanaTyping JapaneseIM-RomajiTyping KoreanIM PluginIM
  PressAndHold SCIM TCIM TYIM TamilIM TrackpadIM TransliterationIM VietnameseIM AinuIM AOSAlertManager AOSHeartbeat
  AOSPushRelay ClassroomStudentMenuExtra SpeechRecognitionServer AXVisualSupportAgent DFRHUD universalAccessAuthWarn
  imagent IMAutomaticHistoryDeletionAgent AutoFillPanelService AutomationModeUI FindMyMacMessenger STMUIHelper
  privatecloudcomputed AirScanScanner 50onPaletteServer BackgroundTaskManagementAgent nbagent iCloudUserNotificationsd
  IMTransferAgent LiveSpeech identityservicesd IDSRemoteURLConnectionAgent eaptlstrust storeuid ScreenReaderUIServer
  sociallayerd SoftwareUpdateNotificationManager UASharedPasteboardProgressUI ParentalControls FeedbackRemoteView
  FollowUpUI AppSSOAgent KerberosMenuExtra AskPermissionUI syncuid AMSEngagementViewService AquaAppearanceHelper
  CIMFindInputCodeTool AccessibilityVisualsAgent qlmanage quicklookd SyncServer FontRegistryUIAgent QuickLookUIHelper
  Wish LinkedNotesUIService CinematicFramingOnboardingUI ContinuityCaptureOnboardingUI AddressBookSync
  ABAssistantService AddressBookManager AddressBookSourceSync AppleSpell OpenSpell SpeechService AOSUIPrefPaneLauncher
  AccessibilityUIServer AddPrinter AddressBookUrlForwarder AirPlayUIAgent MobileDeviceUpdater AppleMobileDeviceHelper
  AppleMobileSync AirScanLegacyDiscovery MRT XProtect`);

const VENDORS = vendorTable(`
  openITCOCKPIT Agent | 3.6.1
  Google Chrome | 143.0.7499.~ | Google Chrome 143.0.7499.~, Copyright 2026 Google LLC. All rights reserved.
  Firefox | 147.0.~ | Firefox 147.0.~
  Microsoft Edge | 143.0.3650.~ | Microsoft Edge 143.0.3650.~, © 2026 Microsoft Corporation. All rights reserved.
  Microsoft Word | 16.104.~
  Microsoft Excel | 16.104.~
  Microsoft PowerPoint | 16.104.~
  Microsoft Outlook | 16.104.~
  Microsoft OneNote | 16.104.~
  Microsoft Teams | 25331.1107.4213.~
  Microsoft AutoUpdate | 4.81.~
  OneDrive | 25.224.~
  Microsoft Defender | 101.25102.00~
  Company Portal | 5.2510.~
  zoom.us | 6.6.~ (37851)
  Slack | 4.47.~
  Visual Studio Code | 1.108.~
  iTerm | 3.6.~ | 3.6.~
  Docker | 4.55.~
  Xcode | 26.2
  Simulator | 26.0
  Instruments | 26.2
  FileMerge | 2.11
  Create ML | 6.2
  Accessibility Inspector | 5.0
  Reality Composer Pro | 2.0
  Icon Composer | 1.2
  IntelliJ IDEA | 2025.3.~ | IntelliJ IDEA 2025.3.~, build IU-253.28294.~. Copyright JetBrains s.r.o., (c) 2000-2026
  PyCharm | 2025.3.~ | PyCharm 2025.3.~, build PY-253.28294.~. Copyright JetBrains s.r.o., (c) 2000-2026
  DataGrip | 2025.3.~ | DataGrip 2025.3.~, build DB-253.28294.~. Copyright JetBrains s.r.o., (c) 2000-2026
  JetBrains Toolbox | 3.2.0.65851
  JetBrains Toolbox | 2.1.0.18144
  Sublime Text | Build 4200
  Postman | 11.76.~
  TablePlus | 6.7.~
  Sequel Ace | 5.1.~
  Python | 3.13.7 | 3.13.7, (c) 2001-2025 Python Software Foundation.
  Python | 3.12.5 | 3.12.5, (c) 2001-2024 Python Software Foundation.
  Python | 3.9.6 | 3.9.6, (c) 2001-2020 Python Software Foundation.
  Python Launcher 3 | 3.13.7 | 3.13.7, © 2001-2025 Python Software Foundation
  Python Launcher 3 | 3.12.5 | 3.12.5, © 2001-2024 Python Software Foundation
  IDLE 3 | 3.13.7 | 3.13.7, © 2001-2025 Python Software Foundation
  IDLE 3 | 3.12.5 | 3.12.5, © 2001-2024 Python Software Foundation
  NativeMessagingHost | 6.0
  NativeMessagingHost | 5.0
  Spotify | 1.2.74.~
  Spotify | 1.2.70.409
  VLC | 3.0.~ | VideoLAN player 3.0.~: plays files, discs, streams and devices; free software under the GNU General Public License, version 2 or later.
  OBS | 32.0.~
  Inkscape | 1.4.2 (ebf0e940)
  GIMP | 3.0.~
  Blender | 5.0.~ | 5.0.~, a suite for three dimensions: modelling, rigging, animation, simulation, rendering, compositing, motion tracking and editing.
  Figma | 125.11.~
  KeePassXC | 2.7.~
  1Password | 8.11.~
  The Unarchiver | 4.3.9
  BetterDisplay | 4.1.~
  Rectangle | 0.92
  DisplayLink Manager | 14.2.0
  FortiClient | 7.4.~.1717
  FortiClientUninstaller | 1.2
  OpenVPN Connect | 3.8.~
  Uninstall OpenVPN Connect | 0.1 | OpenVPN Uninstaller
  TeamViewer | 15.72.~
  Citrix Workspace | 25.08.~ | 25.08.~
  Citrix Workspace Updater | 25.08.~ | 25.08.~
  VirtualBox | 7.2.~ | Oracle VirtualBox Manager 7.2.~, © 2007-2026 Oracle and/or its affiliates
  UTM | 4.7.~
  FileZilla | 3.69.~ | FileZilla Client 3.69.~, Copyright (C) 2004-2026 Tim Kosse, free under the licence that comes with it
  Cyberduck | 9.3.~
  draw.io | 28.2.~
  Adobe Acrobat | 25.001.209~ | Adobe Acrobat 25.001.209~, ©1984 -2026 Adobe Systems Incorporated. All rights reserved.
  Acrobat Update Helper | 1 . 2 . 6 | 1 . 2 . 6, ©2009-2015 Adobe Systems Incorporated. All rights reserved.
  Adobe Acrobat Updater | 1 . 2 . 6 | 1 . 2 . 6, ©2009-2015 Adobe Systems Incorporated. All rights reserved.
  GoogleUpdater | 144.0.7547.0
  EdgeUpdater | 137.0.3249.0
  com.microsoft.dlp.daemon | 1.25102.103
  com.microsoft.dlp.agent | 1.25102.103
  Electron | 39.2.~
  liquiddetectiond |
  PassViewer |
  ShortcutsActions |
  Google Drive |
  Gmail |
  YouTube |
  NewApp |
  https+++tickets.example |
  https+++wiki.example |
  https+++calendar.example |
  https+++planner.example |
  https+++chat.example |
  https+++board.example |
`);

/** Makers whose installers leave one app per product behind. */
const FAMILIES: readonly MacApp[] = [
  ...[
    'Photoshop',
    'Illustrator',
    'InDesign',
    'Premiere Pro',
    'After Effects',
    'Media Encoder',
    'Lightroom Classic',
  ].flatMap((product) => [
    made(`Adobe ${product} 2026`, '27.2.0', `Adobe ${product} 2026 27.2.0, ©1990-2026 Adobe. All rights reserved.`),
    made(`Uninstall Adobe ${product} 2026`, '6.8.0', ''),
  ]),
  ...['Photo', 'Designer', 'Publisher'].map((product) => made(`Affinity ${product} 2`, '2.6.5', '')),
  ...['Scanner', 'Status Monitor', 'Fax Utility'].map((tool) => made(`Brother ${tool}`, '3.23.0', '')),
  ...[2, 4, 6].map((series) => {
    return made(
      `Canon IJScanner${series}`,
      '4.0.0',
      `Canon IJScanner${series} version 4.0.0, Copyright CANON INC. 2009-2021 All Rights Reserved`,
    );
  }),
  ...['EPSON Scanner', 'EPFaxAutoSetupTool', 'epsonfax', 'rastertoepfax', 'commandFilter', 'FAX Utility'].map(
    (tool) => {
      return made(tool, '1.71', 'Copyright(C) Seiko Epson Corporation 2009-2015. All rights reserved.');
    },
  ),
  ...['HP Utility', 'HP Scan 3', 'HP Device Monitor', 'HP Product Research'].map((tool) => made(tool, '5.28.1', '')),
  ...['GoLand', 'WebStorm', 'CLion', 'Rider', 'RubyMine', 'PhpStorm'].map((editor) => {
    return made(
      editor,
      '2025.3.1',
      `${editor} 2025.3.1, build 253.28294.251. Copyright JetBrains s.r.o., (c) 2000-2026`,
    );
  }),
  ...['Logic Pro', 'Final Cut Pro', 'Motion', 'Compressor', 'MainStage'].map((studio) => {
    return made(studio, '11.2.1', `${studio} 11.2.1, © 2001-2025 Apple Inc. All rights reserved.`);
  }),
  ...['Recursive Image File Processing Droplet', 'Droplet with Settable Properties', 'Cocoa-AppleScript Applet'].map(
    (stub) => {
      return made(stub, '1.0', '');
    },
  ),
];

function made(name: string, version: string, description: string): MacApp {
  return { name, version, description, releases: undefined };
}

/** How many of Apple's apps stand before the first of others in short lists. */
const FIRST_APPLE = 5;

/** On which share of the hosts a program is that did not come with the system. */
const VENDOR_SHARE = 0.85;

/** What hosts of a kind may have installed, the most important first. */
export function macApps(kind: string, language: Language): readonly Wish<MacApp>[] {
  const apple = appleTable(APPLE_APPS, language);
  const order = ({ name, version }: MacApp) => hash32(0, `macos.apps.${kind}.${name}.${version}`);
  const own = [...apple.slice(FIRST_APPLE), ...APPLE_HELPERS].map((app) => wish(app, app.name, 1));
  const others = [...VENDORS.slice(1), ...FAMILIES].map((app) => wish(app, app.name, VENDOR_SHARE));
  const mixed = [...own, ...others].sort((a, b) => order(a.app) - order(b.app));
  return [...[...apple.slice(0, FIRST_APPLE), ...VENDORS.slice(0, 1)].map((app) => wish(app, app.name, 1)), ...mixed];
}
