import type { MacRole } from './hardware.ts';
import { jobTable } from './job-table.ts';

/** What runs for the user who is signed in. */
export const USER_JOBS = jobTable(
  `
  U:cfprefsd agent | 6
  L:UserEventAgent (Aqua) | 17
  U:distnoted agent | 8 | | | 0.002
  L:knowledge-agent | 14
  L:lsd | 22
  L:trustd --agent | 16
  L:secd | 16
  C:Dock.app/Contents/MacOS/Dock | 46 | | | 0.01
  C:SystemUIServer.app/Contents/MacOS/SystemUIServer | 36
  C:ControlCenter.app/Contents/MacOS/ControlCenter | 62 | | | 0.01
  C:Finder.app/Contents/MacOS/Finder | 84 | | | 0.01
  C:Spotlight.app/Contents/MacOS/Spotlight | 58 | | | 0.01
  C:WindowManager.app/Contents/MacOS/WindowManager | 31 | | | 0.01
  C:NotificationCenter.app/Contents/MacOS/NotificationCenter | 66
  C:TextInputMenuAgent.app/Contents/MacOS/TextInputMenuAgent | 17
  C:talagent | 12
  L:pkd | 12
  L:secinitd | 7
  L:pboard | 6
  L:dmd | 9
  P:UniversalAccess.framework/Versions/A/Resources/AXVisualSupportAgent.app/Contents/MacOS/AXVisualSupportAgent launchd -s | 15
  U:universalaccessd launchd -s | 10
  C:backgroundtaskmanagementagent | 8
  Y:ViewBridge/ViewBridgeAuxiliary | 9
  P:CloudDocsDaemon.framework/Versions/A/Support/bird | 22
  P:CloudKitDaemon.framework/Support/cloudd | 28
  F:Accounts.framework/Versions/A/Support/accountsd | 34
  P:TCC.framework/Support/tccd | 11
  L:nsurlsessiond | 13
  C:sharedfilelistd | 9
  P:AMPDevices.framework/Versions/A/Support/AMPDeviceDiscoveryAgent --launchd | 7
  F:Security.framework/Versions/A/Resources/CloudKeychainProxy.bundle/Contents/MacOS/CloudKeychainProxy | 6
  F:ApplicationServices.framework/Frameworks/ATS.framework/Support/fontd | 14
  L:rapportd | 14
  P:IDS.framework/identityservicesd.app/Contents/MacOS/identityservicesd | 24
  F:CryptoTokenKit.framework/ctkd -tw | 6
  L:routined LAUNCHED_BY_LAUNCHD | 18
  U:usernoted | 20
  P:CoreSpeech.framework/corespeechd | 14
  P:CoreDuetContext.framework/Resources/ContextStoreAgent | 13
  C:SocialPushAgent.app/Contents/MacOS/SocialPushAgent | 5
  F:InputMethodKit.framework/Resources/imklaunchagent | 11
  /System/Library/Image Capture/Support/icdd | 9
  P:CalendarAgent.framework/Executables/CalendarAgent | 26
  P:AskPermission.framework/Versions/A/Resources/askpermissiond | 9
  L:sharingd | 30 | | | 0.005
  C:AirPlayUIAgent.app/Contents/MacOS/AirPlayUIAgent --launchd | 14
  C:cloudpaird | 9
  P:IMCore.framework/imagent.app/Contents/MacOS/imagent | 22
  C:diagnostics_agent | 8
  L:remindd | 25
  P:AppleMediaServices.framework/Resources/amsaccountsd | 18
  F:CoreTelephony.framework/Support/CommCenter -L | 18
  F:CryptoTokenKit.framework/ctkahp.bundle/Contents/MacOS/ctkahp | 5
  P:CallHistory.framework/Support/CallHistorySyncHelper | 11
  P:CallHistory.framework/Support/CallHistoryPluginHelper | 10
  P:TelephonyUtilities.framework/callservicesd | 28
  P:AssistantServices.framework/Versions/A/Support/assistantd | 36
  C:Siri.app/Contents/MacOS/Siri launchd | 24
  P:SiriTTSService.framework/siriinferenced | 22
  L:siriknowledged | 21
  P:CoreParsec.framework/parsecd | 24
  P:CoreParsec.framework/parsec-fbf | 12
  P:CoreSuggestions.framework/Versions/A/Support/suggestd | 39 | | | 0.005
  P:PersonalizationPortrait.framework/personalizationd | 16
  P:Categories.framework/Versions/A/XPCServices/CategoriesService.xpc/Contents/MacOS/CategoriesService | 8
  P:ScreenTimeCore.framework/Versions/A/ScreenTimeAgent | 17
  P:UsageTracking.framework/Versions/A/UsageTrackingAgent | 13
  P:FamilyCircle.framework/Versions/A/Resources/familycircled | 13
  P:FamilyControls.framework/Versions/A/FamilyControlsAgent | 9
  P:PassKitCore.framework/passd | 21
  P:HomeKitDaemon.framework/Support/homed | 38
  P:HomeEnergyDaemon.framework/homeenergyd | 14
  P:PhotoLibraryServices.framework/Versions/A/Support/photolibraryd | 34 | | | 0.01
  P:PhotoAnalysis.framework/Versions/A/Support/photoanalysisd | 40 | | | 0.01
  P:MediaAnalysis.framework/mediaanalysisd | 31 | | | 0.01
  P:CloudPhotoServices.framework/Versions/A/Support/cloudphotod | 28
  P:MobileStorage.framework/Versions/A/Resources/storagemanagerd | 9
  P:Noticeboard.framework/Versions/A/Resources/nbagent.app/Contents/MacOS/nbagent | 13
  P:SafariSafeBrowsing.framework/com.apple.Safari.SafeBrowsing.Service | 15
  P:SafariFoundation.framework/Versions/A/Support/SafariBookmarksSyncAgent | 24
  P:SafariSharedUI.framework/SafariLaunchAgent | 9
  P:BookmarkDAV.framework/Helpers/BookDAVHelper | 8
  P:CoreFollowUp.framework/Versions/A/Support/followupd | 16
  P:FindMyMac.framework/Versions/A/Resources/FindMyMacd | 9
  P:FMF.framework/Versions/A/XPCServices/fmfd.xpc/Contents/MacOS/fmfd | 13
  P:AppStoreDaemon.framework/Support/appstoreagent | 31
  P:CommerceKit.framework/Versions/A/Resources/commerce | 14
  P:CommerceKit.framework/Versions/A/Resources/storeuid.app/Contents/MacOS/storeuid | 18
  P:AOSKit.framework/Versions/A/Helpers/AOSHeartbeat.app/Contents/MacOS/AOSHeartbeat | 11
  P:AuthKit.framework/Versions/A/Support/akd | 17
  P:CoreCDP.framework/Versions/A/Resources/cdpd | 12
  P:ProtectedCloudStorage.framework/Helpers/ProtectedCloudKeySyncing | 9
  P:KeychainCircle.framework/Versions/A/Resources/keychainsharingmessagingd | 9
  P:TrustedPeers.framework/TrustedPeersHelper | 19
  P:WorkflowKit.framework/Versions/A/Resources/siriactionsd | 24
  P:VoiceShortcuts.framework/Versions/A/Support/shortcuts-helper | 17
  P:WeatherDaemon.framework/Support/weatherd | 16
  P:NewsTransport.framework/Support/newsd | 13
  P:StocksKit.framework/Support/stocksd | 12
  P:PodcastsFoundation.framework/podcasts-agent | 15
  P:MusicLibrary.framework/Support/AMPLibraryAgent --launchd | 29
  P:AMPArtwork.framework/Versions/A/Support/AMPArtworkAgent --launchd | 13
  P:iTunesCloud.framework/Support/itunescloudd | 24
  P:GameCenterFoundation.framework/Versions/A/gamed | 19
  P:GamePolicy.framework/gamepolicyd | 9
  P:Translation.framework/translationd | 14
  P:ChronoServices.framework/Support/chronod | 34 | | | 0.005
  P:WallpaperKit.framework/Support/WallpaperAgent | 64 | | | 0.01
  P:ReplicatorServices.framework/Support/replicatord | 16
  P:IntelligencePlatform.framework/Support/intelligenceplatformd | 42 | | | 0.005
  P:IntelligenceFlow.framework/Support/intelligenceflowd | 19
  P:IntelligenceContext.framework/Support/intelligencecontextd | 21
  P:BiomeStreams.framework/Support/BiomeAgent | 31 | | | 0.005
  P:TrialServer.framework/Support/triald | 28
  P:DuetActivityScheduler.framework/duetexpertd | 30
  P:ExtensionFoundation.framework/extensionkitservice | 14
  P:EcosystemAnalytics.framework/ecosystemanalyticsd | 9
  P:ProactiveSupport.framework/proactiveeventtrackerd | 16
  P:Sharing.framework/Support/AirDropDaemon | 13
  P:SyncedDefaults.framework/Support/syncdefaultsd | 14
  P:UserActivity.framework/Agents/useractivityd | 19
  P:UserSafety.framework/Support/usersafetyd | 11
  P:CommunicationsFilter.framework/CMFSyncAgent | 10
  P:ContactsDonation.framework/Versions/A/Support/contactsdonationagent | 16
  P:ContactsPersistence.framework/contactsd | 31
  P:DoNotDisturb.framework/donotdisturbd | 18
  P:StatusKit.framework/StatusKitAgent | 16
  P:Focus.framework/focusd | 12
  P:FaceTimeNotificationCenter.framework/FTConversationService | 12
  P:AvatarPersistence.framework/Support/avatarsd | 11
  P:LinkMetadata.framework/linkd | 29
  P:GenerativeModels.framework/generativeexperiencesd | 37
  P:ModelCatalog.framework/modelcatalogd | 23
  P:TipsCore.framework/tipsd | 21
  P:ManagedClient.framework/ManagedClientAgent | 11
  P:RemoteManagement.framework/RemoteManagementAgent | 14
  P:SidecarCore.framework/Versions/A/SidecarRelay | 14
  P:UniversalControl.framework/Versions/A/UniversalControl | 22
  P:ContinuityCapture.framework/ContinuityCaptureAgent | 19
  P:FileProvider.framework/Support/fileproviderd | 33 | | | 0.005
  P:MobileSync.framework/AppleMobileBackup | 9
  P:AppPredictionClient.framework/Support/coreduetd-agent | 13
  P:VideosUI.framework/videosubscriptionsd | 11
  P:WebKit.framework/Versions/A/XPCServices/com.apple.WebKit.Networking.xpc/Contents/MacOS/com.apple.WebKit.Networking | 24 | | | 0.01
  P:TextInput.framework/Support/keyboardservicesd | 12
  P:TextInputCore.framework/TextInputSwitcher.app/Contents/MacOS/TextInputSwitcher | 18
  X:CoreSpotlight/CoreSpotlightService | 14
  X:QuickLookUI/com.apple.quicklook.ThumbnailsAgent | 31
  X:QuickLookUI/QuickLookUIService | 16
  X:Metal/MTLCompilerService | 16
  X:VideoToolbox/VTDecoderXPCService | 12
  X:AppKit/com.apple.appkit.xpc.openAndSavePanelService | 48
  X:ApplicationServices/com.apple.hiservices-xpcservice | 7
  X:AudioToolbox/com.apple.audio.SandboxHelper | 5
  X:AVFCapture/com.apple.cmio.ContinuityCaptureAgent | 13
  X:CoreServices/com.apple.DictionaryServiceHelper | 9
  X:MediaToolbox/MediaPlaybackHelper | 14
  X:LocalAuthentication/com.apple.LocalAuthentication.UIService | 12
  Y:AppSSO/AppSSOAgent | 14
  Y:ContextKit/ContextService | 15
  Y:IMFoundation/IMRemoteURLConnectionAgent | 11
  Y:DiskImages2/diskimagescontroller | 9
  Y:PlugInKit/com.apple.PlugInKit.Helper | 8
  F:AudioToolbox.framework/AudioComponentRegistrar | 9
  /System/Library/Services/AppleSpell.service/Contents/MacOS/AppleSpell | 29
  F:CoreServices.framework/Frameworks/Metadata.framework/Versions/A/Support/mdwrite | 10
  F:CoreServices.framework/Frameworks/Metadata.framework/Versions/A/Support/mdbulkimport -s mdworker-bundle -c MDSImporterBundleFinder | 15
  U:spindump_agent | 7
  L:adprivacyd | 12
  L:transparencyd | 11
  L:studentd | 9
  L:swcd | 14
  L:proactived | 12
  L:promotedcontentd | 22
  L:replayd | 15
  L:ptpcamerad | 9
  L:tzd | 5
  L:networkserviceproxy | 12
  L:neagent | 14
  L:inputanalyticsd | 8
  L:mlhostd | 16
  L:mlruntimed | 15
  L:peopled | 14
  L:naturallanguaged | 17
  L:feedbackd | 8
  L:financed | 16
  L:geod | 14
  L:iconservicesagent | 19
  L:installcoordinationd | 10
  L:linkd | 22
  L:audiomxd | 18 | | | 0.01
  L:avconferenced | 16
  L:betaenrollmentagent | 9
  L:ciphermld | 10
  `,
  undefined,
);

