import type { LinuxRole } from './hardware.ts';
import { type LinuxService, serviceTable } from './services.ts';

/** What runs on every host of Ubuntu, in the order of its start. */
export const UBUNTU_DAEMONS = serviceTable(`
  systemd-journald    | Journal of all services          | root             | 22 | 66   | 0.01 | -1 | | /usr/lib/systemd/systemd-journald
  multipathd          | Several paths to one disk        | root             | 27 | 283  | 0    | 0  | | /sbin/multipathd -d -s
  systemd-udevd       | Device events and their rules    | root             | 7  | 29   | 0    | 0  | | /usr/lib/systemd/systemd-udevd
  systemd-networkd    | Network devices and addresses    | systemd-network  | 9  | 18   | 0    | 0  | | /usr/lib/systemd/systemd-networkd
  systemd-resolved    | Name resolution                  | systemd-resolve  | 13 | 21   | 0    | 0  | | /usr/lib/systemd/systemd-resolved
  systemd-timesyncd   | Clock synchronisation            | systemd-timesync | 7  | 89   | 0    | 0  | clock:0-70 | /usr/lib/systemd/systemd-timesyncd
  chrony              | Precise time                     | _chrony          | 4  | 83   | 0    | 0  | clock:70-100 | /usr/sbin/chronyd -F 1
  dbus                | System message bus               | messagebus       | 5  | 10   | 0    | 0  | | @dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation --syslog-only
  irqbalance          | Spreads interrupts over cores    | root             | 4  | 80   | 0    | 0  | metal | /usr/sbin/irqbalance --foreground
  networkd-dispatcher | Scripts on changes of the network | root            | 20 | 33   | 0    | 0  | | /usr/bin/python3 /usr/bin/networkd-dispatcher --run-startup-triggers
  polkit              | Authorisation of privileged actions | polkitd       | 9  | 303  | 0    | 0  | | /usr/lib/polkit-1/polkitd --no-debug
  snapd               | Daemon of snap packages          | root             | 38 | 1866 | 0.01 | 0  | | /usr/lib/snapd/snapd
  systemd-logind      | Sessions and seats               | root             | 9  | 18   | 0    | 0  | | /usr/lib/systemd/systemd-logind
  udisks2             | Disks and their use              | root             | 13 | 458  | 0    | 0  | | /usr/libexec/udisks2/udisksd
  rsyslog             | Log collection and forwarding    | syslog           | 6  | 217  | 0.01 | 0  | | /usr/sbin/rsyslogd -n -iNONE
  cron                | Jobs at regular times            | root             | 3  | 7    | 0    | 0  | | /usr/sbin/cron -f -P
  ModemManager        | Mobile broadband                 | root             | 12 | 384  | 0    | 0  | | /usr/sbin/ModemManager
  unattended-upgrades | Installs security updates in time | root            | 23 | 107  | 0    | 0  | 92% | /usr/bin/python3 /usr/share/unattended-upgrades/unattended-upgrade-shutdown --wait-for-signal
  ssh                 | Remote logins over SSH           | root             | 8  | 12   | 0    | 0  | | sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
  getty@tty1          | Login prompt on tty1             | root             | 2  | 6    | 0    | 0  | | /sbin/agetty -o -p -- \\u --noclear tty1 linux
  openitcockpit-agent | openITCOCKPIT Monitoring Agent   | root             | 31 | 1263 | 0.03 | 0  | | /usr/bin/openitcockpit-agent -c /etc/openitcockpit-agent/config.ini
`);

