import { table } from './table.ts';

/** What every host has, packaged under its own name. */
export const ESSENTIALS = table(`
  adduser | 3.137 | create and remove accounts and groups
  apt | 2.7.14 | package manager on the command line
  base-files | 13 | files every installation has
  base-passwd | 3.6.3 | master lists of system accounts
  bash | 5.2.21 | the usual interactive shell
  bsdutils | 2.39.3 | small programs that came from BSD
  coreutils | 9.4 | basic programs for files, text and the shell
  dash | 0.5.12 | small and quick POSIX shell
  debconf | 1.5.86 | asks configuration questions during installation
  diffutils | 3.10 | compares files line by line
  dpkg | 1.22.6 | low-level package installation
  findutils | 4.9.0 | searches directory trees
  grep | 3.11 | prints lines that match a pattern
  gzip | 1.12 | the classic compression program
  hostname | 3.23 | shows or sets the name of the host
  init-system-helpers | 1.66 | glue between packages and init systems
  login | 4.13 | starts sessions on terminals
  mount | 2.39.3 | attaches file systems
  ncurses-base | 6.4 | descriptions of common terminals
  openssh-server | 9.6p1 | lets users in over encrypted connections
  openssl | 3.0.13 | cryptography and TLS toolkit
  passwd | 4.13 | changes passwords and accounts
  perl | 5.38.2 | interpreter of the Perl language
  procps | 4.0.4 | looks at processes through proc
  sed | 4.9 | edits streams of text
  sudo | 1.9.15 | runs single commands with other rights
  systemd | 255.4 | system and service manager
  sysvinit-utils | 3.08 | helpers that outlived the old init
  tar | 1.35 | packs files into archives
  tzdata | 2026a | time zones of the world
  udev | 255.4 | device events and their rules
  util-linux | 2.39.3 | assorted system programs
  zlib | 1.3 | deflate compression
  rsyslog | 8.2312.0 | collects and forwards log messages
  cron | 3.0 | runs jobs at set times
  logrotate | 3.21.0 | rotates and compresses logs
  unattended-upgrades | 2.9.1 | installs security updates by itself
  snapd | 2.68.5 | daemon of snap packages
  netplan.io | 1.1.2 | network configuration in YAML
  cloud-init | 25.2 | sets up instances on first boot
  ufw | 0.36.2 | firewall that is simple to set up
`);
