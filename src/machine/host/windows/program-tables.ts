import type { WindowsRole } from './hardware.ts';
import { programTable } from './programs.ts';

/** What runs before the services, in the order of its start. */
export const SYSTEM_PROGRAMS = programTable(String.raw`
  System Idle Process | 0.01 | 0
  System | 0.2 | 6200 | 0.04
  Secure System | 42 | 0
  Registry | 38 | 0
  smss.exe | 0.4 | 58
  csrss.exe | 1.9 | 620
  wininit.exe | 1.3 | 165
  csrss.exe | 2.4 | 540
  services.exe | 5.6 | 760 | 0.01
  C:\Windows\system32\lsass.exe | 28 | 1750 | 0.02
  C:\Windows\system32\winlogon.exe | 2.6 | 280
  C:\Windows\system32\fontdrvhost.exe | 1.4 | 38
  C:\Windows\system32\dwm.exe | 62 | 1250 | 0.07
  Memory Compression | 0.6 | 0
  C:\Windows\system32\wbem\wmiprvse.exe | 11 | 310 | 0.03
  C:\Windows\system32\wbem\wmiprvse.exe -secured -Embedding | 6 | 220
  C:\Windows\system32\dllhost.exe /Processid:{02D4B3F1-FD88-11D1-960D-00805FC79235} | 2.7 | 230
`);

/** The shell of a session on a client, with what starts at every sign-in. */
export const CLIENT_SESSION = programTable(String.raw`
  C:\Windows\Explorer.EXE | 96 | 2900 | 0.04
  > C:\Windows\System32\SecurityHealthSystray.exe | 1.7 | 160
  > C:\Windows\System32\RtkAudUService64.exe -background | 2.4 | 250
  > C:\Program Files\Microsoft OneDrive\OneDrive.exe /background | 58 | 1150 | 0.01
  C:\Windows\system32\sihost.exe | 7.2 | 640
  C:\Windows\system32\taskhostw.exe {222A245B-E637-4AE9-A93F-A59CA119A75E} | 5.1 | 310
  C:\Windows\system32\ctfmon.exe | 5.9 | 480
  C:\Windows\SystemApps\Microsoft.Windows.StartMenuExperienceHost_cw5n1h2txyewy\StartMenuExperienceHost.exe -ServerName:App.AppXywbrabmsek0gm3tkwpr5kwzbs55tkqay.mca | 24 | 810
  C:\Windows\SystemApps\MicrosoftWindows.Client.CBS_cw5n1h2txyewy\SearchHost.exe -ServerName:CortanaUI.AppXstmwaab17q5s3y22tp6apqz7a45vwv65.mca | 71 | 1620
  C:\Windows\SystemApps\MicrosoftWindows.Client.CBS_cw5n1h2txyewy\TextInputHost.exe -ServerName:InputApp.AppXk0k6mrh4r2q0ct33a9wgbez0x7v9cz5y.mca | 15 | 560
  C:\Windows\SystemApps\ShellExperienceHost_cw5n1h2txyewy\ShellExperienceHost.exe -ServerName:App.AppXtk181tbxbce2qsex02s8tw7hfxa9xb3t.mca | 14 | 610
  C:\Windows\System32\RuntimeBroker.exe -Embedding | 5.2 | 330
  C:\Windows\System32\smartscreen.exe -Embedding | 6.4 | 390
  C:\Windows\system32\ApplicationFrameHost.exe -Embedding | 7.8 | 420
  C:\Windows\ImmersiveControlPanel\SystemSettings.exe -ServerName:microsoft.windows.immersivecontrolpanel | 21 | 940
  C:\Program Files\WindowsApps\MicrosoftWindows.Client.WebExperience_525.31002.150.0_x64__cw5n1h2txyewy\Dashboard\Widgets.exe -ServerName:Microsoft.Windows.DashboardServer | 6.1 | 380
  C:\Windows\System32\AggregatorHost.exe | 3.1 | 140
  C:\Windows\system32\conhost.exe 0x4 | 1.1 | 90
`);

