/**
 * Requested packages of Debian 12's hosts, by reason. Their dependencies come from the package index. The first group is on every
 * host, groups named after a role are on its hosts, and the others are on a share of the hosts.
 */
export const ROOTS: Readonly<Record<string, { readonly share: number; readonly names: string }>> = {
  base: {
    share: 1,
    names: `apt-listchanges bash-completion bsdextrautils busybox ca-certificates console-setup cron curl dbus
      debian-archive-keyring debian-faq dmidecode exim4-daemon-light file grub-pc ifupdown init initramfs-tools
      isc-dhcp-client less libc6 libpam-systemd libssl3 linux-image-amd64 locales lsof man-db nano
      needrestart openssh-server openssl pciutils polkitd procps python3 rsync rsyslog screen sudo systemd
      systemd-sysv task-ssh-server tzdata udev usbutils util-linux
      util-linux-locales vim-tiny wget whiptail xz-utils zstd`,
  },
  web: {
    share: 1,
    names: `nginx php8.2-fpm php8.2-cli php8.2-opcache php8.2-readline tomcat10 openjdk-17-jre-headless redis-server
      ssl-cert logrotate`,
  },
  database: { share: 1, names: 'ssl-cert libjson-perl' },
  build: { share: 1, names: 'docker.io containerd git build-essential g++ make patch' },
  desktop: {
    share: 1,
    names: `gdm3 gnome-shell gnome-session gnome-settings-daemon gnome-control-center network-manager rtkit pipewire
      wireplumber firefox-esr evolution-data-server gvfs gvfs-fuse nautilus gnome-terminal xserver-xorg-core
      xdg-desktop-portal-gnome at-spi2-core fonts-dejavu udisks2 upower modemmanager bluez`,
  },
  php: {
    share: 0.4,
    names: `php8.2-mysql php8.2-pgsql php8.2-xml php8.2-mbstring php8.2-curl php8.2-gd php8.2-zip php8.2-intl
      php8.2-bcmath php8.2-soap composer`,
  },
  apache: { share: 0.25, names: 'apache2-utils' },
  certificates: { share: 0.3, names: 'certbot python3-certbot-dns-rfc2136' },
  samba: { share: 0.3, names: 'smbclient cifs-utils' },
  shares: { share: 0.45, names: 'sshfs davfs2 cifs-utils' },
  snmp: { share: 0.5, names: 'snmp lm-sensors monitoring-plugins-basic' },
  shells: { share: 0.65, names: 'vim tmux htop mc zsh byobu ncdu tree jq ripgrep' },
  network: {
    share: 0.6,
    names: `tcpdump nmap mtr-tiny iperf3 bind9-dnsutils ethtool traceroute net-tools wireguard-tools openvpn
      vlan bridge-utils socat whois`,
  },
  storage: {
    share: 0.7,
    names: `lvm2 mdadm xfsprogs btrfs-progs parted gdisk cryptsetup open-iscsi
      nvme-cli hdparm sg3-utils dosfstools`,
  },
  virtual: {
    share: 0.18,
    names: 'qemu-system-x86 qemu-utils libvirt-clients virtinst ovmf swtpm-tools',
  },
  compilers: {
    share: 0.5,
    names: `build-essential gdb cmake ninja-build autoconf automake libtool pkg-config valgrind strace ltrace bison
      flex gettext ccache clang git git-lfs subversion`,
  },
  headers: {
    share: 0.42,
    names: `libssl-dev libxml2-dev zlib1g-dev libcurl4-openssl-dev libpq-dev libmariadb-dev libsqlite3-dev libffi-dev
      libglib2.0-dev libncurses-dev libreadline-dev libbz2-dev liblzma-dev libyaml-dev libpng-dev libjpeg-dev
      libfreetype-dev libgmp-dev libpcre2-dev libsystemd-dev libldap-dev libkrb5-dev libgcrypt20-dev`,
  },
  python: {
    share: 0.6,
    names: `python3-pip python3-venv python3-dev python3-requests python3-yaml python3-jinja2 python3-psycopg2
      python3-pymysql python3-redis python3-numpy python3-lxml python3-cryptography python3-paramiko python3-docker
      python3-boto3 virtualenv`,
  },
  perl: {
    share: 0.55,
    names: `libwww-perl libdbi-perl libdbd-mysql-perl libdbd-pg-perl libjson-perl libxml-libxml-perl libdatetime-perl
      libmoose-perl libnet-snmp-perl libtemplate-perl libtext-csv-perl libmail-sendmail-perl`,
  },
  ruby: { share: 0.18, names: 'ruby ruby-dev bundler rake' },
  javascript: { share: 0.25, names: 'nodejs node-semver node-undici libnode-dev' },
  java: { share: 0.28, names: 'default-jdk-headless maven ant' },
  printing: { share: 0.25, names: 'cups-client ghostscript poppler-utils' },
  images: { share: 0.32, names: 'imagemagick graphviz ffmpeg libvips-tools libimage-exiftool-perl' },
  typesetting: { share: 0.08, names: 'texlive-latex-base texlive-fonts-recommended pandoc' },
  administration: { share: 0.32, names: 'ansible-core etckeeper' },
  backup: { share: 0.45, names: 'borgbackup restic rsnapshot rdiff-backup duplicity' },
  hardening: {
    share: 0.6,
    names: 'ufw apparmor apparmor-utils rkhunter aide debsums libpam-pwquality',
  },
  directory: { share: 0.42, names: 'sssd sssd-tools krb5-user ldap-utils libnss-sss libpam-sss realmd adcli' },
  mail: { share: 0.4, names: 'bsd-mailx mutt swaks spamassassin' },
  desk: {
    share: 0.15,
    names: `xauth xterm x11-apps x11-utils fonts-liberation2 libreoffice-writer libreoffice-calc evince gedit
      gnome-calculator file-roller thunderbird eog`,
  },
  containers: { share: 0.28, names: 'docker-compose podman buildah skopeo' },
  clocks: { share: 0.45, names: 'open-vm-tools cloud-init cloud-guest-utils' },
};

