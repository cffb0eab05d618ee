import { table } from './table.ts';

/** Programs and servers, with their shared files and manuals. */
export const TOOLS = table(`
  apache2 | 2.4.58 | web server of many modules
  apport | 2.28.1 | collects crash reports
  bcache-tools | 1.0.8 | caches disks on faster disks
  bind9 | 9.18.30 | name server and its tools
  bolt | 0.9.7 | Thunderbolt devices
  btrfs-progs | 6.6.3 | Btrfs file systems
  byobu | 6.11 | terminals in tabs
  chrony | 4.5 | keeps the clock right
  containerd | 1.7.27 | runs containers
  cpio | 2.15 | archives of the old kind
  dmidecode | 3.5 | what the firmware says
  dnsmasq | 2.90 | small name and address server
  docker.io | 27.5.1 | containers for developers
  dosfstools | 4.2 | FAT file systems
  ed | 1.20.1 | editor by lines
  ethtool | 6.7 | settings of network cards
  fail2ban | 1.0.2 | locks out who guesses passwords
  fwupd | 1.9.31 | updates firmware
  gawk | 5.2.1 | processes fields of text
  git | 2.43.0 | distributed version control
  gnupg | 2.4.4 | encrypts and signs
  gpart | 0.3 | partition table editor
  haproxy | 2.8.5 | balances load
  hdparm | 9.65 | settings of disks
  htop | 3.3.0 | processes, interactively
  ifupdown | 0.8.41 | interfaces up and down
  iotop | 0.6 | who uses the disk
  iperf3 | 3.16 | measures throughput
  iproute2 | 6.1.0 | routes, links and addresses
  iptables | 1.8.10 | packet filter rules
  iputils-ping | 20240117 | is it there
  isc-dhcp-client | 4.4.3 | asks for an address
  kbd | 2.6.4 | console fonts and keys
  keepalived | 2.2.8 | addresses that move on failure
  landscape-client | 24.02 | central administration
  less | 590 | pages through text
  lldpd | 1.0.18 | neighbours on the wire
  lshw | 02.19 | lists hardware
  lsof | 4.95.0 | lists open files
  lvm2 | 2.03.16 | logical volumes
  lxd-agent-loader | 0.7 | agent in virtual machines
  make | 4.3 | builds what is out of date
  man-db | 2.12.0 | manual pages
  mariadb | 10.11.13 | SQL database server
  mc | 4.8.30 | two panes of files
  mdadm | 4.3 | disks in arrays
  memcached | 1.6.24 | cache in memory
  monitoring-plugins | 2.3.5 | checks for monitoring systems
  mtr | 0.95 | route and loss in one view
  multipath-tools | 0.9.4 | several ways to one disk
  nano | 7.2 | editor for everyone
  needrestart | 3.6 | which services still run old code
  net-tools | 2.10 | the old network commands
  nfs-kernel-server | 2.6.4 | shares files over the network
  nginx | 1.24.0 | web server and proxy
  nmap | 7.94 | scans networks
  nodejs | 18.19.1 | JavaScript outside browsers
  ntfs-3g | 2022.10.3 | NTFS file systems
  open-iscsi | 2.1.9 | disks over the network
  open-vm-tools | 12.4.5 | guest services of a hypervisor
  openvpn | 2.6.12 | tunnels
  packagekit | 1.2.8 | one interface to package managers
  parted | 3.6 | changes partitions
  patch | 2.7.6 | applies differences
  php8.3 | 8.3.6 | scripting for web pages
  plymouth | 24.004.60 | pictures while booting
  postfix | 3.8.6 | sends and receives mail
  postgresql-16 | 16.9 | SQL database with many features
  powermgmt-base | 1.37 | power supply state
  psmisc | 23.7 | finds processes by what they use
  qemu-guest-agent | 8.2.2 | talks to the hypervisor
  rsync | 3.2.7 | copies differences
  ruby3.2 | 3.2.3 | a language for humans
  samba | 4.19.5 | files and printers for other systems
  screen | 4.9.1 | terminals that stay
  smartmontools | 7.4 | health of disks
  snmpd | 5.9.4 | answers management requests
  socat | 1.8.0 | joins any two streams
  sosreport | 4.8.2 | gathers data for support
  squid | 6.10 | caches web pages
  strace | 6.8 | follows system calls
  sysstat | 12.6.1 | counts what the system does
  tcpdump | 4.99.4 | prints packets
  thin-provisioning-tools | 0.9.0 | checks thin pools
  tmux | 3.4 | terminals in one terminal
  tomcat10 | 10.1.16 | servlets
  tree | 2.1.1 | directories as trees
  unzip | 6.0 | unpacks ZIP archives
  update-notifier | 3.192 | tells about updates
  usbutils | 017 | lists USB devices
  vim | 9.1.0016 | editor with modes
  wget | 1.21.4 | fetches over HTTP
  whois | 5.5.22 | asks registries
  wireguard | 1.0.20210914 | tunnels of the short kind
  xauth | 1.1.2 | keys of displays
  xfsprogs | 6.6.0 | XFS file systems
  xz-utils | 5.6.1 | dense compression on the command line
  zabbix-agent | 6.0.14 | reports to another monitoring system
  zsh | 5.9 | shell with everything
`);