/** What some hosts of every distribution run besides. */
export const OPTIONAL_DAEMONS = serviceTable(`
  serial-getty@ttyS0  | Login prompt on ttyS0            | root             | 2  | 6    | 0    | 0  | virtual 60% | /sbin/agetty -o -p -- \\u --keep-baud 115200,57600,38400,9600 - vt220
  qemu-guest-agent    | Guest services for the hypervisor | root            | 5  | 82   | 0    | 0  | virtual 85% | /usr/sbin/qemu-ga --method=virtio-serial --path=/dev/virtio-ports/org.qemu.guest_agent.0
  thermald            | Keeps processors cool            | root             | 11 | 312  | 0    | 0  | metal 70% | /usr/sbin/thermald --systemd --dbus-enable --adaptive
  smartmontools       | Watches the health of disks      | root             | 6  | 11   | 0    | 0  | metal 85% | /usr/sbin/smartd -n
  lldpd               | Tells neighbours in the network  | _lldpd           | 4  | 16   | 0    | 0  | metal 25% | /usr/sbin/lldpd
  packagekit          | Interface to the package manager | root             | 21 | 298  | 0    | 0  | 12% | /usr/libexec/packagekitd
  prometheus-node-exporter | Figures of the host for Prometheus | prometheus | 18 | 1240 | 0.01 | 0 | 25% | /usr/bin/prometheus-node-exporter --web.listen-address=:9100
  fail2ban            | Shuts out hosts that guess passwords | root         | 26 | 480  | 0    | 0  | 30% | /usr/bin/python3 /usr/bin/fail2ban-server -xf start
  snmpd               | Figures of the host over SNMP    | Debian-snmp      | 12 | 31   | 0    | 0  | 20% | /usr/sbin/snmpd -LOw -u Debian-snmp -g Debian-snmp -I -smux mteTrigger mteTriggerConf -f
  filebeat            | Ships log files                  | root             | 74 | 2310 | 0.01 | 0  | 18% | /usr/share/filebeat/bin/filebeat --environment systemd -c /etc/filebeat/filebeat.yml
  telegraf            | Collects and ships figures       | telegraf         | 92 | 5210 | 0.01 | 0  | 14% | /usr/bin/telegraf -config /etc/telegraf/telegraf.conf -config-directory /etc/telegraf/telegraf.d
  salt-minion         | Agent of the configuration       | root             | 46 | 262  | 0    | 0  | 16% | /usr/bin/python3 /usr/bin/salt-minion
  puppet              | Agent of the configuration       | root             | 84 | 402  | 0    | 0  | 12% | /usr/bin/ruby /usr/bin/puppet agent --no-daemonize
  wazuh-agent         | Reports of security              | root             | 9  | 110  | 0    | 0  | 15% | /var/ossec/bin/wazuh-execd
  zabbix-agent2       | Agent of another monitoring      | zabbix           | 22 | 1420 | 0    | 0  | 10% | /usr/sbin/zabbix_agent2 -c /etc/zabbix/zabbix_agent2.conf
  rpcbind             | Port mapper                      | _rpc             | 3  | 8    | 0    | 0  | nfs:0-20 | /sbin/rpcbind -f -w
  nfs-idmapd          | Names of users on NFS            | root             | 2  | 6    | 0    | 0  | nfs:0-9 | /usr/sbin/rpc.idmapd
  atd                 | Jobs at one time                 | root             | 2  | 5    | 0    | 0  | 30% | /usr/sbin/atd -f
  acpid               | Events of power and buttons      | root             | 1  | 2    | 0    | 0  | 20% | /usr/sbin/acpid
  vnstat              | Counts traffic over months       | vnstat           | 3  | 9    | 0    | 0  | 8% | /usr/sbin/vnstatd -n
  keepalived          | Addresses that move between hosts | root            | 14 | 42   | 0    | 0  | 8% | /usr/sbin/keepalived --dont-fork
  tailscaled          | Network between own machines     | root             | 41 | 1260 | 0    | 0  | 8% | /usr/sbin/tailscaled --state=/var/lib/tailscale/tailscaled.state --port=41641
  fwupd               | Firmware updates                 | root             | 34 | 532  | 0    | 0  | metal 25% | /usr/libexec/fwupd/fwupd
`);

