import { USUAL_CLIENT_ROLES } from '../host/windows/hardware.ts';
import { windowsProfile } from './windows.ts';

const NAMES = `anna.berg ben.ortiz carla.novak david.kim elif.kaya frank.moss gita.rao hugo.lind ines.costa jonas.wolf
  kaja.sund lena.fuchs marc.dubois nina.petrov omar.haddad paula.reyes jürgen.groß`.split(/\s+/);

export const windows11 = windowsProfile({
  name: 'windows-11',
  productName: 'Windows 10 Pro',
  releaseId: '2009',
  build: '26100',
  family: 'Client',
  osName: 'Microsoft Windows 11 Pro',
  displayVersion: '24H2',
  updateName: 'Windows 11 Version 24H2',
  roles: USUAL_CLIENT_ROLES,
  userNames: NAMES.map((name) => `CORP\\${name}`),
  goVersion: 'go1.26.8',
  sizes: {
    full: { processes: 221, services: 308, devices: 2, disks: 2, interfaces: 8, packages: 72 },
    typical: { processes: 44, services: 46, devices: 1, disks: 2, interfaces: 3, packages: 24 },
    lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 4 },
  },
  averageBytes: {
    full: { checkdata: 199_100, packages: 7120 },
    typical: { checkdata: 39_200, packages: 3150 },
    lean: { checkdata: 2570, packages: 945 },
  },
});
