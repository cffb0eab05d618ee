import type { Draw } from '../draws.ts';
import { textTable } from '../text-table.ts';
import { jobTable } from './job-table.ts';

/** What runs for the system, in the order of its start. */
export const SYSTEM_JOBS = jobTable(
  `
  /Applications/openitcockpit-agent/openitcockpit-agent -c /Applications/openitcockpit-agent/config.ini | 28 | root | com.it-novum.openitcockpit.agent | 0.01
  L:logd | 27 | root | | 0.02
  L:smd | 4 | root | com.apple.xpc.smd
  L:UserEventAgent (System) | 12 | root | com.apple.UserEventAgent-System
  P:Uninstall.framework/Resources/uninstalld | 3
  F:CoreServices.framework/Versions/A/Frameworks/FSEvents.framework/Versions/A/Support/fseventsd | 9 | root | | 0.01
  P:MediaRemote.framework/Support/mediaremoted | 12
  U:systemstats --daemon | 11 | root | com.apple.systemstats.daily
  L:configd | 9
  C:powerd.bundle/powerd | 7
  P:GeoServices.framework/geodMachServiceBridge | 4
  L:keybagd -t 15 | 3 | root | com.apple.mobile.keybagd
  C:ReportCrash daemon | 3 | root | com.apple.ReportCrash.Root
  L:watchdogd | 3
  F:CoreServices.framework/Frameworks/Metadata.framework/Support/mds | 82 | root | com.apple.metadata.mds | 0.04
  C:iconservicesd | 2 | _iconservices | com.apple.iconservices.iconservicesd
  L:diskarbitrationd | 5
  L:coreduetd | 13
  L:syspolicyd | 24 | root | com.apple.security.syspolicy | 0.01
  L:opendirectoryd | 16 | root | | 0.01
  P:ApplePushService.framework/apsd | 16
  C:launchservicesd | 12 | root | com.apple.coreservices.launchservicesd
  L:timed | 4 | _timed
  P:MobileDevice.framework/Versions/A/Resources/usbmuxd -launchd | 4 | _usbmuxd
  U:securityd -i | 9
  L:locationd | 13 | _locationd
  L:autofsd | 2
  L:dasd | 9
  U:distnoted daemon | 3 | _distnote | com.apple.distnoted.xpc.daemon
  P:CoreAnalytics.framework/Support/analyticsd | 8 | _analyticsd
  P:GenerationalStorage.framework/Versions/A/Support/revisiond | 4
  U:KernelEventAgent | 2
  U:bluetoothd | 9
  U:notifyd | 3 | root | | 0.005
  C:corebrightnessd --launchd | 13
  L:AirPlayXPCHelper | 8
  L:amfid | 11 | root | com.apple.MobileFileIntegrity
  L:trustd | 15
  U:cfprefsd daemon | 4 | root | com.apple.cfprefsd.xpc.daemon
  P:TCC.framework/Support/tccd system | 15 | root | com.apple.tccd.system
  L:biometrickitd --launchd | 6
  C:loginwindow.app/Contents/MacOS/loginwindow console | 46 | root | com.apple.loginwindow.00000000-0000-4000-8000-0000000186A2
  L:nehelper | 6
  L:airportd | 14
  P:SkyLight.framework/Resources/WindowServer -daemon | 140 | _windowserver | | 0.22
  U:coreaudiod | 16 | _coreaudiod | com.apple.audio.coreaudiod | 0.01
  L:symptomsd | 11 | _networkd
  U:mDNSResponder | 8 | _mdnsresponder | com.apple.mDNSResponder.reloaded | 0.005
  U:mDNSResponderHelper | 3 | root | com.apple.mDNSResponderHelper.reloaded
  X:CoreAudio/com.apple.audio.DriverHelper | 4 | _coreaudiod
  L:hidd | 8 | _hidd | | 0.02
  L:sandboxd | 11
  L:mobileassetd | 15
  L:lsd runAsRoot | 10
  Y:XprotectFramework/XprotectService | 16
  F:AudioToolbox.framework/AudioComponentRegistrar -daemon | 6 | root | com.apple.audio.AudioComponentRegistrar
  L:runningboardd | 10 | root | | 0.005
  X:Security/com.apple.CodeSigningHelper | 7 | root | com.apple.CodeSigningHelper
  X:AudioToolbox/com.apple.audio.SandboxHelper | 3 | _coreaudiod
  C:backupd.bundle/Contents/Resources/backupd-helper -launchd | 7
  L:colorsync.displayservices | 3
  L:colorsyncd | 4
  L:nsurlsessiond --privileged | 11 | _nsurlsessiond | com.apple.nsurlsessiond_privileged
  L:apfsd | 3
  C:appleeventsd --server | 7 | _appleevents | com.apple.coreservices.appleevents
  L:usbd | 3
  L:thermald | 3
  L:bootinstalld | 4
  L:thermalmonitord | 5
  F:Metal.framework/Resources/MTLCompilerService.bundle/mtlcompilerd | 9
  L:diskmanagementd | 5
  F:CoreServices.framework/Frameworks/Metadata.framework/Versions/A/Support/mds_stores | 171 | root | com.apple.metadata.mds.index | 0.03
  L:captiveagent | 5 | _captiveagent
  X:AccountPolicy/com.apple.AccountPolicyHelper | 3 | root | com.apple.AccountPolicyHelper
  F:LocalAuthentication.framework/Support/coreauthd | 5 | root | com.apple.CoreAuthentication.daemon
  F:CryptoTokenKit.framework/ctkahp.bundle/Contents/MacOS/ctkahp -d | 4 | root | com.apple.CryptoTokenKit.ahp
  U:systemsoundserverd | 7 | root | com.apple.audio.systemsoundserverd
  F:CryptoTokenKit.framework/ctkd -s | 3 | _ctkd
  C:sharedfilelistd | 5 | root | com.apple.coreservices.sharedfilelistd
  P:CoreSymbolication.framework/coresymbolicationd | 3
  L:sysmond | 4
  U:systemstats --logger-helper /private/var/db/systemstats | 3 | root | com.apple.systemstats.analysis
  L:nsurlstoraged --privileged | 3 | _nsurlstoraged
  L:securityd_service | 4
  F:GSS.framework/Helpers/GSSCred | 3
  P:SoftwareUpdate.framework/Resources/softwareupdated | 21 | _softwareupdate | | 0.005
  P:SoftwareUpdate.framework/Resources/suhelperd | 6
  L:PerfPowerServices | 20
  C:SubmitDiagInfo server-init | 5
  L:rtcreportingd | 16
  L:dprivacyd | 6
  L:wifivelocityd | 5
  L:adid | 4 | _fpsd
  P:WirelessRadioManager.framework/WirelessRadioManagerd | 5 | root | com.apple.WirelessRadioManager
  L:findmydeviced | 8 | root | com.apple.icloud.findmydeviced
  L:searchpartyd | 10 | root | com.apple.icloud.searchpartyd
  L:endpointsecurityd | 4 | root | com.apple.endpointsecurity.endpointsecurityd
  L:sysextd | 9
  L:tailspind | 6
  L:eoshostd | 3
  L:seserviced | 7 | _seserviced
  P:CoreWiFi.framework/Support/wifip2pd | 5
  P:NeutrinoCore.framework/neutrinod | 4
  L:gamecontrollerd | 6 | _gamecontrollerd | com.apple.GameController.gamecontrollerd
  L:containermanagerd --runmode=privileged --user-container-mode=current | 9 | _appinstalld | com.apple.containermanagerd_system
  L:ioupsd | 3
  L:remoted | 6
  L:logd_helper | 5 | _logd
  L:triald_system | 9 | _trustd | com.apple.triald.system
  L:modelmanagerd | 18 | _modelmanagerd
  L:nearbyd | 8 | _nearbyd
  L:audioaccessoryd | 9
  L:corespeechd_system | 11 | _corespeechd | com.apple.corespeechd.system
  L:contextstored | 12 | root | com.apple.contextstored
  L:lockdownmoded | 4
  L:swtransparencyd | 5 | _swtransparencyd
  `,
  'root',
);

