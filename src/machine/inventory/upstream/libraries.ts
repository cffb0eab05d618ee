import { table } from './table.ts';

/** Shared libraries: a run-time package, and often headers, data and tools. */
export const LIBRARIES = table(`
  acl | 2.3.2 | access control lists of files
  aom | 3.8.2 | AV1 video codec
  apparmor | 4.0.1 | mandatory access control by program
  archive | 3.7.2 | reads and writes many archive formats
  argon2 | 0~20190702 | password hashing that needs memory
  asound | 1.2.11 | sound on Linux
  assuan | 2.5.6 | talk between GnuPG parts
  atk | 2.52.0 | accessibility for toolkits
  attr | 2.5.2 | extended attributes of files
  audit | 3.1.2 | kernel audit messages
  avahi | 0.8 | finding services in the local network
  blkid | 2.39.3 | recognises block devices
  bluetooth | 5.72 | wireless devices near by
  bpf | 1.3.0 | small programs inside the kernel
  brotli | 1.1.0 | dense compression for the web
  bsd | 0.12.1 | functions known from BSD
  bz2 | 1.0.8 | block-sorting compression
  cairo | 1.18.0 | vector graphics in two dimensions
  cap | 2.66 | finely divided root rights
  cap-ng | 0.8.4 | simpler handling of capabilities
  cares | 1.27.0 | asynchronous DNS requests
  cbor | 0.10.2 | compact binary objects
  colord | 1.4.7 | colour profiles of devices
  cryptsetup | 2.7.0 | encrypted block devices
  cups | 2.4.7 | printing
  curl | 8.5.0 | transfers over many protocols
  datrie | 0.2.13 | tries in double arrays
  db | 5.3.28 | embedded key and value store
  dbus | 1.14.10 | messages between programs
  dconf | 0.40.0 | settings store
  deflate | 1.19 | fast deflate in one go
  devmapper | 1.02.185 | logical devices in the kernel
  drm | 2.4.122 | direct rendering
  dw | 0.190 | debugging information
  edit | 3.1 | editing of input lines
  elf | 0.190 | object files and their sections
  epoxy | 1.5.10 | finds OpenGL functions
  estr | 0.1.11 | strings that know their length
  event | 2.1.12 | calls back when something happens
  evdev | 1.13.1 | input devices
  expat | 2.6.1 | streaming XML parser
  ext2fs | 1.47.0 | ext2, ext3 and ext4 file systems
  fastjson | 1.2304.0 | JSON for log pipelines
  fdisk | 2.39.3 | partition tables
  ffi | 3.4.6 | calls functions known only at run time
  fido2 | 1.14.0 | security keys
  fontconfig | 2.15.0 | chooses fonts
  freetype | 2.13.2 | draws glyphs
  fribidi | 1.0.13 | text from right to left
  fuse | 3.14.0 | file systems outside the kernel
  gcc | 14.2.0 | run-time support of compiled programs
  gcrypt | 1.10.3 | cryptographic building blocks
  gd | 2.3.3 | draws images for web pages
  gdbm | 1.23 | hash database in a file
  gdk-pixbuf | 2.42.10 | loads images
  geoip | 1.6.12 | countries of addresses
  gif | 5.2.2 | GIF images
  glib | 2.80.0 | main loop, types and helpers in C
  gmp | 6.3.0 | arithmetic without limits
  gnutls | 3.8.3 | TLS the GNU way
  gomp | 14.2.0 | parallel loops
  gpg-error | 1.47 | error values of the GnuPG family
  gpgme | 1.18.0 | makes GnuPG easy to call
  gpm | 1.20.7 | mouse on text consoles
  graphite | 1.3.14 | complex scripts
  gssapi | 1.20.1 | authentication behind one interface
  gstreamer | 1.24.2 | media pipelines
  gtk | 3.24.41 | graphical user interfaces
  harfbuzz | 8.3.0 | shapes text
  heif | 1.17.6 | HEIF images
  hiredis | 1.2.0 | client of Redis
  hogweed | 3.9.1 | public key algorithms
  ical | 3.0.17 | calendars
  icu | 74.2 | Unicode and languages
  idn | 2.3.7 | names outside ASCII
  inih | 55 | INI files
  input | 1.25.0 | input devices of desktops
  isl | 0.26 | sets of integers
  jansson | 2.14 | JSON in C
  jbig | 2.1 | bitonal images
  jpeg-turbo | 2.1.5 | JPEG images, quickly
  json-c | 0.17 | JSON objects with counts
  jq | 1.7.1 | queries on JSON
  keyutils | 1.6.3 | keys kept by the kernel
  kmod | 31 | loads kernel modules
  krb5 | 1.20.1 | Kerberos tickets
  lcms | 2.14 | colour management
  ldap | 2.6.7 | directory access
  lmdb | 0.9.31 | memory-mapped database
  lz4 | 1.9.4 | compression that is very fast
  lzma | 5.6.1 | dense compression
  lzo | 2.10 | real-time compression
  magic | 5.45 | tells what a file is
  maxminddb | 1.9.1 | lookups in address databases
  md | 1.1.0 | message digests
  mnl | 1.0.5 | minimal netlink
  modbus | 3.1.10 | field bus over TCP
  mpc | 1.3.1 | complex numbers, exactly rounded
  mpfr | 4.2.1 | real numbers, exactly rounded
  mysqlclient | 8.0.42 | client of MySQL
  ncurses | 6.4 | text screens
  net-snmp | 5.9.4 | network management protocol
  netfilter | 1.0.9 | connection tracking
  nettle | 3.9.1 | low-level cryptography
  newt | 0.52.24 | dialogues on text screens
  nftables | 1.0.9 | packet filter
  nghttp | 1.59.0 | HTTP/2 frames
  nl | 3.7.0 | netlink sockets
  npth | 1.6 | threads in turns
  nspr | 4.35 | portable runtime
  nss | 3.98 | security services
  numa | 2.0.18 | memory near processors
  onig | 6.9.9 | regular expressions
  openjp | 2.5.0 | JPEG 2000 images
  opus | 1.4 | sound for conversations
  p11-kit | 0.25.3 | cryptographic tokens
  pam | 1.5.3 | pluggable authentication
  pango | 1.52.1 | lays out text
  pcap | 1.10.4 | captures packets
  pci | 3.10.0 | devices on the PCI bus
  pcre | 10.42 | Perl-compatible patterns
  pipeline | 1.5.7 | runs chains of processes
  pixman | 0.42.2 | pixels
  plist | 2.3.0 | property lists
  png | 1.6.43 | PNG images
  polkit | 124 | decides who may do what
  popt | 1.19 | command-line options
  pq | 16.9 | client of PostgreSQL
  proxy | 0.5.4 | finds the proxy to use
  psl | 0.21.2 | public suffixes of names
  pulse | 16.1 | mixes sound
  raw | 0.21.2 | pictures as cameras see them
  readline | 8.2 | line editing with history
  redis | 7.0.15 | data structures in memory
  rsvg | 2.58.0 | renders SVG
  rtmp | 2.4 | streams of media
  sasl | 2.1.28 | pluggable authentication of protocols
  seccomp | 2.5.5 | filters system calls
  secret | 0.21.4 | stores passwords
  selinux | 3.5 | security labels
  semanage | 3.5 | policies of security labels
  sensors | 3.6.0 | temperatures and fans
  sigsegv | 2.14 | handles page faults
  slang | 2.3.3 | screens and a language
  smartcols | 2.39.3 | tables on terminals
  snappy | 1.1.10 | quick compression
  sodium | 1.0.18 | cryptography that is easy to use
  sqlite | 3.45.1 | SQL database in a file
  ssh | 0.10.6 | secure shell protocol
  stemmer | 2.2.0 | word stems
  talloc | 2.4.2 | memory in trees
  tasn | 4.19.0 | ASN.1 structures
  tcl | 8.6.14 | embeddable tool language
  tdb | 1.4.10 | small shared database
  tevent | 0.16.1 | events for Samba
  thai | 0.1.29 | Thai text
  tiff | 4.5.1 | TIFF images
  tirpc | 1.3.4 | remote procedure calls
  uchardet | 0.0.8 | guesses encodings
  unistring | 1.1 | Unicode strings
  unwind | 1.6.2 | walks call stacks
  urcu | 0.14.0 | read-copy-update for programs
  usb | 1.0.27 | devices on the USB bus
  utempter | 1.2.1 | session records
  uuid | 2.39.3 | unique identifiers
  uv | 1.48.0 | asynchronous input and output
  vorbis | 1.3.7 | compressed sound
  vpx | 1.14.0 | VP8 and VP9 video
  vulkan | 1.3.275 | graphics close to the hardware
  wayland | 1.22.0 | display server protocol
  webp | 1.3.2 | WebP images
  wrap | 7.6.q | access lists of services
  x11 | 1.8.7 | window system client
  xcb | 1.15 | window system protocol
  xkbcommon | 1.6.0 | keymaps
  xml2 | 2.9.14 | XML documents
  xmlb | 0.3.18 | XML in binary form
  xslt | 1.1.39 | transforms XML
  xtables | 1.8.10 | packet filter extensions
  xxhash | 0.8.2 | very fast hashing
  yaml | 0.2.5 | YAML documents
  zip | 1.7.3 | ZIP archives
  zmq | 4.3.5 | message queues without brokers
  zstd | 1.5.5 | compression, fast and dense
`);
