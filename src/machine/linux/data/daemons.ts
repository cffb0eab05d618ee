import type { Role } from './roles.ts';

/** A program that runs from boot on. */
export type Daemon = {
  readonly user: string;
  readonly command: string;
  readonly memoryMib: number;
  readonly virtualMib: number;
  /** Share of the host's work that it does. */
  readonly work?: number;
  readonly nice?: number;
  /** The unit of systemd that runs it. */
  readonly unit?: { readonly name: string; readonly description: string };
  /** Processes it starts: at least one each; a pool is made longer where a host should have more processes. */
  readonly children?: readonly (Daemon & { readonly pool?: boolean })[];
};

/** What runs on every host of the Debian family, in the order of its start. */
export const SYSTEM_DAEMONS: readonly Daemon[] = [
  { user: 'root', command: '/usr/lib/systemd/systemd-journald', memoryMib: 22, virtualMib: 66, work: 0.01, nice: -1 },
  { user: 'root', command: '/sbin/multipathd -d -s', memoryMib: 27, virtualMib: 283 },
  { user: 'root', command: '/usr/lib/systemd/systemd-udevd', memoryMib: 7, virtualMib: 29 },
  { user: 'systemd-network', command: '/usr/lib/systemd/systemd-networkd', memoryMib: 9, virtualMib: 18 },
  { user: 'systemd-resolve', command: '/usr/lib/systemd/systemd-resolved', memoryMib: 13, virtualMib: 21 },
  { user: 'systemd-timesync', command: '/usr/lib/systemd/systemd-timesyncd', memoryMib: 7, virtualMib: 89 },
  {
    user: 'messagebus',
    command: '@dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation --syslog-only',
    memoryMib: 5,
    virtualMib: 10,
  },
  { user: 'root', command: '/usr/sbin/irqbalance --foreground', memoryMib: 4, virtualMib: 80 },
  {
    user: 'root',
    command: '/usr/bin/python3 /usr/bin/networkd-dispatcher --run-startup-triggers',
    memoryMib: 20,
    virtualMib: 33,
  },
  { user: 'polkitd', command: '/usr/lib/polkit-1/polkitd --no-debug', memoryMib: 9, virtualMib: 303 },
  { user: 'root', command: '/usr/lib/snapd/snapd', memoryMib: 38, virtualMib: 1866, work: 0.01 },
  { user: 'root', command: '/usr/lib/systemd/systemd-logind', memoryMib: 9, virtualMib: 18 },
  { user: 'root', command: '/usr/libexec/udisks2/udisksd', memoryMib: 13, virtualMib: 458 },
  { user: 'syslog', command: '/usr/sbin/rsyslogd -n -iNONE', memoryMib: 6, virtualMib: 217, work: 0.01 },
  { user: 'root', command: '/usr/sbin/cron -f -P', memoryMib: 3, virtualMib: 7 },
  { user: 'root', command: '/usr/sbin/ModemManager', memoryMib: 12, virtualMib: 384 },
  {
    user: 'root',
    command: '/usr/bin/python3 /usr/share/unattended-upgrades/unattended-upgrade-shutdown --wait-for-signal',
    memoryMib: 23,
    virtualMib: 107,
  },
  {
    user: 'root',
    command: 'sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups',
    memoryMib: 8,
    virtualMib: 12,
  },
  { user: 'root', command: '/sbin/agetty -o -p -- \\u --noclear tty1 linux', memoryMib: 2, virtualMib: 6 },
  {
    user: 'root',
    command: '/usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini',
    memoryMib: 31,
    virtualMib: 1263,
    work: 0.03,
  },
];

const JAVA_OPTIONS =
  '-Djava.util.logging.config.file=/var/lib/tomcat10/conf/logging.properties -Djava.awt.headless=true -XX:+UseG1GC ' +
  '-Xms512m -Xmx2048m -Djdk.tls.ephemeralDHKeySize=2048 -Dorg.apache.catalina.security.SecurityListener.UMASK=0027';
const BROWSER_OPTIONS =
  '-contentproc -childID 4 -isForBrowser -prefsLen 41286 -prefMapSize 271418 -jsInitLen 234660 -parentBuildID ' +
  '20260112 -greomni /snap/firefox/omni.ja -appomni /snap/firefox/browser/omni.ja -appDir /snap/firefox/browser';

