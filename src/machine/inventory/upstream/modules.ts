import { table } from './table.ts';

/** Modules of Python 3; the text completes "Python 3 module for". */
export const PYTHON_MODULES = table(`
  apt | 2.7.7 | the package manager
  attr | 23.2.0 | classes without boilerplate
  automat | 22.10.0 | state machines
  babel | 2.10.3 | translations
  bcrypt | 3.2.2 | password hashes
  blinker | 1.7.0 | signals between objects
  certifi | 2023.11.17 | root certificates
  cffi | 1.16.0 | calls into C
  chardet | 5.2.0 | guessing encodings
  click | 8.1.6 | command lines
  colorama | 0.4.6 | coloured terminals
  configobj | 5.0.8 | configuration files
  constantly | 23.10.4 | symbolic constants
  cryptography | 41.0.7 | cryptographic recipes
  dateutil | 2.8.2 | date arithmetic
  dbus | 1.3.2 | the message bus
  debian | 0.1.49 | package files
  distro | 1.9.0 | telling distributions apart
  docker | 5.0.3 | the container engine
  flask | 3.0.2 | small web applications
  gi | 3.48.2 | GObject libraries
  httplib2 | 0.20.4 | HTTP with caching
  hyperlink | 21.0.0 | web addresses
  idna | 3.6 | international names
  incremental | 22.10.0 | version numbers
  jinja2 | 3.1.2 | templates
  jsonpatch | 1.32 | changes of JSON
  jsonpointer | 2.0 | places in JSON
  jsonschema | 4.10.3 | validating JSON
  jwt | 2.7.0 | signed tokens
  launchpadlib | 1.11.0 | a code hosting site
  ldap | 3.4.4 | directories
  lxml | 5.2.1 | XML
  magic | 0.4.27 | file types
  markupsafe | 2.1.5 | escaping
  more-itertools | 10.2.0 | iterators
  msgpack | 1.0.3 | binary objects
  mysqldb | 1.4.6 | the MySQL database
  netaddr | 0.8.0 | network addresses
  netifaces | 0.11.0 | interfaces
  numpy | 1.26.4 | arrays of numbers
  oauthlib | 3.2.2 | signed requests
  openssl | 23.2.0 | TLS
  packaging | 24.0 | package metadata
  paramiko | 2.12.0 | secure shells
  pexpect | 4.9.0 | steering programs
  pip | 24.0 | installing modules
  ply | 3.11 | parsers
  psutil | 5.9.8 | processes and resources
  psycopg2 | 2.9.9 | the PostgreSQL database
  pyasn1 | 0.4.8 | ASN.1
  pycurl | 7.45.3 | transfers
  pygments | 2.17.2 | coloured source
  pymysql | 1.0.2 | MySQL without C
  pyparsing | 3.1.1 | grammars
  pyrsistent | 0.20.0 | immutable data
  redis | 4.3.4 | the Redis server
  requests | 2.31.0 | HTTP for humans
  rich | 13.7.1 | fine terminals
  serial | 3.5 | serial ports
  service-identity | 24.1.0 | verifying peers
  setuptools | 68.1.2 | packaging projects
  simplejson | 3.19.2 | JSON
  six | 1.16.0 | two languages in one
  sqlalchemy | 1.4.50 | SQL and objects
  systemd | 235 | the journal
  tornado | 6.4.0 | web servers
  twisted | 24.3.0 | networking by events
  tz | 2024.1 | time zones
  urllib3 | 2.0.7 | connections in pools
  wadllib | 1.3.6 | described resources
  werkzeug | 3.0.1 | web applications
  wheel | 0.42.0 | built packages
  yaml | 6.0.1 | YAML
  zope.interface | 6.1 | interfaces
`);

/** Modules of Perl; the text completes "Perl module for". */
export const PERL_MODULES = table(`
  algorithm-diff | 1.201 | differences of lists
  authen-sasl | 2.1700 | authentication
  clone | 0.46 | deep copies
  data-dump | 1.25 | printing data
  dbd-mysql | 4.052 | the MySQL database
  dbd-pg | 3.18.0 | the PostgreSQL database
  dbi | 1.643 | databases
  encode-locale | 1.05 | encodings of the locale
  error | 0.17029 | exceptions
  file-basedir | 0.09 | directories of the desktop
  font-afm | 1.33 | font metrics
  html-parser | 3.81 | HTML
  http-message | 6.45 | HTTP messages
  io-socket-ssl | 2.085 | TLS sockets
  json-xs | 4.030 | JSON
  libwww | 6.76 | web clients
  locale-gettext | 1.07 | translations
  mailtools | 2.21 | mail
  module-find | 0.16 | finding modules
  net-dbus | 1.2.0 | the message bus
  net-http | 6.23 | low-level HTTP
  net-snmp | 6.0.1 | network management
  net-ssleay | 1.94 | OpenSSL
  parse-recdescent | 1.967015 | parsers
  sort-naturally | 1.03 | natural order
  term-readkey | 2.38 | terminals
  text-iconv | 1.7 | encodings
  timedate | 2.3300 | dates
  try-tiny | 0.31 | exceptions with care
  uri | 5.27 | web addresses
  xml-parser | 2.47 | XML
  xml-twig | 3.52 | XML in pieces
  yaml | 1.31 | YAML
`);
