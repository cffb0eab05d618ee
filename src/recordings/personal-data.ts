import type { JsonMembers } from './document-texts.ts';

/*
 * Finds what a document reveals about people or the inside of a company. No list of such data can be complete, so the rule is
 * inverted: everything except public words may be personal. Public words are those in the tables of systems and software that ship
 * with Muster.
 */

export type PublicWords = ReadonlySet<string>;

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*/gu;
/** Shorter words in Latin letters reveal nothing. */
const SHORTEST = 3;
const WESTERN = /^[\p{Script=Latin}\p{N}]*$/u;

function saysNothing(word: string): boolean {
  return word.length < SHORTEST && WESTERN.test(word);
}

/** The words of the tables, and those of the agents themselves. Tables of roles are excluded, because sites use their words as names. */
export function publicWords(tables: Readonly<Record<string, string>>): PublicWords {
  const ofSoftware = Object.entries(tables).flatMap(([path, text]) => (path.startsWith('roles/') ? [] : [text]));
  const texts = [...ofSoftware, AGENT_WORDS];
  return new Set(texts.flatMap((text) => text.toLowerCase().match(WORD) ?? []));
}

const AGENT_WORDS = `running sleep stop idle zombie wait lock active inactive loaded failed plugged mounted exited waiting listening dead masked
  found enabled disabled auto manual boot system stopped pending paused up less than second seconds about minute minutes hour
  hours day days week weeks month months such file directory custom check timed out after executable unknown error command
  connect docker daemon socket com net org example localhost local http https tcp udp unix var usr etc bin sbin lib opt home
  root tmp run proc sys dev mnt srv media private volumes users applications library windows program files data conf config
  log logs cache work worker process master manager helper pool main server client listener priv ok warning critical openitcockpit
  activating deactivating reloading maintenance stub merged start pre post reload stop watchdog sigterm sigkill final auto restart
  cleaning condition mounting remounting unmounting tentative abandoned elapsed disk continue created restarting removing healthy
  unhealthy health starting ext2 ext3 ext4 xfs btrfs zfs vfat exfat ntfs apfs hfs nfs nfs4 cifs fuse fuseblk overlay squashfs tmpfs
  devtmpfs devfs autofs iso9660 udf refs relatime noatime nodiratime strictatime nodev nosuid noexec bind rbind discard async journaled
  multilabel nobrowse automounted rootfs efivarfs hugetlbfs mqueue debugfs tracefs pstore bpf binfmt misc configfs fusectl ramfs sshfs ceph
  glusterfs lxcfs f2fs jfs reiserfs ntfs3 smbfs afpfs webdav msdos hfsplus nsfs rpc pipefs selinuxfs securityfs cgroup cgroup2 portal
  virtiofs vmhgfs vboxsf nullfs lifs
  agent python python3 java perl ruby node bash removed`;

/** Devices and network cards have the same names everywhere. */
const DEVICE =
  /^(eth|en[ospxm]|wl|lo|docker|virbr|vmbr|veth|br|bond|team|tun|tap|wg|utun|awdl|llw|ap|bridge|gif|stf|anpi|sd|vd|xvd|nvme|dm|md|sr|loop|zram|mmcblk|disk|ifb|cni|cali|lxc|tty|pts|vda|kworker|u\d)[a-z0-9]{0,9}$/;

/** Prefixes of replacements: words that do not exist, and ranges that no host uses. */
export const REPLACED = {
  word: 'zq',
  /** Reserved for network benchmarks (RFC 2544). */
  ipv4: '198.',
  ipv6: 'fd5a:71::',
  mac: '02:5a:71:',
  identity: '5a71',
  number: '5071',
} as const;

export type PersonalKind = 'word' | 'mail' | 'ipv4' | 'ipv6' | 'mac' | 'identity' | 'number';
export type TextPart = { readonly kind: PersonalKind | 'plain'; readonly text: string };

const DASH = String.raw`(?:-|\\x2d)`;
const PARTS = new RegExp(
  [
    String.raw`(?<escape>\\x[0-9a-f]{2}(?![0-9a-f]{2,}))`,
    String.raw`(?<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)`,
    `(?<identity>(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{8}(?:${DASH}[0-9a-fA-F]{4}){3}${DASH}[0-9a-fA-F]{12}|(?=[a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{12,64})(?![0-9a-zA-Z]))`,
    '(?<mac>(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![0-9a-fA-F:]))',
    '(?<ipv6>(?<![0-9a-zA-Z:])(?:[0-9a-fA-F]{1,4}:){2,7}(?::|[0-9a-fA-F]{1,4}|(?::[0-9a-fA-F]{1,4})+)(?![0-9a-zA-Z:]))',
    String.raw`(?<ipv4>(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]))`,
    String.raw`(?<word>\p{L}[\p{L}\p{M}\p{N}]*)`,
    String.raw`(?<number>\d{6,})`,
  ].join('|'),
  'gu',
);

/** Splits a text into parts. Joined, they are the text again. */
export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(PARTS)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? 'plain';
    parts.push({ kind: 'plain', text: text.slice(at, match.index) });
    parts.push({ kind: kind === 'escape' ? 'plain' : (kind as PersonalKind), text: match[0] });
    at = match.index + match[0].length;
  }
  return [...parts, { kind: 'plain', text: text.slice(at) }];
}

const NOBODYS = /^(127\.|0\.0\.0\.0|255\.|198\.1[89]\.)/;