/** Jobs of the system that wait for something to do. */
export const WAITING_LABELS: readonly string[] =
  `storedownloadd.daemon touchbarserver deleted_helper avbdeviced FontWorker
  applessdstatistics hdiejectd corestoraged storagekitd EmbeddedOSInstallService storereceiptinstaller mobileactivationd
  seld emond iconservicesagent bluetoothReporter logkextloadsd afpfs_checkafp NetworkSharing nesessionmanager
  cfnetworkagent recoverylogd ocspd kadmind PerfPowerServicesExtended RFBEventHelper commerced racoon bosreporter
  mdsscan mbusertrampoline PrivilegeProxy datastored sysdiagnose installd system_installd setregion
  SafeEjectGPUStartupDaemon boswatcher accessoryd fbahelperd IFCStart mdmclient roleaccountd periodic-monthly
  findmymacmessenger CSCSupportd kuncd corecaptured scsid nfrestore IOAccelMemoryInfoCollector lsarpc aslmanager
  taskgated-helper registerassistantservice RemotePairTool fpsd rpmuxd tzlinkd AssetCacheTetheratorService diagnosticd
  ethcheck DumpPanic vsdbutil nfsd akd pfd InstallerProgress nlcd systemkeychain netbiosd SCHelper
  softwareupdate_firstrun_tasks periodic-weekly admintool notify.statd IOBluetoothUSBDFU biokitaggdd authhost
  DumpGPURestart periodic-daily alf dspluginhelperd msrpc.netlogon osx.spotlight.helper TrustEvaluationAgent newsyslog
  MRTd authtrampoline fontmover reporting.service ManagedClient UserNotificationCenter speechsynthesisd rpcbind
  AppleQEMUGuestAgent ucupdate sysdiagnose_helper enroll DesktopServicesHelper securechanneld AssetCache.builtin
  timezoneupdates.tzd multiversed acousticsignature kcm efilogin-helper iOSScreenCaptureAssistant ReportMemoryException
  rapportd teslad digest-service wifiFirmwareLoader cacheAssistant automountd applefileutil eapolcfg_auth
  RemoteProcessingBlockRegistrar AssetCacheLocatorService installerdiagd writeconfig diskmanagementstartup
  MobileAccessoryUpdater signpost_reporter postfix.master ckdiscretionaryd mbsystemadministration mdssvc dpd
  corestoragehelperd IIDCVideoAssistant metrickitd bridgeOSUpdateProxy dirhelper smb.preferences findmymacd
  xartstorageremoted unmountassistant gkreport backupd wps sys.auth testmanagerd nfsconf configureLocalKDC spindump
  lockd wwand eficheck printtool.daemon pfctl CommCenterRootHelper agent.login ionodecache gssd remotemanagementd
  afpLoad dynamic_pager csrutil.report ioserviceauthorized kdc srvsvc osanalyticshelper bnepd dpaudiothru familycontrols
  timemachine.helper kcproxy storeagent systemmigrationd mds.spindump kpasswdd installerdiagwatcher UpdateSettings wkssvc
  nfcd warmd powerd.swd uscwoap netauth.gui newaliases systemstats.weekly bluetoothaudiod startupdiskhelper appstored
  aupbregistrarservice cloudconfigurationd AssetCacheManagerService sessionlogoutd xtyped storeaccountd AVCAssistant
  storeassetd rosetta.oahd mobilegestalt.helper appleh16camerad ospredictiond intelligenceplatformd countryd batteryintelligenced
  wallpaper.export rtbuddyd deviceaccessd bird.legacy ndoagent usermanagerhelper splashboardd dockaccessoryd proactived
  org.cups.cupsd com.openssh.sshd`
    .split(/\s+/)
    .map((label) => (/^(org|com)\./.test(label) ? label : `com.apple.${label}`));

