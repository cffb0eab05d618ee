import { DAY_SECONDS } from '../../../kernel/units.ts';
import { textTable } from '../text-table.ts';

/** Units of systemd that nearly every host has: name and description; states follow from the type unless given. */
export type UnitLine = { readonly name: string; readonly description: string; readonly state: UnitState };

export type UnitState = readonly [active: string, load: string, sub: string];

const EXITED: UnitState = ['active', 'loaded', 'exited'];
const DEAD: UnitState = ['inactive', 'loaded', 'dead'];
const MISSING: UnitState = ['inactive', 'not-found', 'dead'];
const MASKED: UnitState = ['inactive', 'masked', 'dead'];

/** Reads lines of `name | description`. */
function unitLines(state: UnitState, text: string): readonly UnitLine[] {
  // A unit whose file is missing has nothing but its name to describe it.
  return textTable(text).map(([name = '', description = name]) => ({ name, description, state }));
}

/** Services without a process: those that run have theirs from the tables of daemons. */
const SERVICES: readonly UnitLine[] = [
  ...unitLines(
    EXITED,
    `
    apparmor.service | Profiles of AppArmor
    apport.service | Crash reports
    blk-availability.service | Availability of block devices
    cloud-config.service | First boot: configuration
    cloud-final.service | First boot: last steps
    cloud-init-local.service | First boot: before the network
    cloud-init.service | First boot: metadata
    console-setup.service | Font and keys of the console
    finalrd.service | Run directory for the shutdown
    keyboard-setup.service | Layout of the console keyboard
    kmod-static-nodes.service | Device nodes that modules need
    lvm2-monitor.service | Watches logical volumes
    plymouth-quit-wait.service | Waits until the boot is over
    plymouth-quit.service | Ends the boot screen
    plymouth-read-write.service | Tells the boot screen to write
    setvtrgb.service | Colours of the console
    snapd.apparmor.service | AppArmor profiles of snaps
    snapd.seeded.service | Waits for the first snaps
    sysstat.service | Counters of the system
    systemd-binfmt.service | Additional binary formats
    systemd-fsck-root.service | Check of the root file system
    systemd-journal-flush.service | Moves the journal to disk
    systemd-modules-load.service | Loads kernel modules
    systemd-networkd-wait-online.service | Waits for the network
    systemd-random-seed.service | Keeps entropy over reboots
    systemd-remount-fs.service | Remounts root and kernel file systems
    systemd-sysctl.service | Kernel parameters
    systemd-tmpfiles-setup-dev.service | Static device nodes
    systemd-tmpfiles-setup.service | Volatile files and directories
    systemd-udev-settle.service | Waits for device events
    systemd-udev-trigger.service | Finds devices that were there before
    systemd-update-utmp.service | Records boots & shutdowns
    systemd-user-sessions.service | Permits logins
    ufw.service | Firewall
    user-runtime-dir@1000.service | Run directory of user 1000
    netplan-ovs-cleanup.service | Removes stale virtual switches
    grub-common.service | Records a successful boot
    ifupdown-pre.service | Prepares interfaces
    open-vm-tools.service | Guest services of VMware
    rpc-statd-notify.service | Tells peers of restarts
`,
  ),
  ...unitLines(
    DEAD,
    `
    apt-daily-upgrade.service | Daily upgrade of packages
    apt-daily.service | Daily download of package lists
    dpkg-db-backup.service | Backup of the package database
    e2scrub_all.service | Online check of ext4
    e2scrub_reap.service | Removes old check snapshots
    emergency.service | Emergency shell
    fstrim.service | Tells disks which blocks are free
    fwupd-refresh.service | Refreshes firmware metadata
    getty-static.service | Prompts without a session manager
    initrd-cleanup.service | Cleans up after the initial system
    initrd-parse-etc.service | Mounts of the real root
    initrd-switch-root.service | Switches to the real root
    ldconfig.service | Rebuilds the linker cache
    logrotate.service | Rotation of log files
    man-db.service | Index of manual pages
    modprobe@configfs.service | Kernel module configfs
    modprobe@dm_mod.service | Kernel module dm_mod
    modprobe@drm.service | Kernel module drm
    modprobe@efi_pstore.service | Kernel module efi_pstore
    modprobe@fuse.service | Kernel module fuse
    modprobe@loop.service | Kernel module loop
    motd-news.service | News in the message of the day
    netplan-configure.service | Applies the network configuration
    nftables.service | Packet filter
    phpsessionclean.service | Old sessions of PHP
    plymouth-start.service | Shows the boot screen
    pollinate.service | Entropy for the first boot
    rc-local.service | Compatibility with rc.local
    rescue.service | Rescue shell
    secureboot-db.service | Keys of the secure boot
    snapd.autoimport.service | Imports assertions
    snapd.core-fixup.service | Repairs the core snap
    snapd.recovery-chooser-trigger.service | Waits for the chooser
    snapd.snap-repair.service | Repairs snaps
    sysstat-collect.service | Collects counters
    sysstat-summary.service | Summary of the day
    systemd-ask-password-console.service | Password requests on the console
    systemd-ask-password-wall.service | Password requests to all
    systemd-battery-check.service | Charge before the boot
    systemd-boot-update.service | Updates the boot loader
    systemd-firstboot.service | First-boot wizard
    systemd-fsckd.service | Progress of file system checks
    systemd-hwdb-update.service | Rebuilds the hardware database
    systemd-initctl.service | Compatibility with initctl
    systemd-machine-id-commit.service | Keeps the machine id
    systemd-pcrphase.service | Measures boot phases
    systemd-pstore.service | Archives crash records
    systemd-quotacheck.service | Check of quotas
    systemd-rfkill.service | Radio switches
    systemd-sysext.service | Extensions of the system
    systemd-sysusers.service | System users
    systemd-tmpfiles-clean.service | Removes old temporary files
    systemd-update-utmp-runlevel.service | Records run levels
    systemd-vconsole-setup.service | Virtual console
    ua-reboot-cmds.service | Commands after a reboot
    ua-timer.service | Subscription upkeep
    ubuntu-advantage.service | Subscription in the cloud
    update-notifier-download.service | Data for later installation
    update-notifier-motd.service | Looks for a new release
    uuidd.service | Unique identifiers
    vgauth.service | Guest authentication
    xfs_scrub_all.service | Online check of XFS
`,
  ),
  ...unitLines(
    MISSING,
    `
    auditd.service
    connman.service
    console-screen.service
    display-manager.service
    fcoe.service
    firewalld.service
    iscsi-shutdown.service
    kbd.service
    lvm.service
    ntpsec.service
    openntpd.service
    sendmail.service
    sssd.service
    syslog.service
    ypbind.service
`,
  ),
  ...unitLines(MASKED, 'cryptdisks.service\nhwclock.service\nsudo.service\nx11-common.service'),
];

