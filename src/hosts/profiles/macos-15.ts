import { DAY_SECONDS } from '../../ground/kernel/units.ts';
import { macProfile } from './macos.ts';

export const macos15 = macProfile({
  name: 'macos-15',
  title: 'Sequoia',
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
