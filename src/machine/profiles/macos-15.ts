import { DAY_SECONDS } from '../../kernel/units.ts';
import { monthOf } from '../packages/updates.ts';
import { macProfile } from './macos.ts';

export const macos15 = macProfile({
  name: 'macos-15',
  system: {
    head: '15.7.',
    title: 'Sequoia',
    build: '24',
    // Only fixes come out for it, the first of this series in September 2025.
    releases: { revision: 3, month: monthOf(2025, 12), security: true },
  },
  kernel: '24.6.0',
  components: [
    {
      name: 'Safari26.~SequoiaAuto-26.~',
      description: 'Safari',
      version: '26.~',
      releases: { periodSeconds: 44 * DAY_SECONDS, phase: -15.2, security: true },
    },
    {
      name: 'Command Line Tools for Xcode 26.~-26.~',
      description: 'Command Line Tools for Xcode 26.~',
      version: '26.~',
      releases: { periodSeconds: 61 * DAY_SECONDS, phase: -10.1, security: false },
    },
  ],
  intelShare: 0.5,
  userNames: ['lena', 'marc', 'nina', 'omar', 'paula', 'quinn', 'rosa', 'sven', 'tilda', 'umut', 'vera', 'operator'],
  goVersion: 'go1.26.8',
  sizes: {
    full: { processes: 385, services: 330, devices: 1, disks: 7, interfaces: 13, packages: 320 },
    typical: { processes: 62, services: 50, devices: 1, disks: 4, interfaces: 5, packages: 74 },
    lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 8 },
  },
  averageBytes: {
    full: { checkdata: 210_000, packages: 23_900 },
    typical: { checkdata: 37_300, packages: 5830 },
    lean: { checkdata: 4030, packages: 940 },
  },
});