/** Services that run for a moment now and then, started by their timers. */
const TIMED = [
  { name: 'apt-daily.service', periodSeconds: 43_200 },
  { name: 'logrotate.service', periodSeconds: DAY_SECONDS },
  { name: 'sysstat-collect.service', periodSeconds: 600 },
  { name: 'man-db.service', periodSeconds: DAY_SECONDS },
  { name: 'motd-news.service', periodSeconds: 43_200 },
];

const TARGETS = `basic Basic system|bluetooth Bluetooth|cloud-config Cloud configuration available|cloud-init First boot done
  cryptsetup Encrypted volumes|emergency Emergency mode|final Late shutdown|first-boot-complete First boot complete
  getty-pre Preparation of prompts|getty Login prompts|graphical Graphical interface|hibernate Hibernation
  initrd-fs Initial file systems|initrd-root-device Initial root device|initrd-root-fs Initial root file system
  initrd-switch-root Switch of root|initrd-usr-fs Initial usr file system|initrd Initial system|integritysetup Integrity
  local-fs-pre Preparation of local file systems|local-fs Local file systems|multi-user Multi-user system
  network-online Network is online|network-pre Preparation of the network|network Network
  nss-lookup Lookups of hosts|nss-user-lookup Lookups of users|paths Path units|printer Printer|reboot Reboot
  remote-cryptsetup Remote encrypted volumes|remote-fs-pre Preparation of remote file systems|remote-fs Remote file systems
  rescue Rescue mode|rpcbind Port mapper|shutdown Shutdown|sleep Sleep|slices Slice units|smartcard Smart card
  snapd.mounts-pre Preparation of snaps|snapd.mounts Mounted snaps|sockets Socket units|sound Sound card|suspend Suspend
  swap Swaps|sysinit System initialisation|time-set Clock is set|time-sync Clock is synchronised|timers Timer units
  umount Unmounting|usb-gadget USB gadget|veritysetup Verity volumes|virt-guest-shutdown Guests are down`;

const OTHERS = `
  apt-daily-upgrade.timer Daily upgrade of packages|apt-daily.timer Daily download of package lists
  dpkg-db-backup.timer Daily backup of the package database|e2scrub_all.timer Weekly check of ext4
  fstrim.timer Weekly trim|fwupd-refresh.timer Firmware metadata|logrotate.timer Daily rotation of log files
  man-db.timer Daily index of manual pages|motd-news.timer News of the day|snapd.snap-repair.timer Repairs of snaps
  sysstat-collect.timer Counters every ten minutes|sysstat-summary.timer Daily summary|systemd-tmpfiles-clean.timer Cleaning
  ua-timer.timer Subscription upkeep|update-notifier-download.timer Later downloads|update-notifier-motd.timer New release
  apport-forward.socket Crash reports of containers|cloud-init-hotplugd.socket Hot-plugged devices|dbus.socket Message bus
  dm-event.socket Device mapper events|iscsid.socket Disks over the network|lvm2-lvmpolld.socket Polling of volumes
  multipathd.socket Control of paths|snapd.socket Control of snaps|ssh.socket Remote logins|syslog.socket Log messages
  systemd-fsckd.socket Progress of checks|systemd-initctl.socket Old control pipe|systemd-journald-dev-log.socket Old log
  systemd-journald.socket Journal|systemd-networkd.socket Netlink|systemd-rfkill.socket Radio switches
  systemd-udevd-control.socket Control of devices|systemd-udevd-kernel.socket Events of devices|uuidd.socket Identifiers
  apport-autoreport.path Automatic reports|systemd-ask-password-console.path Requests|systemd-ask-password-wall.path Requests
  tpm-udev.path TPM nodes|-.slice Root slice|system-getty.slice Prompts|system-modprobe.slice Modules|system.slice System
  user-1000.slice User 1000|user.slice Users and sessions|init.scope System and service manager|session-1.scope Session 1
  -.mount Root mount|dev-hugepages.mount Huge pages|dev-mqueue.mount Message queues|run-lock.mount Locks
  run-user-1000.mount Run directory of user 1000|sys-fs-fuse-connections.mount Connections of FUSE
  sys-kernel-config.mount Configuration of the kernel|sys-kernel-debug.mount Debugging of the kernel
  sys-kernel-tracing.mount Tracing of the kernel|proc-sys-fs-binfmt_misc.automount Additional binary formats`;