/** What the users of a role have open; helpers of browsers and editors fill up long lists. */
export const ROLE_JOBS: Readonly<Record<MacRole, ReturnType<typeof jobTable>>> = {
  office: jobTable(
    `
    N:Microsoft Outlook | 310 | | com.microsoft.Outlook | 0.05
    N:Microsoft Excel | 280 | | com.microsoft.Excel | 0.03
    N:Microsoft Word | 240 | | com.microsoft.Word | 0.02
    A:Microsoft Teams.app/Contents/MacOS/MSTeams | 260 | | com.microsoft.teams2 | 0.06
    A:OneDrive.app/Contents/MacOS/OneDrive /background | 120 | | com.microsoft.OneDrive | 0.01
    N:Safari | 190 | | com.apple.Safari | 0.05
    * /System/Library/Frameworks/WebKit.framework/Versions/A/XPCServices/com.apple.WebKit.WebContent.xpc/Contents/MacOS/com.apple.WebKit.WebContent | 130 | | com.apple.WebKit.WebContent | 0.02
    * A:Microsoft Teams.app/Contents/Frameworks/Microsoft Teams WebView Helper.app/Contents/MacOS/Microsoft Teams WebView Helper (Renderer) --type=renderer --lang=en-US --renderer-client-id={i} | 110 | | com.microsoft.teams2.helper | 0.02
    `,
    undefined,
  ),
  developer: jobTable(
    `
    A:Visual Studio Code.app/Contents/MacOS/Electron | 180 | | com.microsoft.VSCode | 0.05
    A:Visual Studio Code.app/Contents/Frameworks/Code Helper (GPU).app/Contents/MacOS/Code Helper (GPU) --type=gpu-process --user-data-dir=/tmp/code | 90 | | com.microsoft.VSCode.helper | 0.02
    A:Google Chrome.app/Contents/MacOS/Google Chrome | 320 | | com.google.Chrome | 0.06
    A:iTerm.app/Contents/MacOS/iTerm2 | 170 | | com.googlecode.iterm2 | 0.02
    A:Docker.app/Contents/MacOS/com.docker.backend services | 140 | | com.docker.docker | 0.04
    A:Docker.app/Contents/MacOS/com.docker.virtualization --kernel /Applications/Docker.app/Contents/Resources/linuxkit/kernel --memory 8092 | 2900 | | com.docker.virtualization | 0.15
    A:IntelliJ IDEA.app/Contents/MacOS/idea | 2100 | | com.jetbrains.intellij | 0.15
    A:Slack.app/Contents/MacOS/Slack | 210 | | com.tinyspeck.slackmacgap | 0.02
    * A:Google Chrome.app/Contents/Frameworks/Google Chrome Framework.framework/Versions/143.0.7499.193/Helpers/Google Chrome Helper (Renderer).app/Contents/MacOS/Google Chrome Helper (Renderer) --type=renderer --lang=en-US --num-raster-threads=4 --renderer-client-id={i} | 140 | | com.google.Chrome.helper.renderer | 0.02
    * A:Visual Studio Code.app/Contents/Frameworks/Code Helper (Renderer).app/Contents/MacOS/Code Helper (Renderer) --type=renderer --vscode-window-kind=shared-process --renderer-client-id={i} | 130 | | com.github.Electron.helper | 0.02
    * /bin/zsh -il | 4 | | login.shell
    `,
    undefined,
  ),
  build: jobTable(
    `
    /opt/actions-runner/bin/Runner.Listener run --startuptype service | 96 | | actions.runner.mobile | 0.02
    /opt/actions-runner/bin/Runner.Worker spawnclient 118 121 | 110 | | actions.runner.worker | 0.04
    A:Xcode.app/Contents/Developer/usr/bin/xcodebuild -workspace App.xcworkspace -scheme App -destination generic/platform=iOS archive | 420 | | xcodebuild | 0.3
    A:Xcode.app/Contents/SharedFrameworks/XCBuild.framework/Versions/A/PlugIns/XCBBuildService.bundle/Contents/MacOS/XCBBuildService | 380 | | com.apple.dt.XCBBuildService | 0.1
    * A:Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/swift-frontend -frontend -c -primary-file Sources/View{i}.swift -target arm64-apple-ios18.0 -module-name App | 190 | | swift-frontend | 0.1
    * A:Xcode.app/Contents/Developer/Applications/Simulator.app/Contents/MacOS/Simulator -CurrentDeviceUDID 5C2E7B1A-0F4D-4E33-9F0C-2B7D1A6E9C44 | 160 | | com.apple.iphonesimulator | 0.04
    `,
    undefined,
  ),
  studio: jobTable(
    `
    A:Adobe Photoshop 2026/Adobe Photoshop 2026.app/Contents/MacOS/Adobe Photoshop 2026 | 2600 | | com.adobe.Photoshop | 0.15
    A:Adobe InDesign 2026/Adobe InDesign 2026.app/Contents/MacOS/Adobe InDesign 2026 | 1400 | | com.adobe.InDesign | 0.06
    A:Final Cut Pro.app/Contents/MacOS/Final Cut Pro | 1900 | | com.apple.FinalCut | 0.2
    N:Safari | 190 | | com.apple.Safari | 0.04
    /Library/Application Support/Adobe/Adobe Desktop Common/ADS/Adobe Desktop Service.app/Contents/MacOS/Adobe Desktop Service | 120 | | com.adobe.acc.AdobeDesktopService | 0.01
    * /Library/Application Support/Adobe/Adobe Desktop Common/IPCBox/AdobeIPCBroker.app/Contents/MacOS/AdobeIPCBroker -launchedbyvulcan | 24 | | com.adobe.AdobeIPCBroker
    * A:Final Cut Pro.app/Contents/XPCServices/com.apple.FinalCut.RenderService.xpc/Contents/MacOS/com.apple.FinalCut.RenderService --queue background --priority utility --job {i} | 210 | | com.apple.FinalCut.RenderService | 0.05
    * /System/Library/Frameworks/WebKit.framework/Versions/A/XPCServices/com.apple.WebKit.WebContent.xpc/Contents/MacOS/com.apple.WebKit.WebContent | 130 | | com.apple.WebKit.WebContent | 0.01
    `,
    undefined,
  ),
};

/** Programs with a life of minutes. */
export const PASSING_JOBS = jobTable(
  `
  F:CoreServices.framework/Frameworks/Metadata.framework/Versions/A/Support/mdworker_shared -s mdworker -c MDSImporterWorker -m com.apple.mdworker.shared | 19
  F:CoreServices.framework/Frameworks/Metadata.framework/Versions/A/Support/mdworker -s mdworker-bundle -c MDSImporterBundleFinder -m com.apple.mdworker.bundles | 15
  X:Metal/MTLCompilerService | 14
  X:QuickLookUI/QuickLookUIService | 13
  C:OSDUIHelper.app/Contents/MacOS/OSDUIHelper | 15
  P:HelpData.framework/Versions/A/Resources/helpd | 6
  Y:XprotectFramework/XprotectService | 14
  /usr/bin/ssh-agent -l | 3
  `,
  undefined,
);

/** What containers run in, which is a virtual machine on this system. */
export const CONTAINER_JOBS = ROLE_JOBS.developer.filter(({ label }) => label.startsWith('com.docker.'));

export const CONTAINER_MACHINE_JOB = 'com.docker.virtualization';
