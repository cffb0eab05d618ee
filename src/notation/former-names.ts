/** What was called otherwise in earlier versions, under its former name, and what people call profiles. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  kind: 'do',
  afterMs: 'at',
  forMs: 'for',
  distribution: 'delay',
  endpoints: 'operations',
  register_agent: 'register and authorize',
  submit_checkdata: 'checkdata',
  submit_package_info: 'packages',
  half_answer: 'half-answer',
  content_type: 'content-type',
  wrong_uuid: 'wrong-uuid',
  empty_password: 'empty-password',
  stop_accepting: 'stop-accepting',
  connection_limit: 'connection-limit',
  linux: 'ubuntu-24.04',
  centos: 'almalinux-9',
  rhel: 'almalinux-9',
  rocky: 'almalinux-9',
  suse: 'opensuse-tumbleweed',
  darwin: 'macos-26',
};

/** What this name is called here, if that is one of the candidates; undefined where it is no other name of anything. */
export function presentName(former: string, candidates: readonly string[]): string | undefined {
  const name = Object.hasOwn(FORMER_NAMES, former) ? FORMER_NAMES[former] : undefined;
  return name?.split(' and ').every((part) => candidates.includes(part)) ? name : undefined;
}