/** What the roles add. */
export const ROLE_DAEMONS: Readonly<Record<Role, readonly Daemon[]>> = {
  web: [
    {
      unit: { name: 'nginx.service', description: 'Web server and reverse proxy' },
      user: 'root',
      command: 'nginx: master process /usr/sbin/nginx -g daemon on; master_process on;',
      memoryMib: 6,
      virtualMib: 56,
      children: [
        { user: 'www-data', command: 'nginx: worker process', memoryMib: 12, virtualMib: 57, work: 0.05, pool: true },
      ],
    },
    {
      unit: { name: 'php8.3-fpm.service', description: 'Processes for PHP' },
      user: 'root',
      command: 'php-fpm: master process (/etc/php/8.3/fpm/php-fpm.conf)',
      memoryMib: 25,
      virtualMib: 262,
      children: [
        { user: 'www-data', command: 'php-fpm: pool www', memoryMib: 48, virtualMib: 340, work: 0.08, pool: true },
      ],
    },
    {
      unit: { name: 'tomcat10.service', description: 'Servlets in Java' },
      user: 'tomcat',
      command: `/usr/lib/jvm/java-21-openjdk-amd64/bin/java ${JAVA_OPTIONS} org.apache.catalina.startup.Bootstrap start`,
      memoryMib: 640,
      virtualMib: 5120,
      work: 0.2,
    },
    {
      unit: { name: 'redis-server.service', description: 'Data structures in memory' },
      user: 'redis',
      command: '/usr/bin/redis-server 127.0.0.1:6379',
      memoryMib: 14,
      virtualMib: 66,
      work: 0.03,
    },
  ],
  database: [
    {
      unit: { name: 'mysql.service', description: 'SQL database server MySQL' },
      user: 'mysql',
      command: '/usr/sbin/mysqld',
      memoryMib: 1900,
      virtualMib: 4300,
      work: 0.3,
    },
    {
      unit: { name: 'postgresql@16-main.service', description: 'SQL database cluster 16-main' },
      user: 'postgres',
      command:
        '/usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main -c config_file=/etc/postgresql/16/main/postgresql.conf',
      memoryMib: 30,
      virtualMib: 221,
      children: [
        { user: 'postgres', command: 'postgres: 16/main: checkpointer', memoryMib: 120, virtualMib: 222, work: 0.03 },
        { user: 'postgres', command: 'postgres: 16/main: background writer', memoryMib: 8, virtualMib: 221 },
        { user: 'postgres', command: 'postgres: 16/main: walwriter', memoryMib: 10, virtualMib: 221, work: 0.02 },
        { user: 'postgres', command: 'postgres: 16/main: autovacuum launcher', memoryMib: 9, virtualMib: 222 },
        {
          user: 'postgres',
          command: 'postgres: 16/main: shop shop 10.20.0.17(51544) idle',
          memoryMib: 36,
          virtualMib: 228,
          work: 0.05,
          pool: true,
        },
      ],
    },
  ],
  build: [
    {
      unit: { name: 'containerd.service', description: 'Runs containers' },
      user: 'root',
      command: '/usr/bin/containerd',
      memoryMib: 52,
      virtualMib: 1921,
      work: 0.02,
    },
    {
      unit: { name: 'docker.service', description: 'Containers for applications' },
      user: 'root',
      command: '/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock',
      memoryMib: 88,
      virtualMib: 2650,
      work: 0.04,
      children: [
        {
          user: 'root',
          command:
            '/usr/bin/docker-proxy -proto tcp -host-ip 0.0.0.0 -host-port 8081 -container-ip 172.17.0.2 -container-port 80',
          memoryMib: 4,
          virtualMib: 1710,
          pool: true,
        },
      ],
    },
    {
      unit: { name: 'actions.runner.service', description: 'Runs the jobs of a build server' },
      user: 'build',
      command: '/opt/runner/bin/Runner.Listener run --startuptype service',
      memoryMib: 110,
      virtualMib: 3400,
      work: 0.1,
      children: [
        {
          user: 'build',
          command:
            '/usr/lib/gcc/x86_64-linux-gnu/13/cc1plus -quiet -imultiarch x86_64-linux-gnu -D_GNU_SOURCE main.cpp',
          memoryMib: 210,
          virtualMib: 330,
          work: 0.3,
          pool: true,
        },
      ],
    },
  ],
  desktop: [
    {
      unit: { name: 'gdm.service', description: 'Graphical login' },
      user: 'root',
      command: '/usr/sbin/gdm3',
      memoryMib: 9,
      virtualMib: 305,
    },
    { user: 'root', command: '/usr/sbin/NetworkManager --no-daemon', memoryMib: 19, virtualMib: 336 },
    { user: 'rtkit', command: '/usr/libexec/rtkit-daemon', memoryMib: 3, virtualMib: 22 },
    {
      user: 'robin',
      command: '/usr/lib/systemd/systemd --user',
      memoryMib: 12,
      virtualMib: 21,
      children: [
        { user: 'robin', command: '/usr/bin/pipewire', memoryMib: 16, virtualMib: 112, work: 0.03, nice: -11 },
        { user: 'robin', command: '/usr/bin/gnome-shell', memoryMib: 390, virtualMib: 4900, work: 0.25 },
        { user: 'robin', command: '/usr/libexec/gsd-media-keys', memoryMib: 30, virtualMib: 870 },
        { user: 'robin', command: '/usr/libexec/gvfsd --no-fuse', memoryMib: 9, virtualMib: 316 },
        { user: 'robin', command: '/usr/libexec/evolution-calendar-factory', memoryMib: 34, virtualMib: 1200 },
        { user: 'robin', command: '/snap/firefox/firefox', memoryMib: 520, virtualMib: 12_200, work: 0.2 },
        {
          user: 'robin',
          command: `/snap/firefox/firefox ${BROWSER_OPTIONS} tab`,
          memoryMib: 130,
          virtualMib: 2600,
          work: 0.04,
          pool: true,
        },
      ],
    },
  ],
};