const SUB_STATES: Readonly<Record<string, string>> = {
  target: 'active',
  timer: 'waiting',
  socket: 'running',
  path: 'waiting',
  slice: 'active',
  scope: 'running',
  mount: 'mounted',
  automount: 'waiting',
};

/** Targets of a boot that went well and of a shutdown that did not come yet. */
const UNREACHED =
  /^(emergency|final|first-boot|hibernate|initrd|reboot|rescue|shutdown|sleep|suspend|umount|usb-gadget)/;

const TARGET_UNITS: readonly UnitLine[] = entries(TARGETS).map(([name, description]) => {
  const state: UnitState = UNREACHED.test(name) ? DEAD : ['active', 'loaded', 'active'];
  return { name: `${name}.target`, description, state };
});

const OTHER_UNITS: readonly UnitLine[] = entries(OTHERS).map(([name, description]) => {
  const type = name.slice(name.lastIndexOf('.') + 1);
  return { name, description, state: ['active', 'loaded', SUB_STATES[type] ?? 'active'] };
});

function entries(text: string): readonly (readonly [string, string])[] {
  return text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => [entry.slice(0, entry.indexOf(' ')), entry.slice(entry.indexOf(' ') + 1)]);
}

/** The units of a distribution's hosts besides those of their devices and of their role. */
export type UnitSet = { readonly units: readonly UnitLine[]; readonly timed: readonly TimedService[] };

/** A service that runs for a moment now and then, started by its timer. */
type TimedService = { readonly name: string; readonly periodSeconds: number };

/** How another distribution differs: lines of `name | description` by state, most important first. */
type UnitCustoms = {
  readonly without: RegExp;
  readonly renamed?: Readonly<Record<string, string>>;
  readonly exited?: string;
  readonly dead?: string;
  readonly waiting?: string;
  /** Its own timed services beside the common ones that it has. */
  readonly timed?: readonly TimedService[];
};

const ALL = [...SERVICES, ...OTHER_UNITS, ...TARGET_UNITS];
const WAITING: UnitState = ['active', 'loaded', 'waiting'];

export const UBUNTU_UNITS: UnitSet = { units: ALL, timed: TIMED };

/** What Ubuntu alone has. */
export const UBUNTU_ONLY =
  /^(snapd|cloud-|apport|ua-|ubuntu-|update-notifier|motd-news|netplan|pollinate|networkd-dispatcher|multipathd|finalrd|setvtrgb|secureboot|ufw|fwupd)/;

/** What the Debian family alone has. */
export const DEBIAN_ONLY =
  /^(snapd|cloud-|apport|ua-|ubuntu-|update-notifier|motd-news|netplan|pollinate|networkd-dispatcher|multipathd|finalrd|setvtrgb|secureboot|ufw|fwupd|dbus\.service|apt-|dpkg-|e2scrub|phpsessionclean|keyboard-setup|console-setup|unattended-|getty-static|ifupdown|vgauth|rc-local|grub-common|x11-common|cryptdisks|hwclock|sudo)/;

/** Services that NetworkManager and chrony stand in for. */
export const NETWORKD = /^systemd-(networkd|networkd-wait-online|resolved|timesyncd)\./;

/** Units whose names one of the patterns matches. */
export function eitherOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export function unitSet(customs: UnitCustoms): UnitSet {
  const { without, renamed = {}, exited = '', dead = '', waiting = '', timed = [] } = customs;
  const own = [...unitLines(EXITED, exited), ...unitLines(DEAD, dead), ...unitLines(WAITING, waiting)];
  const known = new Set(own.map(({ name }) => name));
  const others = ALL.filter(({ name }) => !without.test(name))
    .map((unit) => ({ ...unit, name: renamed[unit.name] ?? unit.name }))
    .filter(({ name }) => !known.has(name));
  return { units: [...own, ...others], timed: [...timed, ...TIMED.filter(({ name }) => !without.test(name))] };
}