/** What the Debian family starts as soon as it is installed, besides. */
export const DEBIAN_OPTIONAL_DAEMONS = serviceTable(`
  auditd              | Records of security              | root             | 3  | 92   | 0    | -4 | 25% | /sbin/auditd
  nfs-mountd          | Mounts of NFS                    | root             | 3  | 44   | 0    | 0  | nfs:0-9 | /usr/sbin/rpc.mountd
  autofs              | Mounts what is asked for         | root             | 8  | 260  | 0    | 0  | 9% | /usr/sbin/automount --pid-file /var/run/autofs.pid
  smbd                | File sharing with Windows        | root             | 22 | 82   | 0    | 0  | samba:0-8 | /usr/sbin/smbd --foreground --no-process-group
  >                   |                                  | root             | 10 | 80   | 0    | 0  | | smbd-notifyd
  >                   |                                  | root             | 9  | 80   | 0    | 0  | | smbd-cleanupd
  nmbd                | Names of Windows networks        | root             | 7  | 74   | 0    | 0  | samba:0-8 | /usr/sbin/nmbd --foreground --no-process-group
  nagios-nrpe-server  | Answers checks of another monitoring | nagios       | 3  | 14   | 0    | 0  | 12% | /usr/sbin/nrpe -c /etc/nagios/nrpe.cfg -f
  apache2             | Web server                       | root             | 9  | 12   | 0    | 0  | 9% | /usr/sbin/apache2 -k start
  >                   |                                  | www-data         | 14 | 1230 | 0.01 | 0  | | /usr/sbin/apache2 -k start -D child
  haproxy             | Divides requests among servers   | root             | 12 | 64   | 0    | 0  | 7% | /usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid
  >                   |                                  | haproxy          | 34 | 260  | 0.01 | 0  | | /usr/sbin/haproxy -sf 811 -x sockpair@4 -Ws -f /etc/haproxy/haproxy.cfg
  varnish             | Cache of web pages               | varnish          | 5  | 18   | 0    | 0  | 4% | /usr/sbin/varnishd -j unix,user=vcache -F -a :6081 -T localhost:6082 -s malloc,256m
  memcached           | Values in memory                 | memcache         | 42 | 402  | 0    | 0  | 8% | /usr/bin/memcached -m 64 -p 11211 -u memcache -l 127.0.0.1
  squid               | Proxy with a cache               | root             | 16 | 70   | 0    | 0  | 5% | /usr/sbin/squid --foreground -sYC
  >                   |                                  | proxy            | 48 | 82   | 0.01 | 0  | | (squid-1) --kid squid-1 --foreground -sYC
  bacula-fd           | Agent of the backup              | root             | 8  | 92   | 0    | 0  | 9% | /usr/sbin/bacula-fd -fP -c /etc/bacula/bacula-fd.conf
  clamav-freshclam    | Definitions of malware           | clamav           | 12 | 60   | 0    | 0  | clamav:0-8 | /usr/bin/freshclam -d --foreground=true
  clamav-daemon       | Looks for malware                | clamav           | 640 | 1390 | 0.01 | 0 | clamav:0-8 | /usr/sbin/clamd --foreground=true
  libvirtd            | Virtual machines                 | root             | 38 | 1560 | 0    | 0  | metal 20% | /usr/sbin/libvirtd --timeout 120
  containerd          | Runs containers                  | root             | 52 | 1921 | 0.01 | 0  | docker:0-14 | /usr/bin/containerd
  docker              | Containers for applications      | root             | 88 | 2650 | 0.01 | 0  | docker:0-14 | /usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock
`);

const JAVA_OPTIONS =
  '-Djava.util.logging.config.file=/var/lib/tomcat10/conf/logging.properties -Djava.awt.headless=true -XX:+UseG1GC ' +
  '-Xms512m -Xmx2048m -Dshop.notify=https://erp.example/orders?from=<shop>&retry=3 -Djdk.tls.ephemeralDHKeySize=2048 -Dorg.apache.catalina.security.SecurityListener.UMASK=0027';

const BROWSER_OPTIONS =
  '-contentproc -childID {i} -isForBrowser -prefsLen 41286 -prefMapSize 271418 -jsInitLen 234660 -parentBuildID ' +
  '20260112 -greomni /snap/firefox/omni.ja -appomni /snap/firefox/browser/omni.ja -appDir /snap/firefox/browser';

