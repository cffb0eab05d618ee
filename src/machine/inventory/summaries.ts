/** What some packages are, by their names or by those of their sources; the words are this project's own. */
export const SUMMARIES: ReadonlyMap<string, string> = new Map(
  `
  NetworkManager | network connections
  acl | access control lists of files
  adduser | create and remove accounts and groups
  algorithm-diff | differences of lists
  aom | AV1 video codec
  apache2 | web server of many modules
  apparmor | mandatory access control by program
  apport | collects crash reports
  apt | package manager on the command line
  archive | reads and writes many archive formats
  archlinux-keyring | keys that packages are signed with
  argon2 | password hashing that needs memory
  asound | sound on Linux
  assuan | talk between GnuPG parts
  atk | accessibility for toolkits
  attr | extended attributes of files
  audit | kernel audit messages
  authen-sasl | authentication
  automat | state machines
  avahi | finding services in the local network
  babel | translations
  base | minimal package set to define a basic installation
  base-files | files every installation has
  base-passwd | master lists of system accounts
  bash | the usual interactive shell
  bcache-tools | caches disks on faster disks
  bcrypt | password hashes
  bind9 | name server and its tools
  blinker | signals between objects
  blkid | recognises block devices
  bluetooth | wireless devices near by
  bolt | Thunderbolt devices
  bpf | small programs inside the kernel
  brotli | dense compression for the web
  bsd | functions known from BSD
  bsdutils | small programs that came from BSD
  btrfs-progs | Btrfs file systems
  byobu | terminals in tabs
  bz2 | block-sorting compression
  ca-certificates | authorities that are trusted
  ca-certificates-mozilla | authorities of a browser project
  cairo | vector graphics in two dimensions
  cap | finely divided root rights
  cap-ng | simpler handling of capabilities
  cares | asynchronous DNS requests
  cbor | compact binary objects
  certifi | root certificates
  cffi | calls into C
  chardet | guessing encodings
  chrony | keeps the clock right
  click | command lines
  clone | deep copies
  cloud-init | sets up instances on first boot
  colorama | coloured terminals
  colord | colour profiles of devices
  configobj | configuration files
  constantly | symbolic constants
  containerd | runs containers
  coreutils | basic programs for files, text and the shell
  cpio | archives of the old kind
  cron | runs jobs at set times
  cronie | runs jobs at set times
  cryptography | cryptographic recipes
  cryptsetup | encrypted block devices
  cups | printing
  curl | transfers over many protocols
  dash | small and quick POSIX shell
  data-dump | printing data
  dateutil | date arithmetic
  datrie | tries in double arrays
  db | embedded key and value store
  dbd-mysql | the MySQL database
  dbd-pg | the PostgreSQL database
  dbi | databases
  dbus | messages between programs
  dconf | settings store
  debconf | asks configuration questions during installation
  debian | package files
  deflate | fast deflate in one go
  devmapper | logical devices in the kernel
  diffutils | compares files line by line
  distro | telling distributions apart
  dmidecode | what the firmware says
  dnsmasq | small name and address server
  docker | the container engine
  docker.io | containers for developers
  dosfstools | FAT file systems
  dpkg | low-level package installation
  dracut | makes the initial file system
  drm | direct rendering
  dw | debugging information
  ed | editor by lines
  edit | editing of input lines
  elf | object files and their sections
  encode-locale | encodings of the locale
  epoxy | finds OpenGL functions
  error | exceptions
  estr | strings that know their length
  ethtool | settings of network cards
  evdev | input devices
  event | calls back when something happens
  expat | streaming XML parser
  ext2fs | ext2, ext3 and ext4 file systems
  fail2ban | locks out who guesses passwords
  fastjson | JSON for log pipelines
  fdisk | partition tables
  ffi | calls functions known only at run time
  fido2 | security keys
  file-basedir | directories of the desktop
  filesystem | directories that everything else is in
  findutils | searches directory trees
  firewalld | firewall with zones
  flask | small web applications
  font-afm | font metrics
  fontconfig | chooses fonts
  freetype | draws glyphs
  fribidi | text from right to left
  fuse | file systems outside the kernel
  fwupd | updates firmware
  gawk | processes fields of text
  gcc | run-time support of compiled programs
  gcrypt | cryptographic building blocks
  gd | draws images for web pages
  gdbm | hash database in a file
  gdk-pixbuf | loads images
  geoip | countries of addresses
  gi | GObject libraries
  gif | GIF images
  git | distributed version control
  glib | main loop, types and helpers in C
  glibc | C library
  glibc-common | C library: shared files
  gmp | arithmetic without limits
  gnupg | encrypts and signs
  gnutls | TLS the GNU way
  gomp | parallel loops
  gpart | partition table editor
  gpg-error | error values of the GnuPG family
  gpgme | makes GnuPG easy to call
  gpm | mouse on text consoles
  graphite | complex scripts
  grep | prints lines that match a pattern
  grub2-common | boot loader
  gssapi | authentication behind one interface
  gstreamer | media pipelines
  gtk | graphical user interfaces
  gzip | the classic compression program
  haproxy | balances load
  harfbuzz | shapes text
  hdparm | settings of disks
  heif | HEIF images
  hiredis | client of Redis
  hogweed | public key algorithms
  hostname | shows or sets the name of the host
  html-parser | HTML
  htop | processes, interactively
  http-message | HTTP messages
  httplib2 | HTTP with caching
  hyperlink | web addresses
  ical | calendars
  icu | unicode and languages
  idn | names outside ASCII
  idna | international names
  ifupdown | interfaces up and down
  incremental | version numbers
  inih | INI files
  init-system-helpers | glue between packages and init systems
  input | input devices of desktops
  io-socket-ssl | TLS sockets
  iotop | who uses the disk
  iperf3 | measures throughput
  iproute2 | routes, links and addresses
  iptables | packet filter rules
  iputils | is it there
  iputils-ping | is it there
  isc-dhcp-client | asks for an address
  isl | sets of integers
  jansson | JSON in C
  jbig | bitonal images
  jinja2 | templates
  jpeg-turbo | JPEG images, quickly
  jq | queries on JSON
  json-c | JSON objects with counts
  json-xs | JSON
  jsonpatch | changes of JSON
  jsonpointer | places in JSON
  jsonschema | validating JSON
  jwt | signed tokens
  kbd | console fonts and keys
  keepalived | addresses that move on failure
  kexec-tools | starts a kernel from a kernel
  keyutils | keys kept by the kernel
  kmod | loads kernel modules
  krb5 | kerberos tickets
  landscape-client | central administration
  launchpadlib | a code hosting site
  lcms | colour management
  ldap | directory access
  less | pages through text
  libwww | web clients
  licenses | texts of common licences
  linux-firmware | what devices load at start
  lldpd | neighbours on the wire
  lmdb | memory-mapped database
  locale-gettext | translations
  login | starts sessions on terminals
  logrotate | rotates and compresses logs
  lshw | lists hardware
  lsof | lists open files
  lvm2 | logical volumes
  lxd-agent-loader | agent in virtual machines
  lxml | XML
  lz4 | compression that is very fast
  lzma | dense compression
  lzo | real-time compression
  magic | tells what a file is
  mailtools | mail
  make | builds what is out of date
  man-db | manual pages
  mariadb | SQL database server
  markupsafe | escaping
  maxminddb | lookups in address databases
  mc | two panes of files
  md | message digests
  mdadm | disks in arrays
  memcached | cache in memory
  mkinitcpio | makes the initial file system
  mnl | minimal netlink
  modbus | field bus over TCP
  module-find | finding modules
  monitoring-plugins | checks for monitoring systems
  more-itertools | iterators
  mount | attaches file systems
  mpc | complex numbers, exactly rounded
  mpfr | real numbers, exactly rounded
  msgpack | binary objects
  mtr | route and loss in one view
  multipath-tools | several ways to one disk
  mysqlclient | client of MySQL
  mysqldb | the MySQL database
  nano | editor for everyone
  ncurses | text screens
  ncurses-base | descriptions of common terminals
  needrestart | which services still run old code
  net-dbus | the message bus
  net-http | low-level HTTP
  net-snmp | network management protocol
  net-ssleay | openSSL
  net-tools | the old network commands
  netaddr | network addresses
  netfilter | connection tracking
  netifaces | interfaces
  netplan.io | network configuration in YAML
  nettle | low-level cryptography
  newt | dialogues on text screens
  nfs-kernel-server | shares files over the network
  nftables | packet filter
  nghttp | HTTP/2 frames
  nginx | web server and proxy
  nl | netlink sockets
  nmap | scans networks
  nodejs | javaScript outside browsers
  npth | threads in turns
  nspr | portable runtime
  nss | security services
  ntfs-3g | NTFS file systems
  numa | memory near processors
  numpy | arrays of numbers
  oauthlib | signed requests
  onig | regular expressions
  open-iscsi | disks over the network
  open-vm-tools | guest services of a hypervisor
  openitcockpit-agent | monitoring agent
  openjp | JPEG 2000 images
  openssh | keys and common parts of encrypted logins
  openssh-clients | logs in elsewhere
  openssh-server | lets users in over encrypted connections
  openssl | cryptography and TLS toolkit
  openssl-libs | libraries of cryptography and TLS
  openvpn | tunnels
  opus | sound for conversations
  p11-kit | cryptographic tokens
  packagekit | one interface to package managers
  packaging | package metadata
  pacman | package manager with dependencies
  pacman-mirrorlist | mirrors for the package manager
  pam | pluggable authentication
  pango | lays out text
  paramiko | secure shells
  parse-recdescent | parsers
  parted | changes partitions
  passwd | changes passwords and accounts
  patch | applies differences
  pcap | captures packets
  pci | devices on the PCI bus
  pcre | perl-compatible patterns
  perl | interpreter of the Perl language
  perl-interpreter | interpreter of the Perl language
  pexpect | steering programs
  php8.3 | scripting for web pages
  pip | installing modules
  pipeline | runs chains of processes
  pixman | pixels
  plist | property lists
  ply | parsers
  plymouth | pictures while booting
  png | PNG images
  polkit | decides who may do what
  popt | command-line options
  postfix | sends and receives mail
  postgresql-16 | SQL database with many features
  powermgmt-base | power supply state
  pq | client of PostgreSQL
  procps | looks at processes through proc
  procps-ng | looks at processes through proc
  proxy | finds the proxy to use
  psl | public suffixes of names
  psmisc | finds processes by what they use
  psutil | processes and resources
  psycopg2 | the PostgreSQL database
  pulse | mixes sound
  pyasn1 | ASN.1
  pycurl | transfers
  pygments | coloured source
  pymysql | mySQL without C
  pyparsing | grammars
  pyrsistent | immutable data
  python3 | interpreter of the Python language
  qemu-guest-agent | talks to the hypervisor
  raw | pictures as cameras see them
  readline | line editing with history
  redis | data structures in memory
  requests | HTTP for humans
  rich | fine terminals
  rpm | low-level package installation
  rpm-libs | libraries of the package installation
  rsvg | renders SVG
  rsync | copies differences
  rsyslog | collects and forwards log messages
  rtmp | streams of media
  ruby3.2 | a language for humans
  samba | files and printers for other systems
  sasl | pluggable authentication of protocols
  screen | terminals that stay
  seccomp | filters system calls
  secret | stores passwords
  sed | edits streams of text
  selinux | security labels
  semanage | policies of security labels
  sensors | temperatures and fans
  serial | serial ports
  service-identity | verifying peers
  setup | first accounts, groups and settings
  setuptools | packaging projects
  shadow | accounts and passwords
  shadow-utils | accounts and passwords
  sigsegv | handles page faults
  simplejson | JSON
  six | two languages in one
  slang | screens and a language
  smartcols | tables on terminals
  smartmontools | health of disks
  snapd | daemon of snap packages
  snappy | quick compression
  snmpd | answers management requests
  socat | joins any two streams
  sodium | cryptography that is easy to use
  sort-naturally | natural order
  sosreport | gathers data for support
  sqlalchemy | SQL and objects
  sqlite | SQL database in a file
  squid | caches web pages
  ssh | secure shell protocol
  stemmer | word stems
  strace | follows system calls
  sudo | runs single commands with other rights
  sysstat | counts what the system does
  systemd | system and service manager
  systemd-libs | libraries of the service manager
  systemd-sysvcompat | old names of the service manager
  systemd-udev | device events and their rules
  sysvinit-utils | helpers that outlived the old init
  talloc | memory in trees
  tar | packs files into archives
  tasn | ASN.1 structures
  tcl | embeddable tool language
  tcpdump | prints packets
  tdb | small shared database
  term-readkey | terminals
  tevent | events for Samba
  text-iconv | encodings
  thai | thai text
  thin-provisioning-tools | checks thin pools
  tiff | TIFF images
  timedate | dates
  tirpc | remote procedure calls
  tmux | terminals in one terminal
  tomcat10 | servlets
  tornado | web servers
  tree | directories as trees
  try-tiny | exceptions with care
  twisted | networking by events
  tz | time zones
  tzdata | time zones of the world
  uchardet | guesses encodings
  udev | device events and their rules
  ufw | firewall that is simple to set up
  unattended-upgrades | installs security updates by itself
  unistring | unicode strings
  unwind | walks call stacks
  unzip | unpacks ZIP archives
  update-notifier | tells about updates
  urcu | read-copy-update for programs
  uri | web addresses
  urllib3 | connections in pools
  usb | devices on the USB bus
  usbutils | lists USB devices
  utempter | session records
  util-linux | assorted system programs
  uuid | unique identifiers
  uv | asynchronous input and output
  vim | editor with modes
  vorbis | compressed sound
  vpx | VP8 and VP9 video
  vulkan | graphics close to the hardware
  wadllib | described resources
  wayland | display server protocol
  webp | webP images
  werkzeug | web applications
  wget | fetches over HTTP
  wheel | built packages
  whois | asks registries
  wireguard | tunnels of the short kind
  wrap | access lists of services
  x11 | window system client
  xauth | keys of displays
  xcb | window system protocol
  xfsprogs | XFS file systems
  xkbcommon | keymaps
  xml-parser | XML
  xml-twig | XML in pieces
  xml2 | XML documents
  xmlb | XML in binary form
  xslt | transforms XML
  xtables | packet filter extensions
  xxhash | very fast hashing
  xz-utils | dense compression on the command line
  yaml | YAML documents
  zabbix-agent | reports to another monitoring system
  zip | ZIP archives
  zlib | deflate compression
  zmq | message queues without brokers
  zope.interface | interfaces
  zsh | shell with everything
  zstd | compression, fast and dense
`
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((field) => field.trim()) as [string, string]),
);
