import type { TableText } from '../table.ts';

/** The base system of AlmaLinux 9.7 and what servers have beside it; kernels stand in the profile. */
export const ALMALINUX_9: TableText = {
  date: '2026-01-20',
  groups: {
    a: ['web', 1],
    b: ['database', 1],
    c: ['build', 1],
    d: ['desktop', 1],
    e: ['php', 0.6],
    f: ['apache', 0.4],
    g: ['graphics', 0.75],
    h: ['languages', 0.5],
    i: ['samba', 0.5],
    j: ['shares', 0.55],
    k: ['snmp', 0.5],
    l: ['shells', 0.6],
    m: ['network', 0.6],
    n: ['storage', 0.85],
    o: ['virtual', 0.45],
    p: ['compilers', 0.75],
    q: ['headers', 0.65],
    r: ['python', 0.75],
    s: ['perl', 0.9],
    t: ['ruby', 0.2],
    u: ['javascript', 0.25],
    v: ['java', 0.45],
    w: ['printing', 0.5],
    x: ['containers', 0.6],
    y: ['firmware', 0.65],
    z: ['cockpit', 0.6],
    A: ['directory', 0.7],
    B: ['hardening', 0.5],
    C: ['mail', 0.4],
    D: ['monitoring', 0.5],
    E: ['extras', 0.7],
  },
  lines: `
openitcockpit-agent 3.6.1-1 openitcockpit-agent
NetworkManager 1:1.54.0-{2}.el9_7 NetworkManager NetworkManager-libnm NetworkManager-team NetworkManager-tui NetworkManager-bluetooth@d NetworkManager-wifi@d NetworkManager-wwan@d NetworkManager-adsl@d NetworkManager-config-server@E
ModemManager 1.20.2-1.el9 ModemManager-glib@dg ModemManager@d
PackageKit 1.2.6-1.el9 PackageKit@+packagekit PackageKit-glib@dz+packagekit PackageKit-command-not-found@d PackageKit-gtk3-module@d
acl 2.3.1-4.el9 acl libacl libacl-devel@q
adcli 0.9.2-1.el9 adcli@A
aide 0.16-105.el9 aide@B
alma-logos 90.5.1-1.1.el9 almalinux-logos
almalinux-release 9.7-1.el9 almalinux-release almalinux-repos almalinux-gpg-keys
alsa-lib 1.2.14-1.el9 alsa-lib@dg alsa-ucm@d
alsa-sof-firmware 2025.05-1.el9 alsa-sof-firmware@d alsa-sof-firmware-debug@d
alternatives 1.24-2.el9 alternatives chkconfig@E
apr 1.7.0-12.el9_3 apr@fa
apr-util 1.6.1-23.el9 apr-util@fa apr-util-bdb@fa apr-util-openssl@fa
at 3.1.23-12.el9 at@+atd
at-spi2-atk 2.38.0-4.el9 at-spi2-atk@dg
at-spi2-core 2.40.3-1.el9 at-spi2-core@dg
atk 2.36.0-5.el9 atk@dg
attr 2.5.1-3.el9 attr libattr libattr-devel@q
audit 3.1.5-7.el9 audit audit-libs
augeas 1.14.1-3.el9 augeas-libs@zE
authselect 1.2.6-3.el9 authselect authselect-libs authselect-compat@E
autoconf 2.69-41.el9 autoconf@p
autofs 1:5.1.7-60.el9 autofs@j
automake 1.16.2-8.el9 automake@p
avahi 0.8-{23}.el9_7 avahi-libs@djw avahi-glib@d avahi@d avahi-tools@d
bash 5.1.8-9.el9 bash
bash-completion 1:2.11-5.el9 bash-completion
bc 1.07.1-14.el9 bc@E
bind 32:9.16.23-{!34}.el9_7 bind-libs bind-license bind-utils bind-dnssec-utils@m python3-bind@m bind-dnssec-doc@m
binutils 2.35.2-{!67}.el9_7 binutils@cp binutils-gold@cp
bison 3.7.4-5.el9 bison@p
bluez 5.72-4.el9 bluez@d bluez-libs@d bluez-obexd@d
boost 1.75.0-10.el9 boost-regex@E boost-filesystem@E boost-system@bE boost-thread@E boost-iostreams@E boost-program-options@b
brotli 1.0.9-7.el9_5 libbrotli brotli@fa
bubblewrap 0.4.1-8.el9 bubblewrap@dg
bzip2 1.0.8-10.el9_5 bzip2 bzip2-libs bzip2-devel@q
c-ares 1.19.1-2.el9_4 c-ares
ca-certificates 2025.2.80_v9.0.305-91.el9 ca-certificates
cairo 1.17.4-7.el9 cairo@dgw cairo-gobject@dg
catatonit 0.1.7-10.el9 catatonit@cx
checkpolicy 3.6-1.el9 checkpolicy
chrony 4.6.1-2.el9 chrony
clevis 21-208.el9 clevis@nB clevis-luks@nB
cifs-utils 7.2-1.el9 cifs-utils@i
clang 20.1.8-3.el9 clang-libs@p clang-resource-filesystem@p
cloud-init 24.4-7.el9 cloud-init@E
cloud-utils 0.33-1.el9 cloud-utils-growpart@E
cmake 3.26.5-2.el9 cmake@p cmake-data@p cmake-filesystem@p cmake-rpm-macros@p
cockpit 344-{1}.el9 cockpit@z cockpit-bridge@z cockpit-system@z cockpit-ws@z cockpit-packagekit@z cockpit-storaged@z cockpit-podman@z
colord 1.4.5-4.el9 colord@d colord-libs@dg
composefs 1.0.8-1.el9 composefs-libs@cx
conmon 3:2.1.13-1.el9 conmon@cx
container-selinux 4:2.240.0-2.el9_7 container-selinux@cx
containers-common 5:1-{134}.el9_7 containers-common@cx containers-common-extra@cx
coreutils 8.32-39.el9 coreutils coreutils-common
cpio 2.13-16.el9 cpio
cracklib 2.9.6-28.el9 cracklib cracklib-dicts
criu 3.19-3.el9 criu@cx criu-libs@cx
cronie 1.5.7-14.el9_6 cronie cronie-anacron
crontabs 1.11-27.20190603git.el9_0 crontabs
crun 1.24-1.el9_7 crun@cx
crypto-policies 20250905-1.git377cc42.el9_7 crypto-policies crypto-policies-scripts
cryptsetup 2.7.2-4.el9 cryptsetup-libs cryptsetup@nB
cups 1:2.3.3op2-{!34}.el9_7 cups-libs@dgw cups@+cups cups-client@w cups-filesystem@w cups-ipptool@w
cups-filters 1.28.7-18.el9 cups-filters@w cups-filters-libs@w
curl 7.76.1-{!35}.el9_7 curl libcurl libcurl-devel@q
cyrus-sasl 2.1.27-21.el9 cyrus-sasl-lib cyrus-sasl@AC cyrus-sasl-plain@C cyrus-sasl-gssapi@A cyrus-sasl-devel@q
dbus 1:1.12.20-8.el9 dbus dbus-common dbus-libs dbus-tools dbus-daemon@d dbus-x11@d
dbus-broker 28-7.el9 dbus-broker
dbus-glib 0.110-13.el9 dbus-glib@d
dconf 0.40.0-6.el9 dconf@dg
dejavu-fonts 2.37-18.el9 dejavu-sans-fonts@dgw dejavu-sans-mono-fonts@dg dejavu-serif-fonts@g fonts-filesystem@dgw
desktop-file-utils 0.26-6.el9 desktop-file-utils@dg
device-mapper-multipath 0.8.7-{39}.el9_7 device-mapper-multipath@n device-mapper-multipath-libs@n kpartx@n
device-mapper-persistent-data 1.1.0-1.el9 device-mapper-persistent-data
dhcp 12:4.4.2-19.b1.el9 dhcp-client@m dhcp-common@m
diffutils 3.7-12.el9 diffutils
dmidecode 1:3.6-1.el9 dmidecode
dnf 4.14.0-31.el9.alma.1 dnf dnf-data python3-dnf yum dnf-automatic@B
dnf-plugins-core 4.3.0-24.el9_7 dnf-plugins-core python3-dnf-plugins-core yum-utils@E
dnsmasq 2.85-17.el9_6 dnsmasq@o
dosfstools 4.2-3.el9 dosfstools@n
dracut 057-102.git20250818.el9 dracut dracut-config-rescue dracut-network dracut-squash
dwz 0.14-3.el9 dwz@p
dyninst 12.1.0-2.el9 dyninst@p
e2fsprogs 1.46.5-8.el9 e2fsprogs e2fsprogs-libs libcom_err libss libcom_err-devel@q e2fsprogs-devel@q
ed 1.14.2-12.el9 ed@E
efi-filesystem 6-4.el9 efi-filesystem
efibootmgr 16-12.el9 efibootmgr
efivar 38-3.el9 efivar-libs
elfutils 0.193-1.el9 elfutils-debuginfod-client elfutils-default-yama-scope elfutils-libelf elfutils-libs elfutils@cp elfutils-debuginfod-client-devel@p elfutils-devel@p elfutils-libelf-devel@cp
emacs 1:27.2-{!18}.el9_7 emacs-filesystem emacs-common@l emacs-nox@l
environment-modules 5.3.0-1.el9 environment-modules@p
epel-release 9-10.el9 epel-release@E
ethtool 2:6.15-2.el9 ethtool
evolution-data-server 3.40.4-10.el9 evolution-data-server@d evolution-data-server-langpacks@d
exempi 2.6.0-0.2.20211007gite23c213.el9 exempi@d
exiv2 0.27.5-2.el9 exiv2-libs@d
expat 2.5.0-{!5}.el9_7 expat expat-devel@q
fail2ban 1.1.0-6.el9 fail2ban@+fail2ban fail2ban-server@+fail2ban fail2ban-firewalld@B fail2ban-sendmail@B fail2ban-selinux@B
fdk-aac-free 2.0.0-8.el9 fdk-aac-free@d
file 5.39-16.el9 file file-libs python3-file-magic@E
filesystem 3.16-5.el9 filesystem
findutils 1:4.8.0-7.el9 findutils
firefox 140.{!7/28}.0-1.el9_7 firefox@d
firewalld 1.3.4-15.el9_7 firewalld firewalld-filesystem python3-firewall
flac 1.3.3-10.el9_2.1 flac-libs@dg
flashrom 1.2-10.el9 flashrom
flatpak 1.12.9-{!4}.el9_7 flatpak@d flatpak-libs@d flatpak-selinux@d flatpak-session-helper@d
flex 2.6.4-9.el9 flex@p
fontconfig 2.14.0-2.el9_1 fontconfig@dgwv
freetype 2.10.4-{!11}.el9_7 freetype
fribidi 1.0.10-6.el9.2 fribidi@dg
fstrm 0.6.1-3.el9 fstrm
fuse 2.9.9-17.el9 fuse@dj fuse-libs fuse-common
fuse-overlayfs 1.15-1.el9 fuse-overlayfs@cx
fuse3 3.10.2-9.el9 fuse3@cx fuse3-libs@cx
fwupd 1.9.31-1.el9.alma.1 fwupd fwupd-plugin-flashrom
galera 26.4.22-1.el9_5 galera@b
gawk 5.1.0-6.el9 gawk gawk-all-langpacks
gcc 11.5.0-{11}.el9.alma.1 libgcc libgomp libstdc++ gcc@cp gcc-c++@cp cpp@cp libstdc++-devel@cp gcc-plugin-annobin@cp libquadmath@p libgfortran@p gcc-gfortran@E libquadmath-devel@E
gcc-toolset 14.2.1-{12}.el9 gcc-toolset-14-gcc@E gcc-toolset-14-runtime@E gcc-toolset-14-binutils@E
annobin 12.98-1.el9 annobin@cp
gcr 3.40.0-3.el9 gcr@d gcr-base@d
gdb 16.3-2.el9 gdb@p gdb-headless@p gdb-gdbserver@p
gdbm 1:1.23-1.el9 gdbm-libs gdbm@p
gdisk 1.0.7-5.el9 gdisk@n
gdk-pixbuf2 2.42.6-{!6}.el9_7 gdk-pixbuf2@dg gdk-pixbuf2-modules@dg
gdm 1:40.1-34.el9 gdm@d
geoclue2 2.6.0-8.el9_6 geoclue2@d geoclue2-libs@d
gettext 0.21-8.el9 gettext gettext-libs gettext-common-devel@p gettext-devel@p
ghostscript 9.54.0-{!20}.el9_7 ghostscript@w libgs@w ghostscript-tools-fonts@w ghostscript-tools-printing@w
giflib 5.2.1-9.el9 giflib@dg
git 2.47.3-1.el9_6 git@cp git-core@cp git-core-doc@cp perl-Git@cp git-lfs@E
gjs 1.68.6-4.el9 gjs@d
glib-networking 2.68.3-3.el9 glib-networking@dz
glib2 2.68.4-{!18}.el9_7 glib2 glib2-devel@q
glibc 2.34-{!231/40}.el9_7 glibc glibc-common glibc-langpack-en glibc-gconv-extra glibc-devel@cpq glibc-headers@cpq glibc-all-langpacks@h glibc-minimal-langpack@E glibc-langpack-de@h glibc-langpack-fr@h glibc-langpack-es@h glibc-langpack-it@h glibc-langpack-pl@h glibc-langpack-pt@h glibc-langpack-cs@h glibc-langpack-nl@h glibc-langpack-sv@h glibc-langpack-da@h glibc-langpack-fi@h glibc-langpack-nb@h glibc-langpack-hu@h glibc-langpack-ro@h glibc-langpack-tr@h glibc-langpack-uk@h glibc-langpack-el@h glibc-langpack-ja@h glibc-langpack-ko@h glibc-langpack-zh@h
langpacks 3.0-16.el9 langpacks-core-de@h langpacks-core-en@h langpacks-core-font-en@h langpacks-de@h langpacks-en@h langpacks-fr@h langpacks-core-fr@h
gmp 1:6.2.0-13.el9 gmp gmp-c++@q gmp-devel@q
gnome-bluetooth 3.34.5-3.el9 gnome-bluetooth@d gnome-bluetooth-libs@d
gnome-control-center 40.0-31.el9 gnome-control-center@d gnome-control-center-filesystem@d
gnome-desktop3 40.4-1.el9 gnome-desktop3@d
gnome-keyring 40.0-3.el9 gnome-keyring@d gnome-keyring-pam@d
gnome-online-accounts 3.40.1-2.el9 gnome-online-accounts@d
gnome-session 40.1.1-11.el9 gnome-session@d gnome-session-wayland-session@d gnome-session-xsession@d
gnome-settings-daemon 40.0.1-17.el9 gnome-settings-daemon@d
gnome-shell 40.10-29.el9 gnome-shell@d
gnome-shell-extensions 40.7-28.el9 gnome-shell-extension-background-logo@d gnome-shell-extension-common@d gnome-shell-extension-apps-menu@d gnome-classic-session@d
gnome-terminal 3.40.3-3.el9 gnome-terminal@d gnome-terminal-nautilus@d
gnome-apps 40.0-3.el9 gnome-calculator@d gnome-system-monitor@d gnome-disk-utility@d gnome-logs@d gnome-screenshot@d gnome-software@d gnome-tour@d gnome-user-docs@d gnome-color-manager@d gnome-characters@d gnome-font-viewer@d
gnupg2 2.3.3-{!5}.el9_7 gnupg2
gnutls 3.8.3-{!9}.el9_7 gnutls gnutls-dane@o gnutls-utils@o
gobject-introspection 1.68.0-11.el9 gobject-introspection
gpgme 1.15.1-6.el9 gpgme python3-gpg
gpm 1.20.7-29.el9 gpm-libs
graphite2 1.3.14-9.el9 graphite2
grep 3.6-5.el9 grep
groff 1.22.4-10.el9 groff-base
grub2 1:2.06-{!114}.el9_7.alma.1 grub2-common grub2-efi-x64 grub2-pc grub2-pc-modules grub2-tools grub2-tools-minimal grub2-tools-efi@E grub2-tools-extra@E
grubby 8.40-69.el9 grubby
gsettings-desktop-schemas 40.0-8.el9 gsettings-desktop-schemas@dz
gsm 1.0.19-6.el9 gsm@d
gssproxy 0.8.4-7.el9 gssproxy@+gssproxy
gstreamer1 1.22.12-3.el9 gstreamer1@d
gstreamer1-plugins-base 1.22.12-4.el9 gstreamer1-plugins-base@d gstreamer1-plugins-bad-free@d gstreamer1-plugins-good@d gstreamer1-plugins-good-gtk@d
gtk2 2.24.33-8.el9 gtk2@g
gtk3 3.24.31-8.el9 gtk3@dg gtk-update-icon-cache@dg
gtk4 4.12.3-3.el9 gtk4@d
gvfs 1.48.1-4.el9 gvfs@d gvfs-client@d gvfs-fuse@d gvfs-goa@d gvfs-gphoto2@d gvfs-mtp@d gvfs-smb@d
gzip 1.12-1.el9 gzip
haproxy 2.8.14-1.el9_7.1 haproxy@E
harfbuzz 2.7.4-10.el9 harfbuzz harfbuzz-icu@dg
hdparm 9.62-2.el9 hdparm@n
hicolor-icon-theme 0.17-13.el9 hicolor-icon-theme@dg
hostname 3.23-6.el9 hostname
hplip 3.21.2-6.el9 hplip-common@w hplip-libs@w
httpd 2.4.62-{!7}.el9_7.3 httpd@f httpd-core@f httpd-filesystem@fae httpd-tools@f mod_lua@f mod_http2@f mod_ssl@f mod_session@f almalinux-logos-httpd@fa
hunspell 1.7.0-11.el9 hunspell@dh hunspell-filesystem@dh hunspell-en@dh hunspell-en-GB@dh hunspell-en-US@dh hunspell-de@h
hwdata 0.348-9.20.el9 hwdata
hyphen 2.8.8-17.el9 hyphen@d
ibus 1.5.25-6.el9 ibus@d ibus-libs@d ibus-gtk3@d ibus-setup@d
icu 67.1-10.el9_6 libicu libicu-devel@q
ima-evm-utils 1.6.2-2.el9 ima-evm-utils
inih 49-6.el9 inih
initscripts 10.11.8-4.el9 initscripts-rename-device initscripts-service initscripts@E
intel-media 21.1.2-3.el9 libva@d libvdpau@d
ipcalc 1.0.0-5.el9 ipcalc
iperf3 3.9-14.el9 iperf3@m
iproute 6.14.0-2.el9 iproute iproute-tc@mx
iptables 1.8.10-11.el9_5 iptables-libs iptables-nft iptables-nft-services@E
iputils 20210202-15.el9_7 iputils
ipset 7.11-11.el9_5 ipset ipset-libs
irqbalance 2:1.9.4-4.el9 irqbalance@+irqbalance
iscsi-initiator-utils 6.2.1.11-0.git4b3e853.el9 iscsi-initiator-utils@n iscsi-initiator-utils-iscsiuio@n isns-utils-libs@n
iso-codes 4.6.0-3.el9 iso-codes@d
ivtv-firmware 20080701-39.el9 ivtv-firmware@y
iw 5.19-1.el9 iw@dy
jansson 2.14-1.el9 jansson
java-17-openjdk 1:17.0.{!17/91}.0.10-1.el9 java-17-openjdk-headless@v java-17-openjdk@v java-17-openjdk-devel@v
java-21-openjdk 1:21.0.{!9/91}.0.10-1.el9 java-21-openjdk-headless@av java-21-openjdk@v java-21-openjdk-devel@v
javapackages-tools 6.0.0-4.el9 javapackages-filesystem@av javapackages-tools@v
jbig2dec 0.19-7.el9 jbig2dec-libs@w
jbigkit 2.1-23.el9 jbigkit-libs@dgw
jitterentropy 3.6.0-1.el9 jitterentropy
jomolhari-fonts 0.003-32.el9 jomolhari-fonts@d
jq 1.6-{!19}.el9_7 jq@l
json-c 0.14-11.el9 json-c
json-glib 1.6.6-1.el9 json-glib
kbd 2.4.0-11.el9 kbd kbd-misc kbd-legacy
kernel-headers 5.14.0-611.{!16/31}.1.el9_7 kernel-headers@cpq kernel-tools kernel-tools-libs kernel-srpm-macros@p bpftool@E python3-perf@E perf@E
kexec-tools 2.0.29-10.el9 kexec-tools
keyutils 1.6.3-1.el9 keyutils@j keyutils-libs keyutils-libs-devel@q
kmod 28-11.el9 kmod kmod-libs
kpatch 0.9.7-4.el9 kpatch kpatch-dnf
krb5 1.21.1-{!8}.el9_6 krb5-libs krb5-workstation@A krb5-devel@q libkadm5@Aq
ksh 3:1.0.6-7.el9 ksh@l
lame 3.100-12.el9 lame-libs@d
lcms2 2.12-3.el9 lcms2@dgvw
ldb 2.7.2-2.el9 libldb@Ai
less 590-{!6}.el9_7 less
libaio 0.3.111-13.el9 libaio
libappstream-glib 0.7.18-5.el9 libappstream-glib@dz
libarchive 3.5.3-{!6}.el9_7 libarchive
libasyncns 0.8-22.el9 libasyncns@dg
libassuan 2.5.5-3.el9 libassuan
libatasmart 0.19-22.el9 libatasmart@nz
libbasicobjects 0.1.1-53.el9 libbasicobjects
libblockdev 2.28-14.el9_6 libblockdev@nz libblockdev-crypto@nz libblockdev-fs@nz libblockdev-loop@nz libblockdev-mdraid@nz libblockdev-part@nz libblockdev-swap@nz libblockdev-utils@nz libblockdev-lvm@nz
libbpf 2:1.5.0-2.el9 libbpf
libbytesize 2.5-3.el9 libbytesize@nz
libcanberra 0.30-27.el9 libcanberra@d libcanberra-gtk3@d
libcap 2.48-10.el9 libcap libcap-devel@q
libcap-ng 0.8.2-7.el9 libcap-ng libcap-ng-python3@B
libcbor 0.7.0-5.el9 libcbor
libcollection 0.7.0-53.el9 libcollection
libdaemon 0.14-23.el9 libdaemon
libdatrie 0.2.13-4.el9 libdatrie@dg
libdb 5.3.28-57.el9_6 libdb libdb-utils@p
libdhash 0.5.0-53.el9 libdhash
libdnf 0.69.0-16.el9.alma.1 libdnf python3-hawkey python3-libdnf
libdrm 2.4.123-2.el9 libdrm@dgo
libeconf 0.4.1-4.el9 libeconf
libedit 3.1-38.20210216cvs.el9 libedit
libepoxy 1.5.5-4.el9 libepoxy@dgo
libestr 0.1.11-4.el9 libestr
libev 4.33-6.el9 libev@C
libevdev 1.11.0-3.el9 libevdev@d
libevent 2.1.12-8.el9_4 libevent@Ajm
libexif 0.6.22-6.el9 libexif@d
libfastjson 0.99.9-5.el9 libfastjson
libfdisk 2.37.4-21.el9_7 libfdisk libblkid libmount libsmartcols libuuid util-linux util-linux-core util-linux-user@l libblkid-devel@q libmount-devel@q libuuid-devel@q python3-libmount@E
libffi 3.4.2-8.el9 libffi libffi-devel@q
libfido2 1.13.0-2.el9 libfido2
libfontenc 1.1.3-17.el9 libfontenc@dg
libgcrypt 1.10.0-11.el9 libgcrypt libgcrypt-devel@q
libglvnd 1:1.3.4-1.el9 libglvnd@dgo libglvnd-egl@dg libglvnd-glx@dg libglvnd-gles@d
libgpg-error 1.42-5.el9 libgpg-error libgpg-error-devel@q
libgudev 237-1.el9 libgudev
libgusb 0.3.8-2.el9 libgusb
libical 3.0.14-1.el9 libical@dE
libICE 1.0.10-8.el9 libICE@dg
libSM 1.2.3-10.el9 libSM@dg
libX11 1.7.0-{!11}.el9 libX11@dgv libX11-common@dgv libX11-xcb@dg libX11-devel@E
libXau 1.0.9-8.el9 libXau@dgv libXau-devel@E
libXcomposite 0.4.5-7.el9 libXcomposite@dgv
libXcursor 1.2.0-7.el9 libXcursor@dg
libXdamage 1.1.5-7.el9 libXdamage@dg
libXdmcp 1.1.3-8.el9 libXdmcp@d
libXext 1.3.4-8.el9 libXext@dgv
libXfixes 5.0.3-16.el9 libXfixes@dg
libXfont2 2.0.3-12.el9 libXfont2@d
libXft 2.3.3-8.el9 libXft@dg
libXi 1.7.10-8.el9 libXi@dgv
libXinerama 1.1.4-10.el9 libXinerama@dg
libXmu 1.1.3-8.el9 libXmu@dg
libXpm 3.5.13-10.el9 libXpm@gaf
libXrandr 1.5.2-8.el9 libXrandr@dg
libXrender 0.9.10-16.el9 libXrender@dgv
libXt 1.2.0-6.el9 libXt@dg
libXtst 1.2.3-16.el9 libXtst@dgv
libXv 1.0.11-16.el9 libXv@d
libXxf86vm 1.1.4-18.el9 libXxf86vm@dg
libini_config 1.3.1-53.el9 libini_config
libinput 1.19.3-5.el9 libinput@d
libjcat 0.1.6-3.el9 libjcat
libjpeg-turbo 2.0.90-7.el9 libjpeg-turbo@dgvwae libjpeg-turbo-devel@q
libkcapi 1.4.0-2.el9 libkcapi libkcapi-hmaccalc
libksba 1.5.1-7.el9 libksba
libldac 2.0.2.3-10.el9 libldac@d
liblouis 3.16.1-5.el9 liblouis@d python3-louis@d
libmaxminddb 1.5.2-4.el9 libmaxminddb
libmbim 1.32.0-1.el9 libmbim@dy libmbim-utils@d
libmng 2.0.3-18.el9 libmng@g
libmnl 1.0.4-16.el9_4 libmnl
libmodulemd 2.13.0-2.el9 libmodulemd
libmpc 1.2.1-4.el9 libmpc@cp
libnbd 1.20.3-4.el9 libnbd@o
libndp 1.9-1.el9 libndp
libnet 1.2-7.el9 libnet@cx
libnetfilter_conntrack 1.0.9-1.el9 libnetfilter_conntrack
libnfnetlink 1.0.1-23.el9_5 libnfnetlink
libnfsidmap 1:2.5.4-38.el9_7 libnfsidmap nfs-utils@+nfs-idmapd nfs-utils-coreos@E
libnftnl 1.2.6-4.el9_4 libnftnl
libnghttp2 1.43.0-6.el9 libnghttp2
libnl3 3.11.0-1.el9 libnl3 libnl3-cli@E
libnotify 0.7.9-8.el9 libnotify@dg
libogg 1.3.4-6.el9 libogg@dg
libpath_utils 0.2.1-53.el9 libpath_utils
libpcap 14:1.10.0-4.el9 libpcap
libpciaccess 0.16-7.el9 libpciaccess@dgo
libpipeline 1.5.3-4.el9 libpipeline
libpng 2:1.6.37-{!12}.el9 libpng libpng-devel@q
libpsl 0.21.1-5.el9 libpsl
libpwquality 1.4.4-8.el9 libpwquality python3-pwquality@E
libqmi 1.36.0-1.el9 libqmi@dy libqmi-utils@d
libqrtr-glib 1.2.2-1.el9 libqrtr-glib@dy
libref_array 0.1.5-53.el9 libref_array
librelp 1.10.0-4.el9 librelp@E
librepo 1.14.5-3.el9 librepo
libreport 2.15.2-6.el9.alma libreport-filesystem
librhsm 0.0.3-9.el9 librhsm
librsvg2 2.50.7-3.el9 librsvg2@dg
libseccomp 2.5.2-2.el9 libseccomp
libselinux 3.6-3.el9 libselinux libselinux-utils python3-libselinux libselinux-devel@q
libsemanage 3.6-5.el9_6 libsemanage python3-libsemanage
libsepol 3.6-3.el9 libsepol libsepol-devel@q
libsigsegv 2.13-4.el9 libsigsegv
libslirp 4.4.0-8.el9 libslirp@cxo
libsmbios 2.4.3-4.el9 libsmbios
libsndfile 1.0.31-9.el9 libsndfile@dg
libsolv 0.7.24-3.el9 libsolv
libsoup 2.72.0-{!12}.el9_7 libsoup@dz
libssh 0.10.4-{!17}.el9_7 libssh libssh-config
libstemmer 0-18.585svn.el9 libstemmer@dz
libsysfs 2.1.1-11.el9 libsysfs
libtalloc 2.4.2-1.el9 libtalloc@Ai python3-talloc@i
libtasn1 4.16.0-9.el9 libtasn1
libtdb 1.4.10-1.el9 libtdb@Aid
libteam 1.31-16.el9_1 libteam teamd
libtevent 0.16.1-1.el9 libtevent@Ai python3-tevent@i
libthai 0.1.28-8.el9 libthai@dg
libtiff 4.4.0-{!15}.el9_7 libtiff@dgwae
libtirpc 1.3.3-9.el9 libtirpc
libtool 2.4.6-46.el9 libtool@p libtool-ltdl
libunistring 0.9.10-15.el9 libunistring
liburing 2.5-1.el9 liburing@o
libusbx 1.0.26-1.el9 libusbx
libuser 0.63-17.el9 libuser
libutempter 1.2.1-6.el9 libutempter
libuv 1:1.42.0-2.el9_4 libuv
libverto 0.3.2-3.el9 libverto libverto-libev@C libverto-devel@q
libvirt 11.5.0-{4}.el9_7.alma.1 libvirt-libs@o+virtqemud libvirt-client@o+virtqemud libvirt-daemon@o+virtqemud libvirt-daemon-common@o+virtqemud libvirt-daemon-driver-interface@o libvirt-daemon-driver-network@o+virtqemud libvirt-daemon-driver-nodedev@o libvirt-daemon-driver-nwfilter@o libvirt-daemon-driver-qemu@o+virtqemud libvirt-daemon-driver-secret@o libvirt-daemon-driver-storage@o libvirt-daemon-driver-storage-core@o+virtqemud libvirt-daemon-log@o+virtqemud libvirt-daemon-lock@o+virtqemud libvirt-daemon-kvm@o+virtqemud libvirt-daemon-plugin-lockd@o
libvorbis 1:1.3.7-5.el9 libvorbis@dg
libvpx 1.9.0-9.el9 libvpx@d
libwacom 1.12.1-3.el9_4 libwacom@d libwacom-data@d
libwebp 1.2.0-8.el9_3 libwebp@dgae
libwpe 1.10.0-4.el9 libwpe@d
libxcb 1.13.1-9.el9 libxcb@dgv
libxcrypt 4.4.18-3.el9 libxcrypt libxcrypt-devel@cpq libxcrypt-compat@E
libxkbcommon 1.0.3-4.el9 libxkbcommon@dgo libxkbcommon-x11@d
libxkbfile 1.1.0-8.el9 libxkbfile@d
libxml2 2.9.13-{!14}.el9_7 libxml2 python3-libxml2@r libxml2-devel@q
libxmlb 0.3.10-1.el9 libxmlb
libxshmfence 1.3-10.el9 libxshmfence@dg
libxslt 1.1.34-{!13}.el9_6 libxslt libxslt-devel@q
libyaml 0.2.5-7.el9 libyaml
libzip 1.7.3-8.el9 libzip@ae
linux-firmware 20251111-{157}.el9_7 linux-firmware linux-firmware-whence iwl100-firmware@y iwl1000-firmware@y iwl105-firmware@y iwl135-firmware@y iwl2000-firmware@y iwl2030-firmware@y iwl3160-firmware@y iwl5000-firmware@y iwl5150-firmware@y iwl6000g2a-firmware@y iwl6050-firmware@y iwl7260-firmware@y netronome-firmware@y libertas-sd8787-firmware@y
lksctp-tools 1.0.19-3.el9_4 lksctp-tools@v
llvm 20.1.8-3.el9 llvm-libs@dgp llvm-filesystem@dgp
lm_sensors 3.6.0-10.el9 lm_sensors-libs lm_sensors@kD
lmdb 0.9.29-3.el9 lmdb-libs
logrotate 3.18.0-12.el9 logrotate
lshw B.02.20-1.el9 lshw lshw-B.02@E
lsof 4.94.0-3.el9 lsof
lsscsi 0.32-6.el9 lsscsi
lua 5.4.4-4.el9 lua-libs lua@e
lvm2 9:2.03.32-2.el9 device-mapper device-mapper-event device-mapper-event-libs device-mapper-libs lvm2 lvm2-libs
lz4 1.9.3-5.el9 lz4-libs lz4@l
lzo 2.10-7.el9 lzo
m4 1.4.19-1.el9 m4@pC
mailcap 2.1.49-5.el9 mailcap
mailx 14.9.22-6.el9 s-nail@C
make 1:4.3-8.el9 make@cp
man-db 2.9.3-9.el9 man-db
man-pages 6.04-9.el9 man-pages@p
mariadb 3:10.5.29-{!3}.el9_7 mariadb-server@E mariadb@E mariadb-common@E mariadb-errmsg@E mariadb-backup@E
mariadb-connector-c 3.2.6-1.el9_0 mariadb-connector-c@bae mariadb-connector-c-config@bae mariadb-connector-c-devel@q
maven 3.6.3-22.el9 maven@v maven-lib@v
mdadm 4.4-3.el9 mdadm@nz
memcached 1.6.9-7.el9 memcached@E
memstrack 0.2.5-2.el9 memstrack
mesa 25.0.7-{3}.el9_7.alma.1 mesa-dri-drivers@dg mesa-filesystem@dg mesa-libEGL@dg mesa-libGL@dg mesa-libgbm@dgo mesa-vulkan-drivers@d mesa-libglapi@dg
microcode_ctl 4:20250812-{1}.el9 microcode_ctl
mokutil 2:0.7.2-1.el9 mokutil
monitoring-plugins 2.3.5-2.el9 nagios-plugins@D nagios-plugins-disk@D nagios-plugins-load@D nagios-plugins-procs@D nagios-plugins-ping@D nagios-plugins-http@D nagios-plugins-ssh@D nagios-common@D nrpe@D
mozjs78 78.15.0-6.el9 mozjs78@d
mpdecimal 2.5.1-3.el9 mpdecimal
mpfr 4.1.0-7.el9 mpfr
mtools 4.0.26-4.el9_0 mtools@n
mtr 2:0.94-5.el9 mtr@m
mutter 40.9-28.el9 mutter@d
mysql 8.0.{!44/91}-1.el9_7 mysql-server@b mysql@b mysql-common@b mysql-errmsg@b mysql-libs@E
mecab 0.996-3.el9.4 mecab@b
nano 5.6.1-7.el9 nano
nautilus 40.2-17.el9 nautilus@d nautilus-extensions@d
ncurses 6.2-12.20210508.el9 ncurses ncurses-base ncurses-libs ncurses-devel@q ncurses-c++-libs@q
net-snmp 1:5.9.1-{!17}.el9_7 net-snmp@+snmpd net-snmp-libs@kDw+snmpd net-snmp-utils@kD net-snmp-agent-libs@k+snmpd
net-tools 2.0-0.64.20160912git.el9 net-tools@m
nettle 3.10.1-1.el9 nettle
newt 0.52.21-11.el9 newt python3-newt@E
nftables 1:1.0.9-5.el9 nftables python3-nftables
nginx 2:1.20.1-{!24}.el9_7.1.alma.1 nginx@a nginx-core@a nginx-filesystem@ae nginx-mod-stream@E
nmap 3:7.92-5.el9 nmap@m nmap-ncat@mo
nodejs 1:22.{!19/60}.0-2.module_el9.7.0+195 nodejs@u npm@u nodejs-docs@u nodejs-full-i18n@u nodejs-libs@u
npth 1.6-8.el9 npth
nspr 4.36.0-4.el9_4 nspr
nss 3.112.0-{!4/90}.el9_4 nss nss-softokn nss-softokn-freebl nss-sysinit nss-util nss-tools@A
numactl 2.0.19-3.el9 numactl-libs numactl@E
nvme-cli 2.13-1.el9 nvme-cli@n
libnvme 1.13-1.el9 libnvme@n
oddjob 0.34.7-7.el9 oddjob@A oddjob-mkhomedir@A
oniguruma 6.9.6-1.el9.6 oniguruma@lae
open-vm-tools 12.5.0-{!1}.el9_7.2 open-vm-tools@E
openblas 0.3.26-2.el9 openblas@r openblas-openmp@r openblas-srpm-macros@p
openjpeg2 2.4.0-8.el9 openjpeg2@dw
openldap 2.6.8-4.el9 openldap openldap-clients@A openldap-compat openldap-devel@q
openscap 1:1.3.12-1.el9 openscap@B openscap-scanner@B scap-security-guide@B
openssh 8.7p1-{!47}.el9_7.alma.1 openssh openssh-clients openssh-server
openssl 1:3.5.1-{!4/70}.el9_7 openssl openssl-libs openssl-devel@q
openssl-fips-provider 3.0.7-8.el9 openssl-fips-provider openssl-fips-provider-so
openvpn 2.5.11-1.el9 openvpn@m pkcs11-helper@m
opus 1.3.1-10.el9 opus@d
os-prober 1.77-12.el9_5 os-prober
osinfo-db 20250606-1.el9.alma.1 osinfo-db@oz osinfo-db-tools@oz libosinfo@o
ostree 2025.4-1.el9 ostree-libs@d
p11-kit 0.25.3-3.el9_5 p11-kit p11-kit-trust p11-kit-server@d
pam 1.5.1-{!26}.el9_6 pam pam-devel@q
pango 1.48.7-3.el9 pango@dg
parted 3.5-3.el9 parted
passt 0^20250512.g8ec1341-2.el9 passt@cx passt-selinux@cx
passwd 0.80-12.el9 passwd
patch 2.7.6-16.el9 patch@cp
pciutils 3.7.0-7.el9 pciutils pciutils-libs
pcre 8.44-4.el9 pcre pcre-devel@q pcre-cpp@q pcre-utf16@q pcre-utf32@q
pcre2 10.40-6.el9 pcre2 pcre2-syntax pcre2-devel@q pcre2-utf16@q pcre2-utf32@q
pcsc-lite 1.9.4-1.el9 pcsc-lite-libs@AoB
perl 4:5.32.1-481.1.el9_6 perl-libs@cpsC perl-interpreter@cpsC perl-AutoLoader@cpsC perl-B@cpsC perl-Class-Struct@cpsC perl-DynaLoader@s perl-Errno@cpsC perl-Fcntl@cpsC perl-File-Basename@cpsC perl-File-Find@cpsC perl-File-stat@cpsC perl-FileHandle@s perl-Getopt-Std@cpsC perl-IO@cpsC perl-IPC-Open3@cpsC perl-NDBM_File@cpsC perl-POSIX@cpsC perl-SelectSaver@cpsC perl-Symbol@cpsC perl-base@cpsC perl-if@cpsC perl-interpreter-doc@E perl-lib@cpsC perl-mro@cpsC perl-overload@cpsC perl-overloading@cpsC perl-subs@cpsC perl-vars@cpsC perl-macros@s perl-doc@s perl-utils@s perl-devel@s perl-ph@s perl-debugger@s perl-deprecate@s perl-diagnostics@s perl-encoding-warnings@s perl-fields@s perl-filetest@s perl-less@s perl-libnetcfg@s perl-locale@s perl-meta-notation@s perl-open@s perl-perlfaq@s perl-sigtrap@s perl-sort@s perl-vmsish@s perl-Attribute-Handlers@s perl-AutoSplit@s perl-Benchmark@s perl-DBM_Filter@s perl-Devel-Peek@s perl-Devel-SelfStubber@s perl-DirHandle@s perl-Dumpvalue@s perl-English@s perl-ExtUtils-Constant@s perl-ExtUtils-Embed@s perl-ExtUtils-Miniperl@s perl-File-Compare@s perl-File-Copy@s perl-File-DosGlob@s perl-FindBin@s perl-GDBM_File@s perl-Hash-Util@s perl-Hash-Util-FieldHash@s perl-I18N-Collate@s perl-I18N-LangTags@s perl-I18N-Langinfo@s perl-IPC-SysV@s perl-Locale-Maketext-Simple@s perl-Memoize@s perl-Module-Loaded@s perl-NEXT@s perl-Net@s perl-ODBM_File@s perl-Opcode@s perl-Pod-Functions@s perl-Pod-Html@s perl-Safe@s perl-Search-Dict@s perl-SelfLoader@s perl-Sys-Hostname@s perl-Term-Complete@s perl-Term-ReadLine@s perl-Test@s perl-Text-Abbrev@s perl-Thread@s perl-Thread-Semaphore@s perl-Tie@s perl-Tie-File@s perl-Tie-Memoize@s perl-Time@s perl-Time-Piece@s perl-Unicode-UCD@s perl-User-pwent@s perl-autouse@s perl-blib@s
perl-Carp 1.50-460.el9 perl-Carp@cpsC
perl-Archive-Tar 2.38-6.el9 perl-Archive-Tar@s
perl-CPAN 2.29-5.el9_6 perl-CPAN@s
perl-CPAN-Meta 2.150010-460.el9 perl-CPAN-Meta@s
perl-CPAN-Meta-YAML 0.018-461.el9 perl-CPAN-Meta-YAML@s
perl-Compress-Raw-Zlib 2.101-5.el9 perl-Compress-Raw-Zlib@s
perl-Compress-Raw-Bzip2 2.101-5.el9 perl-Compress-Raw-Bzip2@s
perl-Config-Perl-V 0.33-4.el9 perl-Config-Perl-V@s
perl-DB_File 1.855-4.el9 perl-DB_File@s
perl-DBD-MySQL 4.050-13.el9 perl-DBD-MySQL@b
perl-DBI 1.643-9.el9 perl-DBI@b
perl-Data-Dumper 2.174-462.el9 perl-Data-Dumper@cpsC
perl-Devel-PPPort 3.62-4.el9 perl-Devel-PPPort@s
perl-Digest 1.19-4.el9 perl-Digest@cpsC
perl-Digest-MD5 2.58-4.el9 perl-Digest-MD5@cpsC
perl-Digest-SHA 1:6.02-461.el9 perl-Digest-SHA@s
perl-Encode 4:3.08-462.el9 perl-Encode@cpsC perl-Encode-devel@s
perl-Env 1.04-460.el9 perl-Env@s
perl-Error 1:0.17029-7.el9 perl-Error@cp
perl-Exporter 5.74-461.el9 perl-Exporter@cpsC
perl-ExtUtils-CBuilder 1:0.280236-4.el9 perl-ExtUtils-CBuilder@s
perl-ExtUtils-Command 2:7.60-3.el9 perl-ExtUtils-Command@s
perl-ExtUtils-Install 2.20-4.el9 perl-ExtUtils-Install@s
perl-ExtUtils-MakeMaker 2:7.60-3.el9 perl-ExtUtils-MakeMaker@s perl-ExtUtils-MM-Utils@s
perl-ExtUtils-Manifest 1:1.73-4.el9 perl-ExtUtils-Manifest@s
perl-ExtUtils-ParseXS 1:3.40-460.el9 perl-ExtUtils-ParseXS@s
perl-File-Path 2.18-4.el9 perl-File-Path@cpsC
perl-File-Temp 1:0.231.100-4.el9 perl-File-Temp@cpsC
perl-Filter 2:1.60-4.el9 perl-Filter@s
perl-Getopt-Long 1:2.52-4.el9 perl-Getopt-Long@cpsC
perl-HTTP-Tiny 0.076-462.el9 perl-HTTP-Tiny@cpsC
perl-IO-Compress 2.102-4.el9 perl-IO-Compress@s
perl-IO-Socket-IP 0.41-5.el9 perl-IO-Socket-IP@cpsC
perl-IO-Socket-SSL 2.073-2.el9 perl-IO-Socket-SSL@cpsC
perl-JSON-PP 1:4.06-4.el9 perl-JSON-PP@s
perl-MIME-Base64 3.16-4.el9 perl-MIME-Base64@cpsC
perl-Math-BigInt 1:1.9998.18-460.el9 perl-Math-BigInt@s
perl-Module-CoreList 1:5.20240609-1.el9 perl-Module-CoreList@s perl-Module-CoreList-tools@s
perl-Module-Load 1:0.36-4.el9 perl-Module-Load@s perl-Module-Load-Conditional@s
perl-Module-Metadata 1.000037-460.el9 perl-Module-Metadata@s
perl-Mozilla-CA 20200520-6.el9 perl-Mozilla-CA@cpsC
perl-Net-SSLeay 1.94-3.el9 perl-Net-SSLeay@cpsC
perl-Params-Check 1:0.38-461.el9 perl-Params-Check@s
perl-PathTools 3.78-461.el9 perl-PathTools@cpsC
perl-PerlIO-via-QuotedPrint 0.09-4.el9 perl-PerlIO-via-QuotedPrint@s
perl-Perl-OSType 1.010-461.el9 perl-Perl-OSType@s
perl-Pod-Checker 4:1.74-4.el9 perl-Pod-Checker@s
perl-Pod-Escapes 1:1.07-460.el9 perl-Pod-Escapes@cpsC
perl-Pod-Perldoc 3.28.01-461.el9 perl-Pod-Perldoc@cpsC
perl-Pod-Simple 1:3.42-4.el9 perl-Pod-Simple@cpsC
perl-Pod-Usage 4:2.01-4.el9 perl-Pod-Usage@cpsC
perl-Scalar-List-Utils 4:1.56-462.el9 perl-Scalar-List-Utils@cpsC
perl-Socket 4:2.031-4.el9 perl-Socket@cpsC
perl-Storable 1:3.21-460.el9 perl-Storable@cpsC
perl-Sys-Syslog 0.36-461.el9 perl-Sys-Syslog@s
perl-Term-ANSIColor 5.01-461.el9 perl-Term-ANSIColor@cpsC
perl-Term-Cap 1.17-460.el9 perl-Term-Cap@cpsC
perl-TermReadKey 2.38-11.el9 perl-TermReadKey@cp
perl-Test-Harness 1:3.42-461.el9 perl-Test-Harness@s
perl-Test-Simple 3:1.302183-4.el9 perl-Test-Simple@s
perl-Text-Balanced 2.04-4.el9 perl-Text-Balanced@s
perl-Text-ParseWords 3.30-460.el9 perl-Text-ParseWords@cpsC
perl-Text-Tabs+Wrap 2013.0523-460.el9 perl-Text-Tabs+Wrap@cpsC
perl-Thread-Queue 3.14-460.el9 perl-Thread-Queue@sp
perl-Time-HiRes 4:1.9764-462.el9 perl-Time-HiRes@s
perl-Time-Local 2:1.300-7.el9 perl-Time-Local@cpsC
perl-URI 5.09-3.el9 perl-URI@cpsC
perl-Unicode-Normalize 1.27-461.el9 perl-Unicode-Normalize@s
perl-autodie 2.34-4.el9 perl-autodie@s
perl-bignum 0.51-460.el9 perl-bignum@s
perl-constant 1.33-461.el9 perl-constant@cpsC
perl-experimental 0.022-6.el9 perl-experimental@s
perl-libnet 3.13-4.el9 perl-libnet@cpsC
perl-local-lib 2.000024-13.el9 perl-local-lib@s
perl-parent 1:0.238-460.el9 perl-parent@cpsC
perl-podlators 1:4.14-460.el9 perl-podlators@cpsC
perl-threads 1:2.25-460.el9 perl-threads@sp perl-threads-shared@sp
perl-version 7:0.99.28-4.el9 perl-version@s
perl-srpm-macros 1-41.el9 perl-srpm-macros@p
php 8.3.{!29/60}-1.module_el9.7.0 php-fpm@ae php-common@ae php-cli@ae php-opcache@ae php-mbstring@ae php-xml@ae php-pdo@ae php-mysqlnd@ae php@e php-gd@e php-intl@e php-bcmath@e php-soap@e php-ldap@e php-pgsql@e php-process@e php-devel@E
pigz 2.5-4.el9 pigz@d
pinentry 1.1.1-8.el9 pinentry@AB
pinfo 0.6.13-6.el9 pinfo@E
pipewire 1.0.1-1.el9 pipewire@d pipewire-alsa@d pipewire-jack-audio-connection-kit@d pipewire-jack-audio-connection-kit-libs@d pipewire-libs@d pipewire-pulseaudio@d pipewire-utils@d
pixman 0.40.0-6.el9_3 pixman@dgo
pkgconf 1.7.3-10.el9 libpkgconf@cpq pkgconf@cpq pkgconf-m4@cpq pkgconf-pkg-config@cpq
plymouth 0.9.5-7.20210331git1ea1020.el9 plymouth@d plymouth-core-libs@d plymouth-scripts@d plymouth-graphics-libs@d plymouth-plugin-label@d plymouth-system-theme@d
podman 6:5.6.0-{!9/60}.el9_7 podman@cx podman-plugins@E buildah@x skopeo@x
policycoreutils 3.6-3.el9 policycoreutils policycoreutils-python-utils policycoreutils-devel@E python3-policycoreutils
polkit 0.117-14.el9 polkit polkit-libs
polkit-pkla-compat 0.1-21.el9 polkit-pkla-compat
poppler 21.01.0-{!22}.el9 poppler@dw poppler-utils@w poppler-data@dw poppler-glib@d poppler-cpp@w
popt 1.18-8.el9 popt
postfix 2:3.5.25-1.el9 postfix@C
postgresql 16.{!11/91}-1.module_el9.7.0 postgresql-server@b postgresql@b postgresql-private-libs@b postgresql-contrib@E libpq@bae libpq-devel@q
prefixdevname 0.1.0-8.el9 prefixdevname
procps-ng 3.3.17-14.el9 procps-ng
protobuf-c 1.3.3-13.el9 protobuf-c
psacct 6.6.4-15.el9 psacct@B
psmisc 23.4-3.el9 psmisc
publicsuffix-list 20210518-3.el9 publicsuffix-list-dafsa
pulseaudio 15.0-3.el9 pulseaudio-libs@dg pulseaudio-libs-glib2@d
python-argcomplete 1.12.0-5.el9 python3-argcomplete@r
python-attrs 20.3.0-7.el9 python3-attrs
python-babel 2.9.1-2.el9 python3-babel@r
python-cffi 1.14.5-5.el9 python3-cffi@rz python3-pycparser@rz python3-ply@rz
python-chardet 4.0.0-5.el9 python3-chardet
python-cryptography 36.0.1-5.el9_6 python3-cryptography@r
python-dateutil 1:2.9.0.post0-1.el9_7 python3-dateutil
python-decorator 4.4.2-6.el9 python3-decorator
python-distro 1.5.0-7.el9 python3-distro
python-dns 2.6.1-3.el9 python3-dns@Ai
python-ethtool 0.15-2.el9 python3-ethtool
python-idna 2.10-7.el9_4.1 python3-idna
python-iniparse 0.4-45.el9 python3-iniparse
python-inotify 0.9.6-25.el9 python3-inotify
python-jinja2 2.11.3-{!8}.el9_5 python3-jinja2@r
python-jsonpatch 1.21-16.el9 python3-jsonpatch@E
python-jsonpointer 2.0-4.el9 python3-jsonpointer@E
python-jsonschema 3.2.0-13.el9 python3-jsonschema@E
python-lxml 4.6.5-3.el9 python3-lxml@r
python-markupsafe 1.1.1-12.el9 python3-markupsafe@r
python-netifaces 0.10.6-15.el9 python3-netifaces@E
python-numpy 1:1.23.5-1.el9 python3-numpy@r python3-numpy-f2py@r
python-oauthlib 3.1.1-5.el9 python3-oauthlib@E
python-pexpect 4.8.0-7.el9 python3-pexpect
python-pip 21.3.1-1.el9 python3-pip-wheel python3-pip@r
python-prettytable 0.7.2-27.el9 python3-prettytable@E
python-psutil 5.8.0-12.el9 python3-psutil@r
python-ptyprocess 0.6.0-12.el9 python3-ptyprocess
python-pyrsistent 0.17.3-8.el9 python3-pyrsistent@E
python-pyserial 3.4-12.el9 python3-pyserial@E
python-pysocks 1.7.1-12.el9 python3-pysocks
python-pytz 2021.1-5.el9 python3-pytz@rE
python-pyyaml 5.4.1-6.el9 python3-pyyaml
python-requests 2.25.1-{!10}.el9_6 python3-requests
python-rpm-macros 3.9-54.el9 python-rpm-macros@p python3-rpm-macros@p python-srpm-macros@p
python-setuptools 53.0.0-{!15}.el9 python3-setuptools python3-setuptools-wheel
python-six 1.15.0-9.el9 python3-six
python-urllib3 1.26.5-{!6}.el9_7.1 python3-urllib3
python3-systemd 234-19.el9 python3-systemd
python3.11 3.11.13-{!5}.el9_7 python3.11@r python3.11-libs@r python3.11-pip-wheel@r python3.11-setuptools-wheel@r
python3.12 3.12.12-{!2}.el9_7 python3.12@E python3.12-libs@E python3.12-pip-wheel@E
python3.9 3.9.25-{!2/45}.el9_7 python3 python3-libs python-unversioned-command python3-devel@rp python3-tkinter@E
python3-pyxattr 0.7.2-4.el9 python3-pyxattr@E
pyparsing 2.4.7-9.el9 python3-pyparsing@r
qemu-kvm 17:9.1.0-{!29/60}.el9_7.2 qemu-guest-agent@+qemu-guest-agent qemu-img@o+virtqemud qemu-kvm@o+virtqemud qemu-kvm-common@o+virtqemud qemu-kvm-core@o+virtqemud qemu-kvm-docs@o qemu-kvm-tools@o qemu-kvm-block-blkio@o qemu-kvm-block-rbd@o qemu-kvm-device-display-virtio-gpu@o qemu-kvm-device-display-virtio-vga@o qemu-kvm-device-usb-host@o qemu-kvm-device-usb-redirect@o qemu-kvm-audio-pa@o qemu-kvm-ui-opengl@o qemu-pr-helper@o
edk2 20241117-{!4}.el9_7 edk2-ovmf@o
quota 1:4.09-4.el9 quota@j quota-nls@j
readline 8.1-4.el9 readline readline-devel@q
realmd 0.17.1-2.el9 realmd@A
redis 6.2.{!20/91}-2.el9_7 redis@a
redhat-rpm-config 210-1.el9.alma.1 redhat-rpm-config@p
rest 0.8.1-11.el9 rest@d
rootfiles 8.1-35.el9 rootfiles
rpcbind 1.2.6-7.el9 rpcbind@+rpcbind+nfs-idmapd
rpm 4.16.1.3-39.el9 rpm rpm-build-libs rpm-libs rpm-plugin-audit rpm-plugin-selinux rpm-plugin-systemd-inhibit rpm-sign-libs python3-rpm rpm-build@p rpm-devel@E
rpmdevtools 9.5-1.el9 rpmdevtools@E
rsync 3.2.5-{!4}.el9_7 rsync rsync-daemon@E
rsyslog 8.2506.0-2.el9 rsyslog rsyslog-logrotate rsyslog-gnutls@E rsyslog-gssapi@E rsyslog-relp@E
rtkit 0.11-29.el9 rtkit@d
ruby 3.3.{!10/91}-6.module_el9.7.0 ruby@t ruby-libs@t ruby-default-gems@t rubygems@t rubygem-bigdecimal@t rubygem-io-console@t rubygem-json@t rubygem-psych@t rubygem-rdoc@t rubygem-bundler@t rubygem-irb@t rubygem-racc@t ruby-devel@t
rust-srpm-macros 17-4.el9 rust-srpm-macros@p go-srpm-macros@p ghc-srpm-macros@p ocaml-srpm-macros@p lua-srpm-macros@p qt5-srpm-macros@p efi-srpm-macros@p fonts-srpm-macros@p
samba 4.22.4-{!6/80}.el9_7 libsmbclient@iA libwbclient@iA samba-client-libs@iA samba-common@iA samba-common-libs@iA samba@i samba-client@i samba-libs@i samba-common-tools@i samba-dcerpc@i samba-ldb-ldap-modules@i samba-tools@i samba-winbind@i samba-winbind-clients@i samba-winbind-modules@i python3-samba@i
sbc 1.4-9.el9 sbc@d
screen 4.8.0-6.el9 screen@l
seabios 1.16.3-4.el9 seabios-bin@o seavgabios-bin@o
sed 4.8-9.el9 sed
selinux-policy 38.1.65-{1}.el9_7.alma.1 selinux-policy selinux-policy-targeted selinux-policy-devel@E
setools 4.4.4-1.el9 python3-setools setools-console@B
setroubleshoot 3.3.35-2.el9 setroubleshoot-server@Bz setroubleshoot-plugins@Bz
setup 2.13.7-10.el9 setup
sg3_utils 1.47-10.el9 sg3_utils sg3_utils-libs
sgpio 1.2.0.10-30.el9 sgpio@n
shadow-utils 2:4.9-15.el9 shadow-utils shadow-utils-subid
shared-mime-info 2.1-5.el9 shared-mime-info
shim 15.8-4.el9_3.alma.1 shim-x64
slang 2.3.2-11.el9 slang
slirp4netns 1.3.3-1.el9 slirp4netns@cx
smartmontools 1:7.2-9.el9 smartmontools@+smartd
snappy 1.1.8-8.el9 snappy
socat 1.7.4.1-8.el9 socat@m
sound-theme-freedesktop 0.8-17.el9 sound-theme-freedesktop@d
sos 4.10.0-4.el9_7.alma.1 sos@Ez
source-highlight 3.1.9-11.el9 source-highlight@p
spice 0.14.3-5.el9 spice-server@o
sqlite 3.34.1-{!9}.el9_7 sqlite-libs sqlite@r sqlite-devel@q
squashfs-tools 4.4-10.git1.el9 squashfs-tools
squid 7:5.5-{!22}.el9_7 squid@E
sscg 3.0.0-7.el9 sscg@fz
sssd 2.9.7-{4}.el9_7 libipa_hbac libsss_autofs libsss_certmap libsss_idmap libsss_nss_idmap libsss_sudo sssd-client sssd-common sssd-kcm sssd-nfs-idmap@j sssd@+sssd sssd-ad@A sssd-common-pac@A sssd-ipa@A sssd-krb5@A sssd-krb5-common@A sssd-ldap@A sssd-proxy@A sssd-dbus@A sssd-tools@A python3-sssdconfig@A
stalld 1.23.1-1.el9 stalld@E
strace 5.18-2.el9 strace@p
stunnel 5.71-2.el9 stunnel@E
subversion 1.14.1-6.el9 subversion@p subversion-libs@p
libserf 1.3.9-26.el9 libserf@p utf8proc@p
sudo 1.9.5p2-{!13}.el9_7 sudo python3-sudo@E
swtpm 0.8.0-2.el9_4 swtpm@o swtpm-libs@o swtpm-tools@o libtpms@o
symlinks 1.7-5.el9 symlinks@E
syslinux 6.04-0.20.el9 syslinux@n syslinux-extlinux@n syslinux-nonlinux@n
sysstat 12.5.4-10.el9 sysstat@DE
systemd 252-{!55/60}.el9_7.7.alma.1 systemd systemd-libs systemd-pam systemd-rpm-macros systemd-udev systemd-container@o systemd-devel@q systemd-resolved@E systemd-oomd@d
systemtap 5.3-3.el9 systemtap-sdt-devel@ps systemtap-sdt-dtrace@ps systemtap@p systemtap-client@p systemtap-devel@p systemtap-runtime@p
tar 2:1.34-{!7}.el9 tar
tcl 1:8.6.10-7.el9 tcl@pE tcl-expect@E
tcpdump 14:4.99.0-9.el9 tcpdump@m
telnet 1:0.17-85.el9 telnet@m
time 1.9-18.el9 time@E
timedatex 0.6-4.el9 timedatex@E
tmux 3.2a-5.el9 tmux@l
tomcat 1:9.0.87-{!6}.el9_7 tomcat@a tomcat-lib@a tomcat-el-3.0-api@a tomcat-jsp-2.3-api@a tomcat-servlet-4.0-api@a ecj@a
totem 3.38.2-4.el9 totem-pl-parser@d totem@d totem-video-thumbnailer@d
tpm2-tools 5.2-7.el9 tpm2-tools@nB
tpm2-tss 3.2.3-1.el9 tpm2-tss
traceroute 3:2.1.1-1.el9 traceroute@m
tracker 3.1.2-3.el9_1 tracker@d tracker-miners@d
tree 1.8.0-10.el9 tree@l
tuned 2.26.0-1.el9 tuned tuned-profiles-cpu-partitioning@E tuned-utils@E
twolame 0.3.13-19.el9 twolame-libs@d
tzdata 2025c-1.el9 tzdata tzdata-java@v
udisks2 2.9.4-{!11}.el9_7 udisks2@dnz libudisks2@dnz udisks2-iscsi@z udisks2-lvm2@z
unbound 1.24.2-{!2}.el9_7 unbound-libs@ojE
unzip 6.0-{!59}.el9 unzip@lv
upower 0.99.13-2.el9 upower@d
usb_modeswitch 2.6.1-4.el9 usb_modeswitch@d usb_modeswitch-data@d
usbredir 0.13.0-2.el9 usbredir@o
usbutils 017-1.el9 usbutils
usermode 1.114-6.el9 usermode
userspace-rcu 0.12.1-6.el9 userspace-rcu
valgrind 1:3.25.1-3.el9 valgrind@p valgrind-devel@p
vdo 8.2.6.3-1.el9 vdo kmod-kvdo@E
vim 2:8.2.2637-{!23/60}.el9_7 vim-minimal vim-filesystem@l vim-common@l vim-enhanced@l
virt-manager 4.1.0-9.el9 virt-install@o virt-manager-common@o
virt-what 1.27-2.el9 virt-what
volume_key 0.3.12-16.el9 volume_key-libs@nz
vte291 0.64.2-3.el9 vte291@d vte-profile@d
wayland 1.21.0-1.el9 libwayland-client@dgo libwayland-cursor@dg libwayland-egl@dg libwayland-server@dgo
webkit2gtk3 2.50.{!4/40}-1.el9_7 webkit2gtk3@d webkit2gtk3-jsc@d
wget 1.21.1-8.el9_4 wget
which 2.21-30.el9_6 which
wireguard-tools 1.0.20210914-2.el9 wireguard-tools@m
wireless-regdb 2024.01.23-1.el9 wireless-regdb
wireplumber 0.4.14-1.el9 wireplumber@d wireplumber-libs@d
wireshark 1:3.4.10-{!8}.el9_7 wireshark-cli@m
woff2 1.0.2-15.el9 woff2@d
words 3.0-39.el9 words@E
wpa_supplicant 1:2.11-2.el9 wpa_supplicant@dy
xauth 1:1.1-10.el9 xorg-x11-xauth@dgE
xdg-dbus-proxy 0.1.3-1.el9 xdg-dbus-proxy@d
xdg-desktop-portal 1.12.6-1.el9 xdg-desktop-portal@d xdg-desktop-portal-gtk@d
xdg-user-dirs 0.17-10.el9 xdg-user-dirs@d xdg-user-dirs-gtk@d
xdg-utils 1.1.3-13.el9_6 xdg-utils@dg
xfsdump 3.1.12-4.el9_3 xfsdump@n
xfsprogs 6.4.0-7.el9 xfsprogs
xkeyboard-config 2.33-2.el9 xkeyboard-config@dgo
xml-common 0.6.3-58.el9 xml-common@dgwv
xorg-x11-fonts 7.5-33.el9 xorg-x11-fonts-Type1@v xorg-x11-fonts-misc@E
xorg-x11-server 1.20.11-{!32}.el9_7 xorg-x11-server-Xorg@d xorg-x11-server-common@d
xorg-x11-server-Xwayland 23.2.7-{!5}.el9_7 xorg-x11-server-Xwayland@d
xorg-x11-drivers 2022-4.el9 xorg-x11-drv-libinput@d xorg-x11-drv-fbdev@d xorg-x11-drv-evdev@d xorg-x11-drv-wacom@d xorg-x11-xinit@d xorg-x11-utils@d xorg-x11-server-utils@d
xz 5.2.5-8.el9_0 xz xz-libs xz-devel@q
yajl 2.1.0-25.el9 yajl@cxo
yum-rhn 4.6.0-1.el9 python3-librepo
zip 3.0-35.el9 zip@lv
zlib 1.2.11-40.el9 zlib zlib-devel@q
zsh 5.8-9.el9 zsh@l
zstd 1.5.5-1.el9 libzstd zstd libzstd-devel@q
abattis-cantarell-fonts 0.301-4.el9 abattis-cantarell-fonts@d
adwaita-icon-theme 40.1.1-3.el9 adwaita-icon-theme@dg adwaita-cursor-theme@dg
adobe-source-code-pro-fonts 2.030.1.050-12.el9.1 adobe-source-code-pro-fonts@d
google-noto-fonts 20201206-4.el9 google-noto-fonts-common@dh google-noto-sans-fonts@dh google-noto-serif-fonts@h google-noto-sans-cjk-ttc-fonts@dh google-noto-emoji-color-fonts@d
google-droid-fonts 20200215-11.el9.2 google-droid-sans-fonts@w
liberation-fonts 1:2.1.3-5.el9 liberation-fonts-common@dgw liberation-mono-fonts@dgw liberation-sans-fonts@dgw liberation-serif-fonts@dgw
urw-base35-fonts 20200910-6.el9 urw-base35-fonts@w urw-base35-fonts-common@w urw-base35-bookman-fonts@w urw-base35-c059-fonts@w urw-base35-d050000l-fonts@w urw-base35-gothic-fonts@w urw-base35-nimbus-mono-ps-fonts@w urw-base35-nimbus-roman-fonts@w urw-base35-nimbus-sans-fonts@w urw-base35-p052-fonts@w urw-base35-standard-symbols-ps-fonts@w urw-base35-z003-fonts@w
accountsservice 0.6.55-10.el9 accountsservice@d accountsservice-libs@d
acpid 2.0.32-4.el9 acpid@+acpid
golang-github-prometheus-node-exporter 1.9.{1/150}-1.el9 golang-github-prometheus-node-exporter@+prometheus-node-exporter
keepalived 2.2.8-{4/200}.el9 keepalived@+keepalived
lldpd 1.0.18-4.el9 lldpd@+lldpd
puppet-agent 8.10.0-1.el9 puppet-agent@+puppet
thermald 2.5.8-1.el9 thermald@+thermald
vnstat 2.13-1.el9 vnstat@+vnstat
docker-ce 3:29.1.{3/45}-1.el9 docker-ce@c+docker docker-ce-cli@c+docker docker-ce-rootless-extras@c+docker docker-buildx-plugin=0.30.1-1.el9@c+docker docker-compose-plugin=5.0.1-1.el9@c+docker
containerd.io 2.2.{1/60}-1.el9 containerd.io@c+docker
`,
};
