import { table } from './table.ts';

/** What every host of an RPM distribution has; the package manager's own parts are named by the distribution. */
export const RPM_ESSENTIALS = table(`
  filesystem | 3.16 | directories that everything else is in
  setup | 2.13.7 | first accounts, groups and settings
  glibc | 2.34 | C library
  glibc-common | 2.34 | C library: shared files
  bash | 5.1.8 | the usual interactive shell
  coreutils | 8.32 | basic programs for files, text and the shell
  systemd | 252 | system and service manager
  systemd-libs | 252 | libraries of the service manager
  systemd-udev | 252 | device events and their rules
  rpm | 4.16.1.3 | low-level package installation
  rpm-libs | 4.16.1.3 | libraries of the package installation
  openssh | 8.7p1 | keys and common parts of encrypted logins
  openssh-server | 8.7p1 | lets users in over encrypted connections
  openssh-clients | 8.7p1 | logs in elsewhere
  openssl | 3.2.2 | cryptography and TLS toolkit
  openssl-libs | 3.2.2 | libraries of cryptography and TLS
  ca-certificates | 2024.2.69 | authorities that are trusted
  util-linux | 2.37.4 | assorted system programs
  shadow-utils | 4.9 | accounts and passwords
  sudo | 1.9.5p2 | runs single commands with other rights
  grep | 3.6 | prints lines that match a pattern
  sed | 4.8 | edits streams of text
  gawk | 5.1.0 | processes fields of text
  tar | 1.34 | packs files into archives
  gzip | 1.12 | the classic compression program
  findutils | 4.8.0 | searches directory trees
  procps-ng | 3.3.17 | looks at processes through proc
  tzdata | 2026a | time zones of the world
  chrony | 4.6.1 | keeps the clock right
  cronie | 1.5.7 | runs jobs at set times
  dracut | 057 | makes the initial file system
  firewalld | 1.3.4 | firewall with zones
  NetworkManager | 1.52.0 | network connections
  audit | 3.1.5 | records what the kernel is asked to
  rsyslog | 8.2412.0 | collects and forwards log messages
  logrotate | 3.18.0 | rotates and compresses logs
  grub2-common | 2.06 | boot loader
  kexec-tools | 2.0.29 | starts a kernel from a kernel
  lvm2 | 2.03.28 | logical volumes
  xfsprogs | 6.4.0 | XFS file systems
  python3 | 3.9.21 | interpreter of the Python language
  perl-interpreter | 5.32.1 | interpreter of the Perl language
  openitcockpit-agent | 3.6.1 | monitoring agent
`);
