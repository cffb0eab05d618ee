import { USUAL_SERVER_ROLES } from '../host/windows/hardware.ts';
import { windowsProfile } from './windows.ts';

const ADMINISTRATORS = ['administrator', 'adm-lindqvist', 'adm-okafor', 'adm-brandt', 'adm-silva', 'svc-deploy'];

export const windowsServer2022 = windowsProfile({
  name: 'windows-server-2022',
  productName: 'Windows Server 2022 Standard',
  releaseId: '2009',
  build: '20348',
  family: 'Server',
  osName: 'Microsoft Windows Server 2022 Standard',
  displayVersion: '21H2',
  updateName: 'Microsoft server operating system version 21H2',
  roles: USUAL_SERVER_ROLES,
  userNames: ADMINISTRATORS.map((name) => `CORP\\${name}`),
  goVersion: 'go1.26.8',
  sizes: {
    full: { processes: 235, services: 250, devices: 2, disks: 2, interfaces: 6, packages: 58 },
    typical: { processes: 44, services: 48, devices: 1, disks: 2, interfaces: 2, packages: 22 },
    lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 4 },
  },
  averageBytes: {
    full: { checkdata: 174_600, packages: 6060 },
    typical: { checkdata: 37_500, packages: 2970 },
    lean: { checkdata: 2540, packages: 1040 },
  },
});