/** Helpers of programs that only some hosts have, each with the percent of hosts; they wait until they are asked for. */
export const OPTIONAL_LABELS: readonly { readonly label: string; readonly draw: Draw }[] = textTable(`
  com.microsoft.autoupdate.helper | 62
  com.microsoft.OneDriveStandaloneUpdaterDaemon | 48
  com.microsoft.office.licensingV2.helper | 55
  com.microsoft.teams.TeamsUpdaterDaemon | 45
  com.google.GoogleUpdater.wake.system | 52
  us.zoom.ZoomDaemon | 44
  com.adobe.ARMDC.Communicator | 34
  com.adobe.acc.installer.v2 | 30
  com.docker.vmnetd | 26
  com.docker.socket | 26
  com.teamviewer.Helper | 24
  com.cisco.secureclient.vpnagentd | 28
  com.fortinet.forticlient.vpn | 18
  com.wireguard.macos.network-extension | 14
  org.wireshark.ChmodBPF | 16
  com.jamf.management.daemon | 42
  com.kandji.profile.mdmclient | 15
  com.crowdstrike.falcond | 24
  com.sentinelone.sentineld-helper | 16
  com.logi.optionsplus.updater | 33
  com.displaylink.displaylinkmanager | 20
  com.parallels.desktop.launchdaemon | 18
  com.vmware.fusion.helper | 9
  com.tailscale.ipn.macsys | 14
  com.malwarebytes.mbam.rtprotection.daemon | 10
  com.brother.LOGINserver | 13
  com.epson.spbs | 10
  com.hp.devicemonitor | 16
  com.bjango.istatmenus.daemon | 15
  homebrew.mxcl.nginx | 8
`).map(([label = '', percent]) => ({ label, draw: { name: label, from: 0, to: Number(percent) / 100 } }));