/** What comes with a remote session on a server. */
export const SERVER_SESSION = programTable(String.raw`
  C:\Windows\Explorer.EXE | 38 | 1700 | 0.01
  C:\Windows\system32\rdpclip.exe | 2.6 | 270
  C:\Windows\system32\sihost.exe | 5.1 | 520
  C:\Windows\system32\taskhostw.exe {222A245B-E637-4AE9-A93F-A59CA119A75E} | 3.9 | 260
  C:\Windows\system32\ctfmon.exe | 3.4 | 410
  C:\Windows\System32\RuntimeBroker.exe -Embedding | 4.8 | 320
  C:\Windows\system32\ServerManager.exe | 74 | 860
  C:\Windows\system32\mmc.exe C:\Windows\system32\services.msc | 22 | 540
`);

/** What users of a client have open, and what a server runs besides its services. */
export const ROLE_PROGRAMS: Readonly<Record<WindowsRole, ReturnType<typeof programTable>>> = {
  office: programTable(String.raw`
    C:\Program Files\Microsoft Office\root\Office16\OUTLOOK.EXE | 212 | 4100 | 0.06
    C:\Program Files\WindowsApps\MSTeams_25331.1107.4213.8634_x64__8wekyb3d8bbwe\ms-teams.exe msteams:system-initiated | 118 | 2100 | 0.06
    * C:\Program Files (x86)\Microsoft\EdgeWebView\Application\143.0.3650.139\msedgewebview2.exe --type=renderer --webview-exe-name=ms-teams.exe --webview-exe-version=25331.1107.4213.8634 --embedded-browser-webview=1 --lang=en-US --js-flags=--scavenger_max_new_space_capacity_mb=8 --renderer-client-id={i} | 148 | 640 | 0.02
    C:\Program Files\Microsoft Office\root\Office16\EXCEL.EXE | 134 | 1900 | 0.03
    C:\Program Files\Microsoft Office\root\Office16\WINWORD.EXE /n | 121 | 1750 | 0.02
    C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --profile-directory=Default | 164 | 2300 | 0.06
    > C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=crashpad-handler --monitor-self-annotation=ptype=crashpad-handler /prefetch:4 --annotation=channel= | 1.9 | 160
    > C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=gpu-process --gpu-preferences=SAAAAAAAAADgAAAEAAAAAAAAAAAAAAAAAABgAAEAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAA --always-read-main-dll | 142 | 980 | 0.05
    > C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=utility --utility-sub-type=network.mojom.NetworkService --lang=en-US --service-sandbox-type=none | 32 | 460 | 0.02
    * C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=renderer --string-annotations=is-enterprise-managed=yes --lang=en-US --device-scale-factor=1 --num-raster-threads=2 --enable-main-frame-before-activation --renderer-client-id={i} --always-read-main-dll | 88 | 430 | 0.02
    C:\Program Files\TeamViewer\TeamViewer.exe --noInstallation | 27 | 620
    C:\Program Files\Adobe\Acrobat DC\Acrobat\Acrobat.exe --type=renderer C:\Users\Public\Documents\report.pdf | 104 | 1500 | 0.01
  `),
  developer: programTable(String.raw`
    C:\Users\Public\AppData\Local\Programs\Microsoft VS Code\Code.exe | 138 | 1500 | 0.06
    > C:\Users\Public\AppData\Local\Programs\Microsoft VS Code\Code.exe --type=gpu-process --user-data-dir=C:\Users\Public\AppData\Roaming\Code --gpu-preferences=SAAAAAAAAADgAAAEAAAAAAAAAAAA | 84 | 720 | 0.02
    > C:\Users\Public\AppData\Local\Programs\Microsoft VS Code\Code.exe --type=utility --utility-sub-type=node.mojom.NodeService --lang=en-US --service-sandbox-type=none --dns-result-order=ipv4first | 172 | 640 | 0.08
    * C:\Users\Public\AppData\Local\Programs\Microsoft VS Code\Code.exe --type=renderer --user-data-dir=C:\Users\Public\AppData\Roaming\Code --standard-schemes=vscode-webview,vscode-file --enable-sandbox --renderer-client-id={i} | 146 | 560 | 0.03
    C:\Program Files\Google\Chrome\Application\chrome.exe | 210 | 2600 | 0.06
    > C:\Program Files\Google\Chrome\Application\chrome.exe --type=gpu-process --gpu-preferences=SAAAAAAAAADgAAAEAAAAAAAAAAAAAAAAAABgAAEAAAAAAAAAAAAAAAAAAAA --mojo-platform-channel-handle=1984 /prefetch:2 | 168 | 1100 | 0.04
    > C:\Program Files\Google\Chrome\Application\chrome.exe --type=utility --utility-sub-type=storage.mojom.StorageService --lang=en-US --service-sandbox-type=service | 14 | 260
    * C:\Program Files\Google\Chrome\Application\chrome.exe --type=renderer --lang=en-US --device-scale-factor=1.25 --num-raster-threads=4 --enable-main-frame-before-activation --renderer-client-id={i} --mojo-platform-channel-handle=4312 /prefetch:1 | 97 | 410 | 0.02
    C:\Program Files\Docker\Docker\frontend\Docker Desktop.exe --name=dashboard | 92 | 980 | 0.01
    > C:\Program Files\Docker\Docker\resources\com.docker.backend.exe services | 74 | 620 | 0.04
    C:\Program Files\WindowsApps\Microsoft.WindowsTerminal_1.23.12811.0_x64__8wekyb3d8bbwe\WindowsTerminal.exe | 46 | 880 | 0.01
    > C:\Program Files\PowerShell\7\pwsh.exe -NoLogo | 62 | 640 | 0.01
    > C:\Windows\System32\wsl.exe -d Debian | 4.2 | 190
    vmmemWSL | 2600 | 0 | 0.2
    C:\Program Files\JetBrains\IntelliJ IDEA 2025.3\bin\idea64.exe | 2300 | 2100 | 0.2
    > C:\Program Files\JetBrains\IntelliJ IDEA 2025.3\bin\fsnotifier.exe | 1.2 | 110
    * C:\Program Files\nodejs\node.exe C:\src\portal\node_modules\vite\bin\vite.js --host 127.0.0.1 --port 51{i} | 118 | 280 | 0.05
    C:\Program Files\Git\usr\bin\ssh-agent.exe | 2.1 | 140
  `),
  engineering: programTable(String.raw`
    C:\Program Files\Autodesk\AutoCAD 2026\acad.exe /product ACAD /language en-US | 1450 | 3900 | 0.4
    > C:\Program Files\Autodesk\AutoCAD 2026\AcWebBrowser\acwebbrowser.exe --type=renderer --lang=en-US --no-sandbox | 92 | 540 | 0.02
    C:\Program Files\Autodesk\Autodesk Access\AdskAccessCore.exe /silent | 42 | 610
    C:\Program Files\NVIDIA Corporation\NVIDIA App\CEF\NVIDIA Overlay.exe --background | 58 | 900 | 0.02
    C:\Program Files\SOLIDWORKS Corp\SOLIDWORKS\SLDWORKS.exe | 1900 | 3300 | 0.3
    * C:\Program Files\SOLIDWORKS Corp\SOLIDWORKS\sldworks_fs.exe -worker -queue:local{i} | 88 | 400 | 0.04
    C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --no-startup-window --win-session-start | 120 | 1700 | 0.03
    * C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=renderer --string-annotations=is-enterprise-managed=yes --lang=en-US --device-scale-factor=1 --num-raster-threads=2 --enable-main-frame-before-activation --renderer-client-id={i} --always-read-main-dll | 88 | 430 | 0.02
    C:\Program Files\Microsoft Office\root\Office16\OUTLOOK.EXE | 190 | 3900 | 0.03
  `),
  kiosk: programTable(String.raw`
    C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --kiosk https://signage.example/lobby?screen=1&lang=de --edge-kiosk-type=fullscreen --no-first-run | 140 | 1500 | 0.2
    > C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=gpu-process --gpu-preferences=SAAAAAAAAADgAAAEAAAAAAAAAAAAAAAAAABgAAEAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAA --always-read-main-dll | 160 | 900 | 0.3
    * C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe --type=renderer --string-annotations=is-enterprise-managed=yes --lang=en-US --device-scale-factor=1 --num-raster-threads=2 --enable-main-frame-before-activation --renderer-client-id={i} --always-read-main-dll | 96 | 430 | 0.05
    C:\Program Files\Signage Player\player.exe --channel lobby --cache D:\media | 310 | 800 | 0.1
  `),
  'domain-controller': programTable(String.raw`
    C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe -NoProfile -File C:\Scripts\Export-Membership.ps1 | 64 | 610 | 0.04
    > C:\Windows\system32\conhost.exe 0x4 | 1.1 | 90
    C:\Program Files\Microsoft Azure AD Connect Health Agent\Monitor\Microsoft.Identity.Health.Adds.MonitoringAgent.Startup.exe | 72 | 690 | 0.03
    * C:\Windows\system32\dllhost.exe /Processid:{0BC4{i}-7E1D-4B8F-9A35-2F6D0C1B5E47} | 48 | 520 | 0.01
    * C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe -NoProfile -NonInteractive -ExecutionPolicy AllSigned -File C:\Scripts\Watch-Replication.ps1 -Partner dc{i} | 58 | 540 | 0.01
  `),
  'file-server': programTable(String.raw`
    C:\Program Files\Veeam\Endpoint Backup\Veeam.EndPoint.Service.exe | 96 | 1100 | 0.05
    * C:\Program Files\Veeam\Endpoint Backup\VeeamAgent.exe -client_name shares -job "Daily share {i}" -ReadOnlySource -throttle 40 | 84 | 430 | 0.06
    * C:\Windows\system32\dllhost.exe /Processid:{0BC4{i}-7E1D-4B8F-9A35-2F6D0C1B5E47} | 48 | 520 | 0.01
  `),
  database: programTable(String.raw`
    C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\fdhost.exe -s MSSQL16.MSSQLSERVER -p 4 | 6 | 160
    * C:\Program Files\Microsoft SQL Server\160\DTS\Binn\DTExec.exe /ISSERVER "\SSISDB\Warehouse\Load\Load{i}.dtsx" /SERVER localhost /ENVREFERENCE 3 /Par "$ServerOption::SYNCHRONIZED(Boolean)";True | 76 | 480 | 0.05
    * C:\Windows\system32\dllhost.exe /Processid:{0BC4{i}-7E1D-4B8F-9A35-2F6D0C1B5E47} | 48 | 520 | 0.01
  `),
  'web-server': programTable(String.raw`
    C:\Program Files\IIS\Microsoft Web Deploy V4\MsDepSvc.exe -runService:MsDepSvc -port:80 | 31 | 420
    * C:\Windows\system32\inetsrv\w3wp.exe -ap "portal{i}" -v "v4.0" -l "webengine4.dll" -a \\.\pipe\iisipm71d0e1a4-5b1c-4d0e-9a4e-6c6b6e0f3a11 -h "C:\inetpub\temp\apppools\portal\portal.config" -w "" -m 0 -t 20 -ta 0 | 310 | 1400 | 0.15
    * C:\Program Files\dotnet\dotnet.exe C:\inetpub\orders\Orders.Api.dll --urls http://127.0.0.1:50{i} | 190 | 760 | 0.06
    * C:\Windows\system32\dllhost.exe /Processid:{0BC4{i}-7E1D-4B8F-9A35-2F6D0C1B5E47} | 48 | 520 | 0.01
  `),
};

