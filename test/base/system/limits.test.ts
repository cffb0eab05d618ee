import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { machineLimits } from '../../../src/base/system/limits.ts';

const HALF = { 'cpu.cfs_quota_us': '50000', 'cpu.cfs_period_us': '100000' };
const ALL = { 'cpu.cfs_quota_us': '-1', 'cpu.cfs_period_us': '100000' };
const MEMORY = 2 ** 26;
const UNLIMITED = '9223372036854771712';

type Files = { readonly [path: string]: string | Files };

function write(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === 'string') writeFileSync(path, `${content}\n`);
    else write(path, content);
  }
}

/** The limits with these control groups. */
function limitsWith(lines: string, groups: Files) {
  const root = mkdtempSync(join(tmpdir(), 'muster-groups-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  write(root, { 'proc/self/cgroup': lines, 'sys/fs/cgroup': groups });
  const { cores, memoryBytes } = machineLimits(root);
  return { cores, memoryBytes };
}

const LIMITED = { cores: 0.5, memoryBytes: MEMORY };

it.each<[string, string, Files]>([
  [
    'of version 1 in a container, which sees its own group as the root',
    '5:cpu,cpuacct:/docker/a1b2\n4:memory:/docker/a1b2\n1:name=systemd:/docker/a1b2\n0::/system.slice/containerd.service',
    { 'cpu,cpuacct': HALF, memory: { 'memory.limit_in_bytes': String(MEMORY) } },
  ],
  [
    'of version 1 above its own group',
    '3:cpu:/outer/inner\n2:memory:/outer/inner',
    {
      cpu: { ...ALL, outer: { ...HALF, inner: ALL } },
      memory: {
        'memory.limit_in_bytes': UNLIMITED,
        outer: { 'memory.limit_in_bytes': String(MEMORY), inner: { 'memory.limit_in_bytes': UNLIMITED } },
      },
    },
  ],
  ['of version 2 in a container', '0::/', { 'cpu.max': '50000 100000', 'memory.max': String(MEMORY) }],
  [
    'of version 2 in the slice around its own group',
    '0::/user.slice/job.service',
    {
      'user.slice': {
        'cpu.max': '50000 100000',
        'memory.max': String(MEMORY),
        'job.service': { 'cpu.max': 'max 100000', 'memory.max': 'max' },
      },
    },
  ],
])('a process has half a core and 64 MiB by a control group %s', (_, lines, groups) => {
  expect(limitsWith(lines, groups)).toEqual(LIMITED);
});

it('a process has all cores and memory of the machine without control groups, or if they grant more', () => {
  const more = { 'cpu.max': '6400000 100000', 'memory.max': UNLIMITED };
  expect(limitsWith('0::/', more)).toEqual(limitsWith('', {}));
});
