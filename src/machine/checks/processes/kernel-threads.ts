/** A thread of the kernel as `ps` tells it: the command in brackets. */
type KernelThread = { readonly command: string; readonly nice: number; readonly status: 'Sleep' | 'Idle' };

const BEFORE = `rcu_gp rcu_par_gp slub_flushwq netns mm_percpu_wq`.split(' ');

const RESCUERS = `inet_frag_wq writeback kintegrityd kblockd blkcg_punt_bio tpm_dev_wq ata_sff md md_bitmap edac-poller
  devfreq_wq acpi_thermal_pm mld ipv6_addrconf kstrp charger_manager scsi_tmf_0 scsi_tmf_1 raid5wq cryptd
  ext4-rsv-conver nvme-wq nvme-reset-wq nvme-delete-wq kmpath_rdacd kaluad mpt_poll_0 xfsalloc xfs_mru_cache
  dm_bufio_cache bcache iscsi_conn_clea rpciod xprtiod nfsiod scsi_tmf_2 scsi_tmf_3 scsi_tmf_4 scsi_tmf_5 xfs-buf/sda1
  xfs-conv/sda1 xfs-reclaim/sda1 xfs-blockgc/sda1 xfs-inodegc/sda1 xfs-log/sda1 xfs-cil/sda1 zswap-shrink ib-comp-wq`.split(
  /\s+/,
);

const THREADS =
  `rcu_tasks_kthread rcu_tasks_rude_kthread rcu_tasks_trace_kthread rcu_preempt kdevtmpfs kauditd khungtaskd
  oom_reaper kcompactd0 ksmd khugepaged kswapd0 ecryptfs-kthread scsi_eh_0 scsi_eh_1 jbd2/root-8 jbd2/boot-8
  psimon hwrng watchdogd scsi_eh_2 scsi_eh_3 scsi_eh_4 scsi_eh_5 xfsaild/sda1 usb-storage kworker/u17:0 kworker/u17:1
  kworker/u18:0-events_unbound nv_queue spl_system_task card0-crtc0 card0-crtc1 napi/eth0-1 napi/eth0-2 dmcrypt_write/0`.split(
    /\s+/,
  );

/** One of each per core. */
const PER_CORE: readonly (readonly [string, number, 'Sleep' | 'Idle'])[] = [
  ['cpuhp/N', 0, 'Sleep'],
  ['idle_inject/N', 0, 'Sleep'],
  ['migration/N', 0, 'Sleep'],
  ['ksoftirqd/N', 0, 'Sleep'],
  ['kworker/N:0-events', 0, 'Idle'],
  ['kworker/N:0H-kblockd', -20, 'Idle'],
  ['kworker/N:1-mm_percpu_wq', 0, 'Idle'],
  ['kworker/N:1H-kblockd', -20, 'Idle'],
  ['kworker/N:2-cgroup_destroy', 0, 'Idle'],
  ['irq/N-pciehp', 0, 'Sleep'],
];

const PURPOSES = ['events', 'cgroup_destroy', 'mm_percpu_wq', 'events_freezable', 'rcu_gp', 'xfs-conv'];

const NICE: Readonly<Record<string, number>> = { ksmd: 5, khugepaged: 19 };

/** So many of the kernel's own threads on a host with so many cores, in the order in which they start. */
export function kernelThreads(cores: number, count: number): readonly KernelThread[] {
  const perCore = Array.from({ length: cores }, (_, core) => {
    return PER_CORE.map(([name, nice, status]) => thread(name.replace('N', String(core)), nice, status));
  });
  const own = [
    thread('kthreadd', 0, 'Sleep'),
    thread('pool_workqueue_release', 0, 'Sleep'),
    ...BEFORE.map((name) => thread(`kworker/R-${name}`, -20, 'Idle')),
    ...perCore.flat(),
    ...THREADS.map((name) => thread(name, NICE[name] ?? 0, name.startsWith('rcu') ? 'Idle' : 'Sleep')),
    ...RESCUERS.map((name) => thread(`kworker/R-${name}`, -20, 'Idle')),
  ];
  // Busy kernels have started more workers for each core.
  const workers = Array.from({ length: Math.max(0, count - own.length) }, (_, index) => {
    const purpose = PURPOSES[index % PURPOSES.length];
    return thread(`kworker/${index % cores}:${3 + Math.floor(index / cores)}-${purpose}`, 0, 'Idle');
  });
  return [...own, ...workers].slice(0, count);
}

function thread(name: string, nice: number, status: 'Sleep' | 'Idle'): KernelThread {
  return { command: `[${name}]`, nice, status };
}