/** Programs with a life of minutes. */
export const PASSING_PROGRAMS = programTable(String.raw`
  C:\Windows\system32\backgroundTaskHost.exe -ServerName:BackgroundTaskHost.WebAccountProvider | 5.4 | 310
  C:\Windows\System32\RuntimeBroker.exe -Embedding | 4.6 | 260
  C:\Windows\system32\SearchProtocolHost.exe Global\UsGthrFltPipeMssGthrPipe6_ Global\UsGthrCtrlFltPipeMssGthrPipe6 1 -2147483646 | 3.2 | 360
  C:\Windows\system32\SearchFilterHost.exe 0 816 820 828 8192 824 796 | 1.8 | 160
  C:\Windows\system32\DllHost.exe /Processid:{973D20D7-562D-44B9-B70B-5A0F49CCDF3F} | 2.2 | 170
  C:\Windows\system32\taskhostw.exe Install $(Arg0) | 3.7 | 220
  C:\Windows\system32\wbem\wmiprvse.exe | 4.9 | 230
  C:\Windows\System32\MoUsoCoreWorker.exe -Embedding | 14 | 410
`);

/** What containers run in, which is a virtual machine on this system. */
export const CONTAINER_MACHINE = 'vmmemWSL';

export const CONTAINER_PROGRAMS = ROLE_PROGRAMS.developer.filter(({ name }) => {
  return name === 'com.docker.backend.exe' || name === CONTAINER_MACHINE;
});
