import type { TableText } from '../table.ts';

/** Arch's base and what servers have beside it; kernels stand in the profile. Nothing is split here. */
export const ARCH: TableText = {
  date: '2026-01-20',
  groups: {
    a: ['web', 1],
    b: ['database', 1],
    c: ['build', 1],
    d: ['desktop', 1],
    e: ['php', 0.3],
    l: ['shells', 0.35],
    m: ['network', 0.3],
    n: ['storage', 0.3],
    o: ['virtual', 0.08],
    p: ['compilers', 0.3],
    r: ['python', 0.25],
    s: ['perl', 0.2],
    u: ['javascript', 0.12],
    x: ['containers', 0.12],
    i: ['samba', 0.1],
    k: ['monitoring', 0.2],
    B: ['hardening', 0.2],
    g: ['graphics', 0.1],
    A: ['backup', 0.2],
  },
  lines: `
openitcockpit-agent 3.6.1-1 openitcockpit-agent
acl 2.3.{2/400}-1 acl
archlinux-keyring 20260107-{!1/30} archlinux-keyring
argon2 20190702-6 argon2
attr 2.5.2-1 attr
audit 4.1.{2/150}-1 audit
base 3-2 base
bash 5.3.{9/50}-1 bash
brotli 1.2.{0/200}-1 brotli
bzip2 1.0.8-6 bzip2
ca-certificates 20240618-1 ca-certificates
ca-certificates-mozilla 3.{120/40}-1 ca-certificates-mozilla nss@dg
ca-certificates-utils 20240618-1 ca-certificates-utils
coreutils 9.{9/120}-1 coreutils
cryptsetup 2.8.{3/90}-1 cryptsetup
curl 8.{18/50}.0-1 curl
dbus 1.16.2-1 dbus
dbus-broker 37-3 dbus-broker dbus-broker-units
dbus-units 37-3 dbus-units
device-mapper 2.03.{38/60}-1 device-mapper lvm2@n
diffutils 3.12-2 diffutils
e2fsprogs 1.47.{3/200}-2 e2fsprogs
expat 2.7.{!3/80}-1 expat
file 5.46-5 file
filesystem 2025.10.12-1 filesystem
findutils 4.10.0-3 findutils
gawk 5.3.2-1 gawk
gcc 15.2.1+r{!604/40}+g0b99615a8aef-1 gcc-libs libgcc libstdc++ libgomp libatomic gcc@cp
gdbm 1.26-2 gdbm
gettext 0.26-1 gettext
glib2 2.86.{!3/40}-1 glib2
glibc 2.42+r{!51/60}+g41c685f0fa96-1 glibc lib32-glibc@g
gmp 6.3.0-3 gmp
gnulib-l10n 20241231-1 gnulib-l10n
gnupg 2.4.{!9/60}-1 gnupg
gnutls 3.8.{!11/60}-1 gnutls
gpgme 2.0.{1/90}-1 gpgme
grep 3.12-2 grep
gzip 1.14-2 gzip
hwdata 0.{402/30}-1 hwdata
iana-etc 2025{1106/60}-1 iana-etc
icu 78.{1/120}-1 icu
iproute2 6.{18/65}.0-1 iproute2
iptables 1:1.8.11-2 iptables
iputils 20250605-{1/250} iputils
jansson 2.14.1-1 jansson
json-c 0.18-2 json-c
kbd 2.9.0-1 kbd
keyutils 1.6.3-3 keyutils
kmod 34.2-1 kmod
krb5 1.21.3-2 krb5
leancrypto 1.6.{0/80}-1 leancrypto
less 1:{685/150}-1 less
libarchive 3.8.{!4/60}-1 libarchive
libassuan 3.0.0-1 libassuan
libcap 2.77-1 libcap
libcap-ng 0.8.5-3 libcap-ng
libelf 0.194-2 libelf elfutils@cp debuginfod@p
libevent 2.1.12-4 libevent
libffi 3.5.2-1 libffi
libgcrypt 1.11.{!2/150}-1 libgcrypt
libgpg-error 1.58-1 libgpg-error
libidn2 2.3.8-1 libidn2
libksba 1.6.7-2 libksba
libldap 2.6.{10/150}-2 libldap
libmnl 1.0.5-2 libmnl
libnetfilter_conntrack 1.0.9-2 libnetfilter_conntrack
libnfnetlink 1.0.2-2 libnfnetlink
libnftnl 1.3.1-1 libnftnl
libnghttp2 1.68.{0/90}-1 libnghttp2
libnghttp3 1.14.{0/90}-1 libnghttp3
libngtcp2 1.20.{0/90}-1 libngtcp2
libnl 3.11.0-1 libnl
libnsl 2.0.1-1 libnsl
libp11-kit 0.25.{10/120}-1 libp11-kit p11-kit
libpcap 1.10.{5/300}-3 libpcap
libpsl 0.21.5-2 libpsl
libsasl 2.1.28-5 libsasl
libseccomp 2.6.0-1 libseccomp
libsecret 0.21.7-1 libsecret
libssh2 1.11.1-1 libssh2
libsysprof-capture 49.0-1 libsysprof-capture
libtasn1 4.20.0-1 libtasn1
libtirpc 1.3.7-1 libtirpc
libunistring 1.4.1-1 libunistring
liburing 2.13-1 liburing
libusb 1.0.29-1 libusb
libutempter 1.2.3-1 libutempter
libverto 0.3.2-5 libverto
libxcrypt 4.5.2-1 libxcrypt
libxml2 2.15.{!1/60}-4 libxml2
licenses 20240728-1 licenses
linux-firmware 20260110-{1/30} linux-firmware linux-firmware-whence linux-firmware-amdgpu linux-firmware-atheros linux-firmware-broadcom linux-firmware-cirrus linux-firmware-intel linux-firmware-mediatek linux-firmware-nvidia linux-firmware-other linux-firmware-radeon linux-firmware-realtek
lmdb 0.9.33-1 lmdb
lz4 1:1.10.0-2 lz4
mkinitcpio 40-{4/60} mkinitcpio
mkinitcpio-busybox 1.36.1-1 mkinitcpio-busybox
mpdecimal 4.0.1-1 mpdecimal
mpfr 4.2.2-1 mpfr
nano 8.{7/80}-1 nano
ncurses 6.6-1 ncurses
nettle 3.10.2-1 nettle
npth 1.8-1 npth
openssh 10.2p1-{!2/80} openssh
openssl 3.6.{!1/60}-1 openssl
pacman 7.1.0.r9.g54d9411-{1/90} pacman
pacman-mirrorlist 20260101-{1/45} pacman-mirrorlist
pam 1.7.1-1 pam
pambase 20250719-1 pambase
pciutils 3.14.0-1 pciutils
pcre2 10.47-1 pcre2
pinentry 1.3.2-2 pinentry
polkit 127-3 polkit duktape
popt 1.19-2 popt
procps-ng 4.0.5-3 procps-ng
psmisc 23.7-1 psmisc
readline 8.3.{3/150}-1 readline
sed 4.9-3 sed
shadow 4.18.0-1 shadow
sqlite 3.51.{2/45}-1 sqlite
sudo 1.9.17.p{2/150}-2 sudo
systemd 259.{1/25}-1 systemd systemd-libs systemd-sysvcompat
tar 1.35-2 tar
tpm2-tss 4.1.3-1 tpm2-tss
tzdata 2025c-1 tzdata
util-linux 2.41.{3/90}-2 util-linux util-linux-libs
xz 5.8.{2/120}-1 xz
zlib 1:1.3.1-2 zlib
zstd 1.5.7-2 zstd
python 3.14.{!2/45}-2 python@rdopgm
vim 9.1.{2077/12}-1 vim@l vim-runtime@l
htop 3.4.1-1 htop@l
tmux 3.6_a-1 tmux@l
zsh 5.9-5 zsh@l
bash-completion 2.17.0-2 bash-completion@l
man-db 2.13.1-1 man-db@l
man-pages 6.16-1 man-pages@l
groff 1.23.0-8 groff@l
libpipeline 1.5.8-1 libpipeline@l
tree 2.2.1-1 tree@l
jq 1.8.1-1 jq@l
oniguruma 6.9.10-1 oniguruma@lea
ripgrep 15.1.0-1 ripgrep@l
mc 4.8.33-2 mc@l
rsync 3.4.1-2 rsync@lA
which 2.23-1 which@lcp
nginx 1.28.{!1/60}-1 nginx@a
geoip 1.6.12-3 geoip@a
mailcap 2.1.54-2 mailcap@a
php 8.5.{!2/28}-1 php@ae php-fpm@a php-gd@e php-intl@e php-pgsql@e php-sqlite@e
libzip 1.11.4-1 libzip@ae
libxslt 1.1.{!45/120}-1 libxslt@abe
tomcat 10.1.{!50/35}-1 tomcat10@a
java-openjdk 21.0.{!9/91}.u10-1 jre21-openjdk-headless@a
java-runtime-common 3-6 java-runtime-common@a java-environment-common@a
valkey 9.0.{!1/50}-1 valkey@a
mariadb 12.1.{!2/80}-1 mariadb@b mariadb-clients@b mariadb-libs@b
postgresql 18.{!1/91}-2 postgresql@b postgresql-libs@be
libaio 0.3.113-3 libaio@bn
numactl 2.0.19-1 numactl@bo
docker 1:29.1.{4/30}-1 docker@cx+docker
containerd 2.2.{1/40}-1 containerd@cx+docker
runc 1.4.0-{!1/60} runc@cx
git 2.52.{!0/60}-2 git@cp
binutils 2.45.1-1 binutils@cp
make 4.4.1-2 make@cp
libmpc 1.3.1-2 libmpc@cp
libisl 0.27-1 libisl@cp
patch 2.8-1 patch@cp
perl 5.42.{0/200}-1 perl@cpsl
perl-error 0.17030-2 perl-error@cp
perl-timedate 2.33-8 perl-timedate@cps
perl-mailtools 2.22-2 perl-mailtools@cp
linux-api-headers 6.18-1 linux-api-headers@cp
gdm 49.{2/60}-1 gdm@d libgdm@d
gnome-shell 1:49.{3/40}-1 gnome-shell@d
gnome-session 49.2-2 gnome-session@d
gnome-settings-daemon 49.1-1 gnome-settings-daemon@d
gnome-control-center 49.{3/60}-1 gnome-control-center@d
gnome-desktop 1:44.4-1 gnome-desktop@d gnome-desktop-4@d gnome-desktop-common@d
gnome-keyring 1:48.0-1 gnome-keyring@d
gnome-terminal 3.58.0-2 gnome-terminal@d
nautilus 49.{3/60}-1 nautilus@d libnautilus-extension@d
mutter 49.{3/40}-1 mutter@d
networkmanager 1.54.{3/60}-1 networkmanager@d libnm@d
rtkit 0.13-3 rtkit@d
pipewire 1:1.4.{9/50}-2 pipewire@d pipewire-audio@d pipewire-pulse@d libpipewire@d
wireplumber 0.5.13-1 wireplumber@d libwireplumber@d
firefox 147.{!0/14}-1 firefox@d
evolution-data-server 3.58.{2/40}-1 evolution-data-server@d
gvfs 1.58.{0/120}-2 gvfs@d
gtk3 1:3.24.{51/150}-1 gtk3@dg gtk-update-icon-cache@dg
gtk4 1:4.20.{3/60}-1 gtk4@d
mesa 1:25.3.{3/20}-1 mesa@d
wayland 1.24.0-1 wayland@dg
xorg-server 21.1.{!21/90}-1 xorg-server@d xorg-server-common@d
xorg-xwayland 24.1.{!9/90}-1 xorg-xwayland@d
libx11 1.8.12-1 libx11@dg
libxcb 1.17.0-1 libxcb@dg
libxext 1.3.6-1 libxext@dg
libxrender 0.9.12-1 libxrender@dg
libdrm 2.4.131-1 libdrm@d
libinput 1.30.1-1 libinput@d
bluez 5.85-1 bluez@d bluez-libs@d
udisks2 2.10.2-1 udisks2@d
upower 1.91.0-1 upower@d
adwaita-icon-theme 49.0-1 adwaita-icon-theme@dg adwaita-cursors@dg adwaita-fonts@d
hicolor-icon-theme 0.18-1 hicolor-icon-theme@dg
cairo 1.18.4-1 cairo@dg
pango 1:1.57.0-2 pango@dg
harfbuzz 12.3.0-1 harfbuzz@dg harfbuzz-icu@d
freetype2 2.14.1-1 freetype2@dg
fontconfig 2:2.17.1-1 fontconfig@dg
fribidi 1.0.16-2 fribidi@dg
gdk-pixbuf2 2.44.4-1 gdk-pixbuf2@dg
libpng 1.6.{!53/60}-1 libpng@dge
libjpeg-turbo 3.1.3-1 libjpeg-turbo@dge
libtiff 4.7.1-1 libtiff@dg
libwebp 1.6.0-2 libwebp@dge
dejavu-fonts 2.37+18+g9b5d1b2f-7 ttf-dejavu@dg
tcpdump 4.99.5-1 tcpdump@m
nmap 7.98-2 nmap@m
mtr 0.96-1 mtr@m
iperf3 3.20-1 iperf3@m
bind 9.20.{!17/40}-1 bind@m
ethtool 1:6.15-1 ethtool@m
traceroute 2.1.6-1 traceroute@m
wireguard-tools 1.0.20250521-1 wireguard-tools@m
openvpn 2.6.{!17/90}-1 openvpn@m
net-tools 2.10-3 net-tools@m
socat 1.8.1.0-1 socat@m
whois 5.6.5-1 whois@m
mdadm 4.5-1 mdadm@n
smartmontools 7.5-1 smartmontools@+smartd
xfsprogs 6.17.0-1 xfsprogs@n
btrfs-progs 6.17.1-1 btrfs-progs@n
parted 3.6-3 parted@n
gptfdisk 1.0.10-1 gptfdisk@n
nvme-cli 2.16-1 nvme-cli@n
libnvme 1.16.1-2 libnvme@n
dosfstools 4.2-5 dosfstools@n
thin-provisioning-tools 1.3.1-1 thin-provisioning-tools@n
hdparm 9.65-2 hdparm@n
nfs-utils 2.8.4-1 nfs-utils@+nfs-idmapd
rpcbind 1.2.8-1 rpcbind@+rpcbind+nfs-idmapd
qemu 10.2.{0/60}-1 qemu-base@o+libvirtd qemu-common@o+libvirtd qemu-img@o+libvirtd qemu-system-x86@o+libvirtd qemu-system-x86-firmware@o+libvirtd qemu-guest-agent@+qemu-guest-agent
libvirt 1:11.10.0-2 libvirt@o+libvirtd
dnsmasq 2.92-1 dnsmasq@o
edk2 202511-1 edk2-ovmf@o
seabios 1.17.0-2 seabios@o
autoconf 2.72-1 autoconf@p
automake 1.18.1-1 automake@p
bison 3.8.2-8 bison@p
flex 2.6.4-5 flex@p
libtool 2.6.0-3 libtool@p
m4 1.4.20-1 m4@p
pkgconf 2.5.1-1 pkgconf@p
fakeroot 1.37.1.2-1 fakeroot@p
debugedit 5.2-3 debugedit@p
gdb 17.1-1 gdb@p gdb-common@p
cmake 4.2.1-1 cmake@p
ninja 1.13.2-1 ninja@p
strace 6.18-1 strace@p
valgrind 3.25.1-4 valgrind@p
clang 21.1.6-1 clang@p
llvm 21.1.6-1 llvm@p llvm-libs@pd
texinfo 7.2-1 texinfo@p
guile 3.0.10-1 guile@cp
gc 8.2.12-1 gc@cp
base-devel 1-2 base-devel@p
python-pip 25.3-2 python-pip@r
python-setuptools 1:80.9.0-3 python-setuptools@rp
python-requests 2.32.5-3 python-requests@rk
python-urllib3 2.6.{!3/60}-1 python-urllib3@rk
python-idna 3.11-2 python-idna@rk
python-charset-normalizer 3.4.4-2 python-charset-normalizer@rk
python-yaml 6.0.3-2 python-yaml@r
python-jinja 1:3.1.6-3 python-jinja@r
python-markupsafe 3.0.2-2 python-markupsafe@r
python-numpy 2.4.0-1 python-numpy@r
python-cryptography 46.0.3-2 python-cryptography@r
python-cffi 2.0.0-2 python-cffi@r
python-packaging 25.0-4 python-packaging@r
python-lxml 6.0.2-2 python-lxml@r
python-psutil 7.1.3-2 python-psutil@rk
blas 3.12.1-2 blas@r cblas@r lapack@r
perl-dbi 1.647-2 perl-dbi@s
perl-json 4.10-3 perl-json@s
perl-libwww 6.81-1 perl-libwww@s
perl-uri 5.34-1 perl-uri@s
perl-http-message 7.01-1 perl-http-message@s
perl-http-date 6.06-4 perl-http-date@s
perl-io-socket-ssl 2.095-1 perl-io-socket-ssl@s
perl-net-ssleay 1.94-3 perl-net-ssleay@s
perl-html-parser 3.83-2 perl-html-parser@s
perl-xml-parser 2.47-3 perl-xml-parser@s
nodejs-lts 24.13.{!0/30}-1 nodejs-lts-krypton@u npm@u node-gyp@u semver@u
c-ares 1.34.6-1 c-ares@ub
libuv 1.51.0-1 libuv@up
simdjson 1:4.2.4-1 simdjson@u
podman 5.7.{1/40}-1 podman@x
buildah 1.42.2-1 buildah@x
skopeo 1.21.0-1 skopeo@x
conmon 1:2.2.0-1 conmon@x
crun 1.26-1 crun@x
netavark 1.17.1-1 netavark@x aardvark-dns@x
samba 2:4.23.{!4/50}-1 samba@i libwbclient@i smbclient@i
talloc 2.4.3-2 talloc@i
tdb 1.4.14-1 tdb@i
tevent 1:0.17.1-2 tevent@i
cifs-utils 7.4-1 cifs-utils@i
monitoring-plugins 2.4.0-4 monitoring-plugins@k
net-snmp 5.9.4-8 net-snmp@+snmpd
lm_sensors 1:3.6.2-1 lm_sensors@k
sysstat 12.7.8-1 sysstat@k
fail2ban 1.1.0-7 fail2ban@+fail2ban
ufw 0.36.2-6 ufw@B
apparmor 4.1.3-1 apparmor@B
nftables 1:1.1.6-1 nftables@B
lynis 3.1.6-1 lynis@B
imagemagick 7.1.2.{!12/12}-1 imagemagick@g
ghostscript 10.06.0-1 ghostscript@g
graphviz 14.1.1-1 graphviz@g
ffmpeg 2:8.0.1-3 ffmpeg@g
borg 1.4.3-1 borg@A
restic 0.18.1-1 restic@A
rclone 1.72.1-1 rclone@A
acpid 2.0.34-3 acpid@+acpid
at 3.2.5-2 at@+atd
filebeat 8.{19/70}.0-1 filebeat@+filebeat
fwupd 2.0.{19/40}-1 fwupd@+fwupd
keepalived 2.3.4-1 keepalived@+keepalived
lldpd 1.0.20-1 lldpd@+lldpd
packagekit 1.3.{2/90}-1 packagekit@+packagekit
prometheus-node-exporter 1.10.{2/90}-1 prometheus-node-exporter@+prometheus-node-exporter
puppet 8.10.0-2 puppet@+puppet
salt 3007.{10/90}-1 salt@+salt-minion
tailscale 1.{92/35}.0-1 tailscale@+tailscaled
telegraf 1.{37/90}.0-1 telegraf@+telegraf
thermald 2.5.10-1 thermald@+thermald
vnstat 2.13-2 vnstat@+vnstat
wazuh-agent 4.14.{2/60}-1 wazuh-agent@+wazuh-agent
zabbix 7.4.{6/45}-1 zabbix-agent2@+zabbix-agent2
cups 2:2.4.{16/90}-1 cups@+cups
accountsservice 23.13.9-2 accountsservice@d
`,
};