/** Returns whether a part reveals nothing. `names` are those of people and machines, even if they are also common words. */
export function isPublic({ kind, text }: TextPart, words: PublicWords, names: ReadonlySet<string>): boolean {
  const lower = text.toLowerCase();
  switch (kind) {
    case 'plain':
      return true;
    case 'word':
      if (names.has(lower)) return false;
      return saysNothing(text) || words.has(lower) || DEVICE.test(lower) || /^zq[a-z2-7]{4,}$/.test(text);
    case 'ipv4':
      return NOBODYS.test(text) || text.split('.').some((octet) => Number(octet) > 255);
    case 'ipv6':
      return lower === '::1' || lower.startsWith(REPLACED.ipv6);
    case 'mail':
      return /^zq[a-z2-7]+@zq[a-z2-7]+\.example$/.test(text);
    case 'mac':
      return lower.startsWith(REPLACED.mac) || /^(00:){5}00$/.test(lower);
    case 'identity':
      return lower.startsWith(REPLACED.identity);
    case 'number':
      return text.startsWith(REPLACED.number);
  }
}

/** Accounts that systems and software create. */
const ACCOUNT =
  /^(root|daemon|bin|sys|adm|lp|mail|news|uucp|proxy|www-data|backup|list|irc|gnats|nobody|man|games|sync|sshd|ntp|chrony|dbus|polkitd|polkituser|rtkit|colord|avahi|avahi-autoipd|messagebus|syslog|tss|uuidd|tcpdump|landscape|pollinate|usbmux|saned|geoclue|gdm|lightdm|sddm|mysql|mariadb|postgres|redis|mongodb|memcache[d]?|nginx|apache|http|httpd|tomcat\d*|jetty|elasticsearch|rabbitmq|grafana|prometheus|zabbix|nagios|icinga|statd|rpc|rpcuser|dnsmasq|libvirt-qemu|qemu|libvirt-dnsmasq|named|bind|unbound|postfix|dovecot|dovenull|ftp|nfsnobody|systemd-[\w-]+|_[\w-]+|system|local service|network service|nt-autorität|nt authority|window manager|font driver host|operator|git|jenkins|docker|containerd|\d+)$/i;

/** The names of people and machines in a document. */
export function personalNames(document: unknown): readonly string[] {
  const { processes, users, windows_eventlog: logs, docker } = document as Readonly<Record<string, unknown>>;
  const rows = (value: unknown): readonly JsonMembers[] => (Array.isArray(value) ? (value as JsonMembers[]) : []);
  const accounts = [...rows(processes).map(({ username }) => username), ...rows(users).map(({ name }) => name)];
  const people = accounts.flatMap((account) => String(account ?? '').split('\\')).filter((name) => !ACCOUNT.test(name));
  const homes = rows(processes).flatMap(({ cmdline }) => {
    return [...String(cmdline ?? '').matchAll(/(?:\/home\/|\/Users\/|\\Users\\)([^/\\\s"']+)/g)].map(
      ([, name]) => name ?? '',
    );
  });
  const machines = Object.values((logs ?? {}) as JsonMembers).flatMap((log) =>
    rows(log).map(({ MachineName }) => MachineName),
  );
  const hosts = [...rows(users).map(({ host }) => host), ...machines].filter(
    (host) => !/^[:\d.]*$/.test(String(host ?? '')),
  );
  const containers = rows(docker).map(({ name }) => name);
  return [...people, ...homes, ...hosts, ...containers]
    .flatMap((name) => String(name ?? '').match(WORD) ?? [])
    .filter((name) => !saysNothing(name) && !ACCOUNT.test(name) && !REMAINING.test(name));
}

/** Words in the place of names that are not names. */
const REMAINING = /^(zq[a-z2-7]{4,}|users|shared|public|default|com|net|org|example|local)$/i;

/** Possibly personal data in a recording, and the number of documents with it. */
export type PersonalFinding = {
  readonly kind: PersonalKind | 'name';
  readonly text: string;
  readonly documents: number;
};

/** Possibly personal data in documents, by kind, the most frequent first. */
export function personalFindings(
  documents: Iterable<string>,
  words: PublicWords,
  told: ToldTexts,
): readonly PersonalFinding[] {
  const byText = new Map<string, PersonalFinding>();
  for (const document of documents) {
    for (const { kind, text } of findingsIn(document, words, told)) {
      const key = `${kind} ${text}`;
      byText.set(key, { kind, text, documents: 1 + (byText.get(key)?.documents ?? 0) });
    }
  }
  return [...byText.values()].sort(
    (a, b) => order(a) - order(b) || b.documents - a.documents || (a.text < b.text ? -1 : 1),
  );
}

type Found = Omit<PersonalFinding, 'documents'>;

/** Each text once. */
function findingsIn(document: string, words: PublicWords, told: ToldTexts): readonly Found[] {
  const names = new Set(personalNames(JSON.parse(document)).map((name) => name.toLowerCase()));
  const parts = told(document).flatMap(textParts);
  const personal = parts.filter((part) => part.kind !== 'plain' && !isPublic(part, words, names));
  const kinds = personal.map(({ kind, text }): [string, PersonalFinding['kind']] => {
    const isName = kind === 'word' && names.has(text.toLowerCase());
    return [text, isName ? 'name' : (kind as PersonalKind)];
  });
  return [...new Map(kinds)].map(([text, kind]) => ({ text, kind }));
}

/** Returns the texts of a document that may reveal something. */
type ToldTexts = (document: string) => readonly string[];

const KINDS = ['name', 'mail', 'ipv4', 'ipv6', 'mac', 'identity', 'number', 'word'];

function order({ kind }: PersonalFinding): number {
  return KINDS.indexOf(kind);
}
