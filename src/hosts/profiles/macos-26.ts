import { DAY_SECONDS } from '../../ground/kernel/units.ts';
import { macProfile } from './macos.ts';

export const macos26 = macProfile({
  name: 'macos-26',
  title: 'Tahoe',
  components: [
    {
      name: 'Command Line Tools for Xcode 26.~-26.~',
      description: 'Command Line Tools for Xcode 26.~',
      version: '26.~',
      releases: { periodSeconds: 61 * DAY_SECONDS, phase: -10.1, security: false },
    },
  ],
  intelShare: 0.08,
  userNames: ['anna', 'ben', 'carla', 'david', 'elif', 'frank', 'gita', 'hugo', 'ines', 'jonas', 'kaja', 'operator'],
  goVersion: 'go1.26.8',
  sizes: {
    full: { processes: 358, services: 338, devices: 1, disks: 8, interfaces: 16, packages: 420 },
    typical: { processes: 58, services: 50, devices: 1, disks: 4, interfaces: 5, packages: 80 },
    lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 8 },
  },
  averageBytes: {
    full: { checkdata: 188_000, packages: 26_760 },
    typical: { checkdata: 34_200, packages: 5900 },
    lean: { checkdata: 4290, packages: 920 },
  },
});