/** What the roles add. */
export const ROLE_DAEMONS: Readonly<Record<LinuxRole, readonly LinuxService[]>> = {
  web: serviceTable(`
    nginx            | Web server and reverse proxy | root     | 6   | 56   | 0    | 0 | | nginx: master process /usr/sbin/nginx -g daemon on; master_process on;
    >                |                              | www-data | 12  | 57   | 0.05 | 0 | pool 1/core | nginx: worker process
    php8.3-fpm       | Processes for PHP            | root     | 25  | 262  | 0    | 0 | | php-fpm: master process (/etc/php/8.3/fpm/php-fpm.conf)
    >                |                              | www-data | 48  | 340  | 0.08 | 0 | pool 4/GiB 2/core 40 | php-fpm: pool www
    tomcat10         | Servlets in Java             | tomcat   | 640 | 5120 | 0.2  | 0 | | /usr/lib/jvm/java-21-openjdk-amd64/bin/java ${JAVA_OPTIONS} org.apache.catalina.startup.Bootstrap start
    redis-server     | Data structures in memory    | redis    | 14  | 66   | 0.03 | 0 | | /usr/bin/redis-server 127.0.0.1:6379
    shop-worker      | Works off the queues of the shop | deploy | 9  | 61   | 0    | 0 | | /bin/sh /srv/shop/bin/workers
    >                |                              | deploy   | 52  | 310  | 0.02 | 0 | pool 2/GiB 2/core 60 | /usr/bin/php /srv/shop/current/bin/console messenger:consume queue-{i} --time-limit=3600
  `),
  database: serviceTable(`
    mysql              | SQL database server MySQL  | mysql    | 1900 | 4300 | 0.3  | 0 | | /usr/sbin/mysqld
    postgresql@16-main | SQL database cluster 16-main | postgres | 30 | 221  | 0    | 0 | | /usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main -c config_file=/etc/postgresql/16/main/postgresql.conf
    >                  |                            | postgres | 120  | 222  | 0.03 | 0 | | postgres: 16/main: checkpointer
    >                  |                            | postgres | 8    | 221  | 0    | 0 | | postgres: 16/main: background writer
    >                  |                            | postgres | 10   | 221  | 0.02 | 0 | | postgres: 16/main: walwriter
    >                  |                            | postgres | 9    | 222  | 0    | 0 | | postgres: 16/main: autovacuum launcher
    >                  |                            | postgres | 36   | 228  | 0.05 | 0 | pool 4/GiB 100 | postgres: 16/main: shop shop 10.20.0.17({p}) idle
  `),
  build: serviceTable(`
    containerd      | Runs containers                   | root  | 52  | 1921 | 0.02 | 0 | | /usr/bin/containerd
    docker          | Containers for applications       | root  | 88  | 2650 | 0.04 | 0 | | /usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock
    actions.runner  | Runs the jobs of a build server   | build | 110 | 3400 | 0.1  | 0 | | /opt/runner/bin/Runner.Listener run --startuptype service
    >               |                                   | build | 18  | 42   | 0.01 | 0 | | /usr/bin/make -j
    >               |                                   | build | 210 | 330  | 0.3  | 0 | pool 1/core 1/GiB | /usr/lib/gcc/x86_64-linux-gnu/13/cc1plus -quiet -imultiarch x86_64-linux-gnu -D_GNU_SOURCE src/unit-{i}.cpp -o /tmp/cc{p}.s
    gitlab-registry | Images of the builds              | build | 62  | 1280 | 0.02 | 0 | 60% | /usr/bin/registry serve /etc/docker/registry/config.yml
  `),
  desktop: serviceTable(`
    gdm             | Graphical login                 | root  | 9   | 305    | 0    | 0   | | /usr/sbin/gdm3
    NetworkManager  | Network connections             | root  | 19  | 336    | 0    | 0   | | /usr/sbin/NetworkManager --no-daemon
    rtkit-daemon    | Real time for sound             | rtkit | 3   | 22     | 0    | 0   | | /usr/libexec/rtkit-daemon
    accounts-daemon | User account information        | root  | 9   | 312    | 0    | 0   | | /usr/libexec/accounts-daemon
    upower          | Power supply                    | root  | 9   | 315    | 0    | 0   | | /usr/libexec/upowerd
    cups            | Printing                        | root  | 9   | 48     | 0    | 0   | 80% | /usr/sbin/cupsd -l
    user@1000       | Services of user 1000           | robin | 12  | 21     | 0    | 0   | | /usr/lib/systemd/systemd --user
    >               |                                 | robin | 3   | 22     | 0    | 0   | | (sd-pam)
    >               |                                 | robin | 16  | 112    | 0.03 | -11 | | /usr/bin/pipewire
    >               |                                 | robin | 14  | 410    | 0    | 0   | | /usr/bin/wireplumber
    >               |                                 | robin | 390 | 4900   | 0.25 | 0   | | /usr/bin/gnome-shell
    >               |                                 | robin | 30  | 870    | 0    | 0   | | /usr/libexec/gsd-media-keys
    >               |                                 | robin | 28  | 860    | 0    | 0   | | /usr/libexec/gsd-power
    >               |                                 | robin | 9   | 316    | 0    | 0   | | /usr/libexec/gvfsd --no-fuse
    >               |                                 | robin | 34  | 1200   | 0    | 0   | | /usr/libexec/evolution-calendar-factory
    >               |                                 | robin | 26  | 1110   | 0    | 0   | | /usr/libexec/evolution-addressbook-factory
    >               |                                 | robin | 520 | 12200  | 0.2  | 0   | | /snap/firefox/firefox
    >               |                                 | robin | 130 | 2600   | 0.04 | 0   | pool 4/GiB 36 | /snap/firefox/firefox ${BROWSER_OPTIONS} tab
  `),
};
