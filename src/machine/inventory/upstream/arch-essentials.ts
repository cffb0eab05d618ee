import { table } from './table.ts';

/** What every Arch host has: the members of its base groups. */
export const ARCH_ESSENTIALS = table(`
  base | 3 | Minimal package set to define a basic installation
  filesystem | 2025.10.12 | Base directories and files
  glibc | 2.42 | C library of the whole system
  bash | 5.3.9 | The usual interactive shell
  coreutils | 9.9 | Basic programs for files, text and the shell
  systemd | 259.1 | System and service manager
  systemd-libs | 259.1 | Libraries of the service manager
  systemd-sysvcompat | 259.1 | Old names of the service manager
  pacman | 7.1.0 | Package manager with dependencies
  pacman-mirrorlist | 20260101 | Mirrors for the package manager
  archlinux-keyring | 20260107 | Keys that packages are signed with
  openssl | 3.6.1 | Cryptography and TLS toolkit
  openssh | 10.2p1 | Encrypted logins and their server
  ca-certificates | 20240618 | Authorities that are trusted
  ca-certificates-mozilla | 3.120 | Authorities of a browser project
  linux-firmware | 20260110 | What devices load at start
  mkinitcpio | 40.0 | Makes the initial file system
  util-linux | 2.41.3 | Assorted system programs
  shadow | 4.18.0 | Accounts and passwords
  sudo | 1.9.17.2 | Runs single commands with other rights
  grep | 3.12 | Prints lines that match a pattern
  sed | 4.9 | Edits streams of text
  gawk | 5.3.2 | Processes fields of text
  tar | 1.35 | Packs files into archives
  gzip | 1.14 | The classic compression program
  findutils | 4.10.0 | Searches directory trees
  procps-ng | 4.0.5 | Looks at processes through proc
  iproute2 | 6.18.0 | Routes, links and addresses
  iputils | 20250605 | Is it there
  kmod | 34.2 | Loads modules of the kernel
  licenses | 20240728 | Texts of common licences
  psmisc | 23.7 | Finds processes by what they use
  tzdata | 2026a | Time zones of the world
  zlib | 1.3.1 | Deflate compression
  openitcockpit-agent | 3.6.1 | Monitoring agent
`);