/** Packages of hosts that run a service, by the name of the service. A package that is also listed above is on the hosts of either. */
export const SERVICES: Readonly<Record<string, string>> = {
  acpid: 'acpid',
  apache2: 'apache2 libapache2-mod-php8.2 libapache2-mod-fcgid',
  atd: 'at',
  auditd: 'auditd audispd-plugins',
  autofs: 'autofs',
  'bacula-fd': 'bacula-fd',
  chrony: 'chrony',
  'clamav-daemon': 'clamav-daemon clamav-freshclam',
  cups: 'cups',
  docker: 'docker.io containerd',
  fail2ban: 'fail2ban',
  fwupd: 'fwupd',
  haproxy: 'haproxy',
  irqbalance: 'irqbalance',
  keepalived: 'keepalived',
  libvirtd: 'libvirt-daemon-system qemu-system-x86',
  lldpd: 'lldpd',
  mariadb: 'mariadb-server mariadb-client',
  memcached: 'memcached',
  'nagios-nrpe-server': 'nagios-nrpe-server',
  'nfs-mountd': 'nfs-kernel-server',
  packagekit: 'packagekit',
  'postgresql@15-main': 'postgresql-15 postgresql-client-15',
  'prometheus-node-exporter': 'prometheus-node-exporter',
  puppet: 'puppet-agent',
  'qemu-guest-agent': 'qemu-guest-agent',
  rpcbind: 'rpcbind nfs-common',
  smartmontools: 'smartmontools',
  smbd: 'samba',
  snmpd: 'snmpd',
  squid: 'squid',
  'systemd-timesyncd': 'systemd-timesyncd',
  thermald: 'thermald',
  'unattended-upgrades': 'unattended-upgrades',
  varnish: 'varnish',
  vnstat: 'vnstat',
  'zabbix-agent2': 'zabbix-agent2',
};

/** Packages that only a role's hosts have, by the file of the role. */
export const ROLES: Readonly<Record<string, string>> = {
  mail: 'postfix dovecot-core dovecot-imapd dovecot-lmtpd',
};
