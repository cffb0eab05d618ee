import { describe, expect, it } from 'vitest';
import { checkdata, type Parsed, usualFleet } from './any-machine.ts';

const INSTANT = Date.UTC(2026, 10, 18, 10, 17, 3);
const HOSTS = 12;

function documentsOf(profile: string, payload: 'full' | 'typical', length = HOSTS): readonly Parsed[] {
  const fleet = usualFleet(profile, payload);
  return Array.from({ length }, (_, agent) => checkdata({ fleet, agent, instantMs: INSTANT + agent * 377_000 }));
}

const threadsOf = ({ processes }: Parsed): readonly Parsed[] => {
  return processes.filter(({ cmdline }: Parsed) => cmdline.startsWith('['));
};

const namesOf = (documents: readonly Parsed[]): readonly string[] => {
  return documents.flatMap(threadsOf).map(({ cmdline }: Parsed) => cmdline.slice(1, -1));
};

describe('the threads of a kernel', () => {
  const [debian, ubuntu, alma, arch] = ['debian-12', 'ubuntu-24.04', 'almalinux-9', 'arch'].map((profile) =>
    documentsOf(profile, 'full'),
  ) as [Parsed[], Parsed[], Parsed[], Parsed[]];

  it('have the names of that kernel: 6.1, 6.8, 5.14 and 6.18 differ', () => {
    const rescuers = (documents: readonly Parsed[]) =>
      namesOf(documents).filter((name) => name.startsWith('kworker/R-'));
    expect(rescuers(debian)).toEqual([]);
    expect(namesOf(debian)).toEqual(expect.arrayContaining(['rcu_gp', 'ext4-rsv-conver', 'rcu_tasks_rude_kthread']));
    expect(rescuers(ubuntu)).toContain('kworker/R-rcu_g');
    expect(Math.max(...rescuers(ubuntu).map((name) => name.length))).toBe(15);
    expect(namesOf(alma)).toEqual(expect.arrayContaining(['rcu_gp', 'rcu_tasks_rude_']));
    expect(rescuers(arch)).toContain('kworker/R-kvfree_rcu_reclaim');
  });

  it('match the distribution', () => {
    expect(namesOf(debian).join()).not.toMatch(/idle_inject|ecryptfs|psimon|pool_workqueue_release/);
    expect(namesOf(ubuntu)).toEqual(expect.arrayContaining(['idle_inject/0', 'psimon', 'pool_workqueue_release']));
  });

  it('have gaps in their PIDs, because some exited after the boot', () => {
    for (const document of [...debian, ...documentsOf('debian-12', 'typical')]) {
      const pids = threadsOf(document)
        .map(({ pid }: Parsed) => pid)
        .filter((pid: number) => pid < 2000);
      const gaps = pids.slice(1).filter((pid: number, place: number) => pid - (pids[place] ?? 0) > 1);
      expect(gaps.length / pids.length).toBeGreaterThan(0.08);
      expect(gaps.length / pids.length).toBeLessThan(0.6);
    }
  });

  it('are limited by the size of the machine', () => {
    for (const document of [...debian, ...ubuntu]) {
      const workers = namesOf([document]).filter((name) => /^kworker\/\d/.test(name));
      expect(workers.length / document.cpu.cpu_percentage.length).toBeLessThan(10);
    }
  });
});

describe('the processes that a host starts', () => {
  it('take PIDs at a varying pace', () => {
    const fleet = usualFleet('debian-12', 'typical');
    for (const agent of [0, 1, 2]) {
      const listings = Array.from({ length: 20 }, (_, run): number => {
        const { processes } = checkdata({ fleet, agent, instantMs: INSTANT + 30_000 * run });
        return processes.find(({ cmdline }: Parsed) => cmdline.startsWith('ps -ax')).pid;
      });
      const steps = listings.slice(1).map((pid, place) => pid - (listings[place] ?? 0));
      expect(Math.min(...steps)).toBeGreaterThan(0);
      expect(new Set(steps).size).toBeGreaterThan(4);
    }
  });
});

describe('restarted processes', () => {
  it('have PIDs at irregular distances', () => {
    for (const { processes } of [...documentsOf('debian-12', 'full'), ...documentsOf('ubuntu-24.04', 'full')]) {
      const pids = processes.map(({ pid }: Parsed) => pid).filter((pid: number) => pid > 300);
      const steps = pids.slice(1).map((pid: number, place: number) => pid - (pids[place] ?? 0));
      for (const step of new Set(steps)) {
        if (Number(step) < 4) continue;
        expect(steps.filter((other: number) => other === step).length).toBeLessThan(12);
      }
    }
  });
});

describe('systemd units', () => {
  it('have their well-known descriptions', () => {
    const units = documentsOf('debian-12', 'full').flatMap(({ systemd_services }) => systemd_services);
    const titles = new Map(units.map(({ Name, Description }: Parsed) => [Name, Description]));
    expect(titles.get('multi-user.target')).toBe('Multi-User System');
    expect(titles.get('systemd-journald.service')).toBe('Journal Service');
    expect(titles.get('ssh.service')).toBe('OpenBSD Secure Shell server');
  });
});

describe('units of disks', () => {
  it('are named after their paths on a hypervisor, and after their vendors on physical hosts', () => {
    const units = documentsOf('debian-12', 'full').flatMap(({ systemd_services }) => systemd_services);
    const titleOf = (pattern: RegExp) => units.filter(({ Name }: Parsed) => pattern.test(Name));
    for (const { Name, Description } of titleOf(/^dev-vd[a-z]\d*\.device$/)) {
      expect(Description).toBe(`/${Name.replace('-', '/').replace('.device', '')}`);
    }
    expect(titleOf(/by\\x2did-nvme\\x2d/).length).toBeGreaterThan(0);
    expect(titleOf(/by\\x2did-ata\\x2d(SAMSUNG|INTEL|ST4000|Micron|WDC)/).length).toBeGreaterThan(0);
    expect(titleOf(/-ata\d+-block-(nvme|vd)/)).toEqual([]);
  });

  it('include an unused optical drive on some virtual machines, and on no physical host', () => {
    const documents = documentsOf('debian-12', 'typical', 30);
    const drives = documents.filter(({ disk_io }) => 'sr0' in disk_io);
    expect(drives.length).toBeGreaterThan(0);
    expect(drives.length).toBeLessThan(documents.length);
    for (const { disk_io } of drives) {
      expect(Object.keys(disk_io).join()).toMatch(/\b(vda|sda|xvda|nvme0n1)\b/);
      const { ReadBytes, ReadCount, WriteCount, IoTime } = disk_io.sr0;
      expect([ReadBytes, ReadCount, WriteCount, IoTime]).toEqual([0, 0, 0, 0]);
    }
  });

  it('are in a different order on each host, like all other units', () => {
    const orders = documentsOf('debian-12', 'full').map(({ systemd_services }) => {
      const names = systemd_services.map(({ Name }: Parsed) => Name);
      return names.indexOf('cron.service') < names.indexOf('dbus.service');
    });
    expect(new Set(orders).size).toBe(2);
  });
});

describe('the tabs of a browser', () => {
  it('differ in more than their numbers', () => {
    const lines = documentsOf('debian-12', 'full').flatMap(({ processes }) =>
      processes.map(({ cmdline }: Parsed) => cmdline),
    );
    const lengths = lines.flatMap((line: string) => /-prefsLen (\d+)/.exec(line)?.[1] ?? []);
    expect(lengths.length).toBeGreaterThan(10);
    expect(new Set(lengths).size).toBeGreaterThan(0.8 * lengths.length);
  });
});
