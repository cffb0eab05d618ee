import type { TableText } from '../table.ts';

/** The base system of openSUSE Tumbleweed and what servers have beside it; kernels stand in the profile. */
export const OPENSUSE_TUMBLEWEED: TableText = {
  date: '2026-01-20',
  groups: {
    a: ['web', 1],
    b: ['database', 1],
    c: ['build', 1],
    d: ['desktop', 1],
    e: ['php', 0.35],
    f: ['apache', 0.25],
    g: ['graphics', 0.4],
    h: ['languages', 0.45],
    i: ['samba', 0.35],
    j: ['shares', 0.4],
    k: ['monitoring', 0.4],
    l: ['shells', 0.6],
    m: ['network', 0.5],
    n: ['storage', 0.6],
    o: ['virtual', 0.2],
    p: ['compilers', 0.5],
    q: ['headers', 0.4],
    r: ['python', 0.5],
    s: ['perl', 0.5],
    t: ['ruby', 0.4],
    u: ['javascript', 0.15],
    v: ['java', 0.2],
    w: ['printing', 0.35],
    x: ['containers', 0.25],
    y: ['yast', 0.6],
    A: ['directory', 0.3],
    B: ['hardening', 0.4],
    C: ['mail', 0.4],
    E: ['extras', 0.35],
  },
  lines: `
openitcockpit-agent 3.6.1-1 openitcockpit-agent
aaa_base 84.87+git20251201.{2/60}-1.1 aaa_base aaa_base-extras
acl 2.3.{2/400}-4.1 acl libacl1 libacl-devel@q
adwaita-icon-theme 49.0-1.1 adwaita-icon-theme@dg
alsa 1.2.15.1-1.1 libasound2@dg alsa-utils@d alsa-ucm-conf@d alsa-topology-conf@d
apache2 2.4.{!66/90}-1.1 apache2@f apache2-prefork@f apache2-utils@f apache2-mod_php8@E
apparmor 4.1.3-1.1 libapparmor1@B apparmor-parser@B apparmor-profiles@B apparmor-utils@B apparmor-abstractions@B python313-apparmor@B
apr 1.7.6-1.1 libapr1-0@fp libapr-util1-0@fp
at-spi2-core 2.58.{2/80}-1.1 at-spi2-core@dg libatspi0@dg libatk-1_0-0@dg libatk-bridge-2_0-0@dg typelib-1_0-Atspi-2_0@d
attr 2.5.2-2.1 libattr1 attr@l
audit 4.1.{2/150}-2.1 audit audit-rules system-group-audit libaudit1 libauparse0
augeas 1.14.1-4.1 libaugeas0@yE augeas-lenses@yE
autoconf 2.72-3.1 autoconf@p
autofs 5.1.9-4.1 autofs@j
automake 1.18.1-1.1 automake@p
autoyast2 5.0.5-1.1 autoyast2@y autoyast2-installation@y
avahi 0.8-{41/90}.1 libavahi-client3@djw libavahi-common3@djw libavahi-core7@E avahi@E
bash 5.3.{9/50}-1.1 bash bash-lang bash-completion@l bash-sh
bc 1.08.2-1.1 bc@E
bind 9.20.{17/40}-1.1 bind-utils
binutils 2.45-{3/60}.1 binutils@cp libctf0@cp libctf-nobfd0@cp
bison 3.8.2-3.1 bison@p
bluez 5.85-1.1 bluez@d libbluetooth3@d
boost 1.90.0-1.1 boost-license1_90_0 libboost_filesystem1_90_0@yb libboost_thread1_90_0 libboost_program_options1_90_0@b libboost_iostreams1_90_0@E
branding-openSUSE 84.87.20250903-1.1 grub2-branding-openSUSE plymouth-branding-openSUSE@d wallpaper-branding-openSUSE@d
brotli 1.2.0-1.1 libbrotlicommon1 libbrotlidec1 libbrotlienc1@ua
btrfsmaintenance 0.5.2-2.1 btrfsmaintenance
btrfsprogs 6.17.{1/60}-1.1 btrfsprogs btrfsprogs-udev-rules libbtrfs0 libbtrfsutil1
busybox-links 1.37.0-3.1 busybox@E
bzip2 1.0.8-8.1 bzip2 libbz2-1 libbz2-devel@q
c-ares 1.34.6-1.1 libcares2
ca-certificates 2+git20240805.fd24d50-2.1 ca-certificates
ca-certificates-mozilla 2.{82/60}-1.1 ca-certificates-mozilla
cairo 1.18.4-3.1 libcairo2@dgw libcairo-gobject2@dg
catatonit 0.2.1-2.1 catatonit@cx
checkmedia 6.3-1.1 libmediacheck6
chkstat 1600_2025-1.1 permctl permissions permissions-config
chrony 4.8-2.1 chrony chrony-pool-openSUSE
cifs-utils 7.4-1.1 cifs-utils@i
clang21 21.1.{8/60}-1.1 clang21@p clang@p libclang-cpp21@p
cloud-init 25.1.3-3.1 cloud-init@E cloud-init-config-suse@E
cmake 4.2.{1/50}-1.1 cmake@p cmake-full@p
cockpit 353-1.1 cockpit@E cockpit-bridge@E cockpit-ws@E cockpit-system@E
colord 1.4.8-2.1 libcolord2@dg colord@d
conmon 2.2.0-1.1 conmon@x
containerd 2.2.{1/40}-1.1 containerd@cx+docker containerd-ctr@c
containers-systemd 20251201-1.1 libcontainers-common@x libcontainers-policy@x
coreutils 9.{9/120}-2.1 coreutils coreutils-lang coreutils-systemd
cpio 2.15-3.1 cpio cpio-lang
cracklib 2.10.3-2.1 cracklib cracklib-dict-small libcrack2
cronie 1.7.2-4.1 cronie cron
crypto-policies 20250714.cd6043a-2.1 crypto-policies crypto-policies-scripts
cryptsetup 2.8.{3/90}-1.1 cryptsetup libcryptsetup12 cryptsetup-lang
cups 2.4.{16/90}-1.1 libcups2@dgwi cups@+cups cups-client@w cups-config@dgwi libcupsimage2@w
cups-filters 1.28.17-6.1 cups-filters@w
curl 8.{18/50}.0-1.1 curl libcurl4 libcurl-devel@q
cyrus-sasl 2.1.28-13.1 cyrus-sasl libsasl2-3 cyrus-sasl-digestmd5@C cyrus-sasl-gssapi@A cyrus-sasl-plain@C
dbus-1 1.14.10-8.1 dbus-1 dbus-1-common dbus-1-daemon dbus-1-tools libdbus-1-3 dbus-1-devel@q
dbus-broker 37-2.1 dbus-broker
dconf 0.49.0-2.1 dconf@dg libdconf1@dg gsettings-backend-dconf@dg
dejavu-fonts 2.37-8.1 dejavu-fonts
desktop-file-utils 0.28-2.1 desktop-file-utils@dg
device-mapper 2.03.35_1.02.209-1.1 device-mapper libdevmapper1_03 libdevmapper-event1_03 liblvm2cmd2_03@n lvm2@n
diffutils 3.12-3.1 diffutils diffutils-lang
dmidecode 3.7-1.1 dmidecode
dmraid 1.0.0.rc16-52.1 dmraid@n
dnsmasq 2.92-1.1 dnsmasq@o
docker 28.5.{1/60}_ce-1.1 docker@c+docker docker-bash-completion@c+docker docker-buildx@c+docker docker-rootless-extras@E
dosfstools 4.2-5.1 dosfstools
dracut 059+suse.{710/45}-1.1 dracut dracut-mkinitrd-deprecated@E dracut-transactional-update@E
e2fsprogs 1.47.{3/200}-2.1 e2fsprogs libcom_err2 libext2fs2 libcom_err-devel@q
ed 1.22.2-1.1 ed@E
efibootmgr 18-4.1 efibootmgr
efivar 39-4.1 libefivar1 libefiboot1
elfutils 0.194-1.1 libelf1 libdw1 libasm1 elfutils libdebuginfod1@p libelf-devel@q
ethtool 6.{15/70}-1.1 ethtool
evolution-data-server 3.58.{2/40}-1.1 evolution-data-server@d libcamel-1_2-64@d libebook-1_2-21@d libedataserver-1_2-27@d libecal-2_0-3@d
exfatprogs 1.3.0-1.1 exfatprogs@n
expat 2.7.{3/80}-1.1 libexpat1 expat libexpat-devel@q
fail2ban 1.1.0-6.1 fail2ban@+fail2ban
fdupes 2.4.0-1.1 fdupes@E
file 5.46-5.1 file file-magic libmagic1
filesystem 84.87-20.1 filesystem
fillup 1.42-281.1 fillup
findutils 4.10.0-3.1 findutils findutils-lang
firewalld 2.4.0-1.1 firewalld firewalld-lang firewalld-bash-completion python313-firewall
flac 1.5.0-3.1 libFLAC14@dg
flatpak 1.16.{1/120}-2.1 flatpak@d libflatpak0@d
flex 2.6.4-6.1 flex@p
fontconfig 2.17.1-2.1 fontconfig libfontconfig1 fontconfig-lang@h
freetype2 2.14.1-2.1 libfreetype6 freetype2-devel@q
fribidi 1.0.16-2.1 libfribidi0@dg
fuse 2.9.9-6.1 libfuse2
fuse3 3.18.1-1.1 fuse3 libfuse3-4
galera-4 26.4.24-1.1 galera-4@b
gawk 5.3.2-3.1 gawk
gcc15 15.2.1+git{10776/40}-1.1 libgcc_s1 libstdc++6 libgomp1 gcc15@cp gcc15-c++@cp cpp15@cp libstdc++6-devel-gcc15@cp libasan8@cp libatomic1@cp libitm1@cp liblsan0@cp libtsan2@cp libubsan1@cp libhwasan0@cp libquadmath0@p libgfortran5@r gcc15-fortran@E
gcc 15-2.1 gcc@cp gcc-c++@cp cpp@cp
gdb 16.3-{5/60}.1 gdb@p
gdbm 1.26-2.1 libgdbm6 libgdbm_compat4
gdk-pixbuf 2.44.{4/60}-1.1 libgdk_pixbuf-2_0-0@dg gdk-pixbuf-loader-rsvg@dg gdk-pixbuf-query-loaders@dg gdk-pixbuf-lang@dg
gdm 49.{2/60}-1.1 gdm@d gdm-schema@d gdm-systemd@d libgdm1@d gdm-lang@d
gettext 0.26-{3/60}.1 gettext-runtime libtextstyle0 gettext-tools@p
gfxboot 4.5.106-1.1 gfxboot@E
ghostscript 10.06.0-1.1 ghostscript@w ghostscript-fonts-std@w libgs10@w
giflib 5.2.2-4.1 libgif7@dg
gio-branding-openSUSE 42.1-7.1 gio-branding-openSUSE@d
git 2.52.{0/60}-1.1 git-core@cp git@cp perl-Git@cp gitk@E
gjs 1.86.0-1.1 gjs@d libgjs0@d
glib-networking 2.80.1-2.1 glib-networking@dy
glib2 2.86.{3/40}-1.1 glib2-tools libgio-2_0-0 libglib-2_0-0 libgmodule-2_0-0 libgobject-2_0-0 libgirepository-2_0-0@d glib2-lang glib2-devel@q typelib-1_0-GLib-2_0@dr
glibc 2.42-{3/50}.1 glibc glibc-locale glibc-locale-base glibc-extra glibc-gconv-modules-extra glibc-lang glibc-devel@cpq glibc-i18ndata@h glibc-info@E nscd@+nscd
gmp 6.3.0-6.1 libgmp10 libgmpxx4@q gmp-devel@q
gnome-control-center 49.{3/60}-1.1 gnome-control-center@d gnome-control-center-lang@d
gnome-desktop 44.4-1.1 libgnome-desktop-4-2@d libgnome-desktop-3-20@d gnome-version@d
gnome-keyring 48.0-2.1 gnome-keyring@d gnome-keyring-pam@d
gnome-online-accounts 3.56.3-1.1 gnome-online-accounts@d libgoa-1_0-0@d libgoa-backend-1_0-2@d
gnome-session 49.2-1.1 gnome-session@d gnome-session-core@d gnome-session-wayland@d
gnome-settings-daemon 49.1-1.1 gnome-settings-daemon@d
gnome-shell 49.{3/40}-1.1 gnome-shell@d gnome-shell-lang@d gnome-extensions@d
gnome-terminal 3.58.0-1.1 gnome-terminal@d nautilus-extension-terminal@d
gnutls 3.8.{11/60}-1.1 libgnutls30 gnutls@E
gobject-introspection 1.86.0-2.1 girepository-1_0@d libgirepository-1_0-1@d
gpg2 2.5.{16/50}-1.1 gpg2 gpg2-lang dirmngr
gpgme 2.0.1-2.1 libgpgme45 gpgme libgpgmepp7
gpm 1.20.7+git29.88700b5-5.1 gpm libgpm2
graphite2 1.3.14-4.1 libgraphite2-3
grep 3.12-2.1 grep grep-lang
groff 1.23.0-5.1 groff groff-full@E
grub2 2.14~rc1-{3/45}.1 grub2 grub2-common grub2-i386-pc grub2-snapper-plugin grub2-systemd-sleep-plugin grub2-x86_64-efi
gsettings-desktop-schemas 49.1-1.1 gsettings-desktop-schemas@d
gstreamer 1.26.{10/45}-1.1 gstreamer@d libgstreamer-1_0-0@d gstreamer-plugins-base@d gstreamer-plugins-good@d gstreamer-plugins-bad@d libgstallocators-1_0-0@d libgstapp-1_0-0@d libgstaudio-1_0-0@d libgstgl-1_0-0@d libgstpbutils-1_0-0@d libgsttag-1_0-0@d libgstvideo-1_0-0@d
gtk3 3.24.{51/150}-1.1 gtk3-tools@dg libgtk-3-0@dg gtk3-schema@dg gtk3-lang@dg typelib-1_0-Gtk-3_0@d
gtk4 4.20.{3/60}-1.1 gtk4-tools@d libgtk-4-1@d gtk4-schema@d gtk4-lang@d typelib-1_0-Gtk-4_0@d
gvfs 1.58.{0/120}-2.1 gvfs@d gvfs-backends@d gvfs-fuse@d gvfs-backend-samba@d gvfs-lang@d
gzip 1.14-3.1 gzip
haproxy 3.3.{0/60}-1.1 haproxy@E
harfbuzz 12.{3/40}.0-1.1 libharfbuzz0 libharfbuzz-icu0@d libharfbuzz-subset0@dg libharfbuzz-gobject0@d
hdparm 9.65-3.1 hdparm
hicolor-icon-theme 0.18-2.1 hicolor-icon-theme@dg
hostname 3.25-2.1 hostname
hunspell 1.7.2-5.1 hunspell-tools@h libhunspell-1_7-0@dh
hwdata 0.{402/30}-1.1 hwdata
hwinfo 25.1-1.1 hwinfo libhd25
hyper-v 9-4.1 hyper-v@E
ibus 1.5.33-2.1 ibus@d libibus-1_0-5@d ibus-gtk3@d
icu 78.{1/120}-2.1 libicu78 libicu78-ledata libicu-devel@q
iotop 0.6-9.1 iotop@k
iperf 3.20-1.1 iperf@m libiperf0@m
iproute2 6.{18/65}.0-1.1 iproute2 libnetlink@E
iptables 1.8.11-5.1 iptables libip4tc2 libip6tc2 libxtables12 iptables-backend-nft xtables-plugins
ipset 7.24-2.1 ipset libipset13
iputils 20250605-3.1 iputils
irqbalance 1.9.4.50.git+9a2b7e3-1.1 irqbalance@+irqbalance
iscsi 2.1.11-3.1 open-iscsi@n libopeniscsiusr0@n
iso-codes 4.19.0-1.1 iso-codes@d iso-codes-lang@d
issue-generator 1.15-2.1 issue-generator
java-21-openjdk 21.0.{9/91}.0-1.1 java-21-openjdk-headless@av java-21-openjdk@v java-21-openjdk-devel@v
javapackages-tools 6.4.1-2.1 javapackages-filesystem@av javapackages-tools@av
jbigkit 2.1-9.1 libjbig2@dgw
jeos 1.5-1.1 jeos-firstboot@E
jemalloc 5.3.0-6.1 libjemalloc2@ba
jq 1.8.1-2.1 jq@l libjq1@l libonig5@lae
json-c 0.18-3.1 libjson-c5
json-glib 1.10.8-1.1 libjson-glib-1_0-0@dy
kbd 2.9.0-1.1 kbd kbd-legacy
kdump 2.1.6-1.1 kdump@E
kernel-firmware 20260110-{1/30}.1 kernel-firmware-amdgpu kernel-firmware-bnx2 kernel-firmware-chelsio kernel-firmware-i915 kernel-firmware-intel kernel-firmware-iwlwifi kernel-firmware-liquidio kernel-firmware-marvell kernel-firmware-media kernel-firmware-mellanox kernel-firmware-mwifiex kernel-firmware-network kernel-firmware-nvidia kernel-firmware-platform kernel-firmware-qlogic kernel-firmware-radeon kernel-firmware-realtek kernel-firmware-serial kernel-firmware-sound kernel-firmware-ti kernel-firmware-usb-network kernel-firmware-all kernel-firmware-ath10k kernel-firmware-ath11k kernel-firmware-atheros kernel-firmware-bluetooth kernel-firmware-brcm kernel-firmware-dpaa2 kernel-firmware-prestera kernel-firmware-ueagle
kexec-tools 2.0.32-1.1 kexec-tools
keyutils 1.6.3-10.1 keyutils libkeyutils1 keyutils-devel@q
kmod 34.2-3.1 kmod libkmod2
krb5 1.22.{1/150}-2.1 krb5 krb5-client@A krb5-devel@q
lame 3.100-5.1 libmp3lame0@dg
lcms2 2.17-2.1 liblcms2-2@dgv
ldb 4.23.4+git.440.9f9f11aed0e-1.1 libldb2@i
less 685-1.1 less
libaio 0.3.113-4.1 libaio1
libarchive 3.8.{4/60}-1.1 libarchive13
libassuan 3.0.2-2.1 libassuan9
libatasmart 0.19-11.1 libatasmart4@nd
libavif 1.3.0-2.1 libavif16@dge
libblockdev 3.4.0-1.1 libblockdev@nd libblockdev3@nd libbd_crypto3@nd libbd_fs3@nd libbd_loop3@nd libbd_mdraid3@nd libbd_part3@nd libbd_swap3@nd libbd_utils3@nd
libbpf 1.6.2-1.1 libbpf1
libbytesize 2.12-1.1 libbytesize1@nd
libcanberra 0.30-17.1 libcanberra0@d libcanberra-gtk3-module@d
libcap 2.77-1.1 libcap2 libcap-progs libpsx2
libcap-ng 0.8.5-4.1 libcap-ng0
libdatrie 0.2.13-4.1 libdatrie1@dg
libdb-4_8 4.8.30-44.1 libdb-4_8
libde265 1.0.16-2.1 libde265-0@dg
libdrm 2.4.131-1.1 libdrm2@dgo libdrm_amdgpu1@dgo libdrm_intel1@dg libdrm_nouveau2@dg libdrm_radeon1@dg
libeconf 0.8.3-1.1 libeconf0
libedit 20250104_3.1-2.1 libedit0
libepoxy 1.5.10-4.1 libepoxy0@dgo
libestr 0.1.11-4.1 libestr0@E
libev 4.33-5.1 libev4
libevent 2.1.12-9.1 libevent-2_1-7
libfastjson 1.2304.0-3.1 libfastjson4@E
libffi 3.5.2-2.1 libffi8 libffi-devel@q
libfido2 1.16.0-2.1 libfido2-1 libfido2-udev
libgcrypt 1.11.{2/150}-2.1 libgcrypt20 libgcrypt-devel@q
libglvnd 1.7.0-3.1 libglvnd@dgo libGLX0@dg
libgpg-error 1.58-1.1 libgpg-error0 libgpg-error-devel@q
libgudev 238-5.1 libgudev-1_0-0
libICE 1.1.2-2.1 libICE6@dg
libSM 1.2.6-2.1 libSM6@dg
libX11 1.8.12-2.1 libX11-6@dgv libX11-data@dgv libX11-xcb1@dg
libXau 1.0.12-2.1 libXau6@dgv
libXcomposite 0.4.6-3.1 libXcomposite1@dgv
libXcursor 1.2.3-2.1 libXcursor1@dg
libXdamage 1.1.6-3.1 libXdamage1@dg
libXdmcp 1.1.5-2.1 libXdmcp6@d
libXext 1.3.6-3.1 libXext6@dgv
libXfixes 6.0.1-3.1 libXfixes3@dg
libXft 2.3.9-1.1 libXft2@dg
libXi 1.8.2-2.1 libXi6@dgv
libXinerama 1.1.5-3.1 libXinerama1@dg
libXmu 1.2.1-2.1 libXmu6@dg libXmuu1@dE
libXpm 3.5.17-3.1 libXpm4@dge
libXrandr 1.5.4-2.1 libXrandr2@dg
libXrender 0.9.12-2.1 libXrender1@dgv
libXt 1.3.1-2.1 libXt6@dg
libXtst 1.2.5-2.1 libXtst6@dgv
libXxf86vm 1.1.6-2.1 libXxf86vm1@dg
libheif 1.21.1-1.1 libheif1@dg
libidn2 2.3.8-2.1 libidn2-0
libinput 1.30.{1/60}-1.1 libinput10@d libinput-udev@d
libjpeg-turbo 3.1.3-1.1 libjpeg8@dgev libturbojpeg0@g libjpeg8-devel@q
libksba 1.6.7-2.1 libksba8
libmaxminddb 1.12.2-2.1 libmaxminddb0
libmnl 1.0.5-2.1 libmnl0
libmodplug 0.8.9.1-8.1 libmodman1@E
libndp 1.9-2.1 libndp0
libnetfilter_conntrack 1.1.0-2.1 libnetfilter_conntrack3
libnfnetlink 1.0.2-2.1 libnfnetlink0
libnftnl 1.3.1-1.1 libnftnl11
libnghttp2 1.68.0-1.1 libnghttp2-14 libnghttp3-9 libngtcp2-16 libngtcp2_crypto_ossl0
libnl3 3.12.0-1.1 libnl3-200 libnl-config
libnotify 0.8.7-1.1 libnotify4@dg libnotify-tools@d
libnvme 1.16.1-2.1 libnvme1 libnvme-mi1@n
libogg 1.3.6-2.1 libogg0@dg
libpcap 1.10.{5/300}-4.1 libpcap1
libpipeline 1.5.8-2.1 libpipeline1
libpng16 1.6.{53/60}-1.1 libpng16-16 libpng16-compat-devel@q libpng16-devel@q
libpsl 0.21.5-3.1 libpsl5
libpwquality 1.4.5-7.1 libpwquality1 pam_pwquality@B libpwquality-tools@B libpwquality-lang@B
librsvg 2.61.{3/60}-1.1 librsvg-2-2@dg
libseccomp 2.6.0-3.1 libseccomp2
libsecret 0.21.7-2.1 libsecret-1-0@d
libselinux 3.9-2.1 libselinux1 selinux-tools libselinux-devel@q python313-selinux
libsemanage 3.9-2.1 libsemanage2 libsemanage-conf python313-semanage
libsepol 3.9-1.1 libsepol2
libsigc++2 2.12.1-3.1 libsigc-2_0-0
libslirp 4.9.1-2.1 libslirp0@xo
libsmbios 2.4.3-6.1 libsmbios_c2@E
libsndfile 1.2.2-8.1 libsndfile1@dg
libsolv 0.7.35-{2/60}.1 libsolv-tools-base ruby-solv@E
libsoup 3.6.{5/90}-8.1 libsoup-3_0-0@dy
libssh 0.11.{3/90}-2.1 libssh4 libssh-config
libssh2_org 1.11.1-3.1 libssh2-1
libstorage-ng 4.5.288-1.1 libstorage-ng1@y libstorage-ng-lang@y libstorage-ng-ruby@y
libtasn1 4.20.0-2.1 libtasn1-6
libthai 0.1.29-4.1 libthai0@dg libthai-data@dg
libtirpc 1.3.7-1.1 libtirpc3 libtirpc-netconfig
libtool 2.5.4-5.1 libtool@p libltdl7@pgo
libunistring 1.4.1-1.1 libunistring5
liburing 2.12-2.1 liburing2
libusb-1_0 1.0.29-2.1 libusb-1_0-0
libutempter 1.2.3-2.1 libutempter0 utempter
libuv 1.51.0-3.1 libuv1
libva 2.22.0-4.1 libva2@d libva-drm2@d
libverto 0.3.2-6.1 libverto1
libvirt 11.10.0-{2/40}.1 libvirt-libs@o+virtqemud libvirt-client@o+virtqemud libvirt-daemon@o+virtqemud libvirt-daemon-common@o+virtqemud libvirt-daemon-driver-network@o+virtqemud libvirt-daemon-driver-nodedev@o libvirt-daemon-driver-qemu@o+virtqemud libvirt-daemon-driver-secret@o libvirt-daemon-driver-storage@o libvirt-daemon-qemu@o+virtqemud libvirt-daemon-log@o+virtqemud libvirt-daemon-lock@o+virtqemud
libvorbis 1.3.7-5.1 libvorbis0@dg libvorbisenc2@dg libvorbisfile3@d
libwebp 1.6.0-3.1 libwebp7@dge libsharpyuv0@dge libwebpdemux2@d libwebpmux3@g
libxcb 1.17.0-3.1 libxcb1@dgv libxcb-render0@dg libxcb-shm0@dg libxcb-dri3-0@dg libxcb-present0@dg libxcb-randr0@d libxcb-sync1@dg libxcb-xfixes0@dg libxcb-shape0@d libxcb-xkb1@d
libxcrypt 4.5.2-2.1 libcrypt1 libxcrypt-devel@cpq
libxkbcommon 1.13.{1/90}-1.1 libxkbcommon0@dgo libxkbcommon-x11-0@d
libxml2 2.15.{1/60}-2.1 libxml2-16 libxml2-tools libxml2-devel@q
libxslt 1.1.43-3.1 libxslt1@bed libexslt0@be libxslt-tools@E
libyaml 0.2.5-7.1 libyaml-0-2
libyui 4.7.3-1.1 libyui16@y libyui-ncurses16@y libyui-ncurses-pkg16@y
libzio 1.09-2.1 libzio1
libzip 1.11.4-2.1 libzip5@ae
libzypp 17.38.{1/20}-1.1 libzypp libzypp-plugin-appdata@d
llvm21 21.1.{8/60}-1.1 libLLVM21@dgp llvm21@p
lmdb 0.9.33-3.1 liblmdb-0_9_30
logrotate 3.22.0-3.1 logrotate
lsof 4.99.5-2.1 lsof
lsscsi 0.32-6.1 lsscsi
lua54 5.4.8-3.1 liblua5_4-5 lua54@E
lz4 1.10.0-3.1 liblz4-1
lzo 2.10-8.1 liblzo2-2
m4 1.4.20-2.1 m4@p
mailx 12.5-40.1 mailx@C
make 4.4.1-5.1 make@cp
makedumpfile 1.7.8-1.1 makedumpfile@E
man 2.13.1-3.1 man
man-pages 6.16-1.1 man-pages@l man-pages-posix@E
mariadb 11.8.{5/80}-1.1 mariadb@b mariadb-client@b mariadb-errormessages@b libmariadbd19@E
mariadb-connector-c 3.4.8-1.1 libmariadb3@be libmariadb_plugins@b
mcelog 210-1.1 mcelog@+mcelog
mdadm 4.5-1.1 mdadm@n
Mesa 25.3.{3/20}-1.1 Mesa@dg Mesa-dri@dg Mesa-libEGL1@dg Mesa-libGL1@dg libgbm1@dgo Mesa-gallium@dg Mesa-libva@d
mokutil 0.7.2-2.1 mokutil
monitoring-plugins 2.4.0-4.1 monitoring-plugins-common@k monitoring-plugins-disk@k monitoring-plugins-load@k monitoring-plugins-ping@k monitoring-plugins-procs@k monitoring-plugins-http@k monitoring-plugins-users@k monitoring-plugins-swap@k
MozillaFirefox 146.0.{1/21}-1.1 MozillaFirefox@d MozillaFirefox-branding-upstream@d MozillaFirefox-translations-common@h
mozilla-nspr 4.38.2-1.1 mozilla-nspr
mozilla-nss 3.{119/40}.1-1.1 mozilla-nss mozilla-nss-certs libfreebl3 libsoftokn3 mozilla-nss-tools@A
mozjs140 140.{7/28}.0-1.1 libmozjs-140-0@d
mpdecimal 4.0.1-2.1 libmpdec4
mpfr 4.2.2-2.1 libmpfr6 mpfr-devel@E
mpc 1.3.1-6.1 libmpc3@cp
mtools 4.0.49-1.1 mtools
mtr 0.96-2.1 mtr@m
multipath-tools 0.13.0+249+suse.2d3a8ae-1.1 multipath-tools@n libmpath0@n kpartx
mutter 49.{3/40}-1.1 mutter@d mutter-lang@d
nano 8.{7/80}-1.1 nano@l
nautilus 49.{3/60}-1.1 nautilus@d libnautilus-extension4@d nautilus-lang@d
ncurses 6.5.20251213-{1/20}.1 libncurses6 ncurses-utils terminfo-base terminfo terminfo-iterm@E ncurses-devel@q
net-snmp 5.9.4-17.1 libsnmp40@kw net-snmp@+snmpd snmp-mibs@k perl-SNMP@k
net-tools 2.10-7.1 net-tools@m net-tools-deprecated@m
netcat-openbsd 1.229-1.1 netcat-openbsd
netcfg 11.6-14.1 netcfg
nettle 3.10.2-2.1 libnettle8 libhogweed6
NetworkManager 1.54.{3/60}-1.1 NetworkManager NetworkManager-lang libnm0 typelib-1_0-NM-1_0 NetworkManager-bluetooth@d NetworkManager-wwan@d NetworkManager-branding-openSUSE NetworkManager-tui@E
newt 0.52.25-3.1 libnewt0_52@lE newt@E
nfs-utils 2.8.4-2.1 nfs-client nfs-kernel-server@j libnfsidmap1
nftables 1.1.6-1.1 nftables libnftables1 python313-nftables
nginx 1.29.{4/40}-1.1 nginx@a nginx-source@E
nmap 7.98-2.1 nmap@m
nodejs24 24.{13/30}.0-1.1 nodejs24@u npm24@u corepack24@u
npth 1.8-2.1 libnpth0
numactl 2.0.19-3.1 libnuma1
nvme-cli 2.16-2.1 nvme-cli
open-vm-tools 13.0.10-1.1 open-vm-tools@E libvmtools0@E
openSUSE-release {snapshot}-0.1 openSUSE-release openSUSE-release-appliance-custom@E
openSUSE-repos-Tumbleweed 20251201.4a7f5c0-1.1 openSUSE-repos-Tumbleweed
openldap2_6 2.6.{10/150}-3.1 libldap2 libldap-data openldap2_6-client@A
openscap 1.4.2-4.1 openscap@B libopenscap25@B openscap-utils@B
openslp 2.0.0-16.1 openslp
openssh 10.2p1-{3/60}.1 openssh openssh-clients openssh-common openssh-server openssh-server-config-disallow-rootlogin@B
openssl-3 3.5.{4/60}-2.1 libopenssl3 openssl-3 libopenssl-3-devel@q libopenssl-3-fips-provider
openssl 3.5.4-1.1 openssl
openvpn 2.6.{17/90}-1.1 openvpn@m
orc 0.4.42-1.1 liborc-0_4-0@d
os-prober 1.83-2.1 os-prober
p11-kit 0.25.{10/120}-1.1 libp11-kit0 p11-kit p11-kit-tools p11-kit-server@d
PackageKit 1.2.8-11.1 PackageKit@+packagekit PackageKit-backend-zypp@d libpackagekit-glib2-18@d PackageKit-lang@d
pam 1.7.{1/200}-4.1 pam pam-extra pam-full-src@E pam-devel@q
pam-config 2.13-1.1 pam-config
pango 1.57.0-2.1 libpango-1_0-0@dg pango-tools@dg typelib-1_0-Pango-1_0@d
parted 3.6-6.1 parted libparted2 libparted-fs-resize0
passt 20251215.b40880c-1.1 passt@x
patch 2.8-2.1 patch@cp
patterns-base 20241218-4.1 patterns-base-base patterns-base-bootloader patterns-base-minimal_base patterns-base-enhanced_base@l patterns-base-selinux patterns-base-sw_management@E patterns-base-documentation@E patterns-base-x11@d
patterns-server 20180302-13.1 patterns-server-lamp_server@f patterns-server-file_server@i patterns-server-kvm_server@o
pciutils 3.14.0-2.1 pciutils libpci3
pcre2 10.47-2.1 libpcre2-8-0 libpcre2-16-0@dv pcre2-devel@q libpcre2-posix3@q
pcsc-lite 2.4.1-1.1 libpcsclite1
perl 5.42.{0/200}-3.1 perl perl-base
perl-Bootloader 1.26-1.1 update-bootloader
perl-modules 1.0-1.1 perl-Error@cp perl-MailTools@cp perl-TimeDate@cps
perl-DBD-mysql 5.13-1.1 perl-DBD-mysql@s
perl-DBI 1.647.0-2.1 perl-DBI@sb
perl-Encode-Locale 1.05-3.1 perl-Encode-Locale@s
perl-File-Listing 6.160.0-2.1 perl-File-Listing@s
perl-HTML-Parser 3.830.0-2.1 perl-HTML-Parser@s
perl-HTML-Tagset 3.240.0-2.1 perl-HTML-Tagset@s
perl-HTTP-Cookies 6.110.0-2.1 perl-HTTP-Cookies@s
perl-HTTP-Date 6.60.0-2.1 perl-HTTP-Date@s
perl-HTTP-Message 7.10.0-1.1 perl-HTTP-Message@s
perl-IO-HTML 1.4.0-3.1 perl-IO-HTML@s
perl-IO-Socket-SSL 2.95.0-1.1 perl-IO-Socket-SSL@s
perl-JSON 4.100.0-3.1 perl-JSON@s
perl-LWP-MediaTypes 6.40.0-3.1 perl-LWP-MediaTypes@s
perl-Net-HTTP 6.240.0-1.1 perl-Net-HTTP@s
perl-Net-SSLeay 1.940.0-3.1 perl-Net-SSLeay@s
perl-Term-ReadKey 2.38-10.1 perl-TermReadKey@s
perl-Try-Tiny 0.320.0-2.1 perl-Try-Tiny@s
perl-URI 5.340.0-1.1 perl-URI@s
perl-XML-Parser 2.470.0-4.1 perl-XML-Parser@s
perl-libwww-perl 6.810.0-1.1 perl-libwww-perl@s
perl-gettext 1.07-10.1 perl-gettext
php8 8.4.{16/28}-1.1 php8@ae php8-cli@ae php8-fpm@a php8-opcache@ae php8-ctype@ae php8-dom@ae php8-iconv@ae php8-mbstring@ae php8-mysql@e php8-pgsql@e php8-gd@e php8-curl@e php8-intl@e php8-zip@e php8-soap@e php8-pdo@ae php8-sqlite@ae php8-tokenizer@ae php8-xmlreader@ae php8-xmlwriter@ae php8-openssl@ae
pigz 2.8-3.1 pigz
pinentry 1.3.2-2.1 pinentry pinentry-gnome3@d
pipewire 1.4.{9/50}-2.1 pipewire@d pipewire-alsa@d pipewire-modules-0_3@d pipewire-pulseaudio@d pipewire-spa-plugins-0_2@d pipewire-tools@d libpipewire-0_3-0@d
pixman 0.46.4-2.1 libpixman-1-0@dgo
pkgconf 2.5.1-2.1 pkgconf@cpq libpkgconf7@cpq pkgconf-pkg-config@cpq
plymouth 24.004.60-{12/60}.1 plymouth@d libply5@d libply-boot-client5@d libply-splash-core5@d plymouth-scripts@d plymouth-dracut@d
podman 5.7.{1/40}-1.1 podman@x podmansh@E netavark@x aardvark-dns@x
policycoreutils 3.9-3.1 policycoreutils policycoreutils-python-utils python313-policycoreutils
polkit 127-{2/60}.1 polkit libpolkit-agent-1-0 libpolkit-gobject-1-0 polkit-default-privs pkexec
poppler 25.12.0-1.1 poppler-tools@w libpoppler153@w poppler-data@w
popt 1.19-4.1 libpopt0
postfix 3.10.{7/60}-1.1 postfix
postgresql18 18.{1/91}-1.1 postgresql18@b postgresql18-server@b libpq5@be postgresql18-contrib@E
postgresql 18-1.1 postgresql@b postgresql-server@b
procps4 4.0.5-4.1 procps libproc2-0 procps-lang
psmisc 23.7-3.1 psmisc psmisc-lang
publicsuffix 20251203-1.1 publicsuffix
pulseaudio 17.0-8.1 libpulse0@dg libpulse-mainloop-glib0@d
python-rpm-macros 20251210.a2a6d13-1.1 python-rpm-macros@p
python313-core 3.13.{11/45}-1.1 libpython3_13-1_0 python313-base python313@r python313-curses@r python313-dbm@r python313-devel@qr python313-tools@r python313-tk@E
python-attrs 25.4.0-1.1 python313-attrs@r
python-certifi 2025.11.12-1.1 python313-certifi@r
python-cffi 2.0.0-2.1 python313-cffi@r
python-charset-normalizer 3.4.4-1.1 python313-charset-normalizer@r
python-cryptography 46.0.{3/60}-1.1 python313-cryptography@r
python-dbus-python 1.4.0-3.1 python313-dbus-python
python-gobject 3.54.5-1.1 python313-gobject
python-idna 3.11-1.1 python313-idna@r
python-jinja2 3.1.6-3.1 python313-Jinja2@r
python-lxml 6.0.2-1.1 python313-lxml@r
python-markupsafe 3.0.3-1.1 python313-MarkupSafe@r
python-numpy 2.3.5-1.1 python313-numpy@r
python-packaging 25.0-3.1 python313-packaging@r
python-pip 25.3-1.1 python313-pip@r
python-psutil 7.1.3-1.1 python313-psutil@r
python-pycparser 2.23-1.1 python313-pycparser@r
python-pyyaml 6.0.3-1.1 python313-PyYAML@r
python-requests 2.32.5-2.1 python313-requests@r
python-rpm 4.20.1-3.1 python313-rpm
python-setuptools 80.9.0-3.1 python313-setuptools@r
python-six 1.17.0-4.1 python313-six@r
python-systemd 235-6.1 python313-systemd@kB
python-urllib3 2.6.{3/60}-1.1 python313-urllib3@r
qemu 10.1.{3/60}-1.1 qemu-guest-agent@+qemu-guest-agent qemu-x86@o+virtqemud qemu-tools@o+virtqemud qemu-img@o+virtqemud qemu-ipxe@o+virtqemud qemu-seabios@o+virtqemud qemu-vgabios@o+virtqemud qemu-hw-display-virtio-gpu@o qemu-hw-display-virtio-vga@o qemu-ui-spice-core@o qemu-chardev-spice@o
qemu-ovmf-x86_64 202511-1.1 qemu-ovmf-x86_64@o
readline 8.3.{3/150}-1.1 libreadline8 readline-devel@q
rebootmgr 3.3-1.1 rebootmgr@E
redis 8.2.{3/60}-1.1 redis@a
rpcbind 1.2.8-1.1 rpcbind
rpm 4.20.1-{8/60}.1 rpm librpmbuild10 rpm-build@p rpm-config-SUSE rpm-ndb@E
rsync 3.4.1-{5/90}.1 rsync
rsyslog 8.2512.0-1.1 rsyslog@E rsyslog-module-gtls@E
rtkit 0.13-3.1 rtkit@d
ruby3.4 3.4.{8/60}-1.1 ruby3.4@ty libruby3_4-3_4@ty ruby3.4-devel@t
ruby 3.4-1.1 ruby@ty
ruby-gems 1.4-1.1 ruby3.4-rubygem-cheetah@y ruby3.4-rubygem-fast_gettext@y ruby3.4-rubygem-nokogiri@y ruby3.4-rubygem-ruby-augeas@y ruby3.4-rubygem-ruby-dbus@y ruby3.4-rubygem-simpleidn@y ruby3.4-rubygem-bundler@t ruby3.4-rubygem-rake@t ruby3.4-rubygem-gem2rpm@t
samba 4.23.{4/50}+git.440.9f9f11aed0e-1.1 samba@i samba-client@i samba-client-libs@i samba-libs@i samba-winbind@i samba-winbind-libs@i libldb2-samba@E samba-dcerpc@i
screen 5.0.1-3.1 screen@l
sed 4.9-6.1 sed sed-lang
selinux-policy 20251212-{1/20}.1 selinux-policy selinux-policy-targeted
setools 4.6.0-2.1 python313-setools
sg3_utils 1.48+14.adee2ea-3.1 sg3_utils libsgutils2-1_48-2
shadow 4.18.0-4.1 shadow libsubid5 login_defs shadow-pw-mgmt
shared-mime-info 2.4-4.1 shared-mime-info
shim 16.1-2.1 shim
skopeo 1.21.0-1.1 skopeo@x
slang 2.3.3-4.1 libslang2
smartmontools 7.5-3.1 smartmontools@+smartd
snapper 0.13.{0/60}-2.1 snapper libsnapper8 snapper-zypp-plugin
snappy 1.2.2-2.1 libsnappy1
socat 1.8.1.0-1.1 socat@m
sqlite3 3.51.{2/45}-1.1 libsqlite3-0 sqlite3@r sqlite3-devel@q sqlite3-tcl@E
squashfs 4.7.4-1.1 squashfs
sssd 2.12.0-1.1 sssd@+sssd sssd-ad@A sssd-krb5@A sssd-krb5-common@A sssd-ldap@A sssd-tools@A libipa_hbac0@A libsss_certmap0@A libsss_idmap0@A libsss_nss_idmap0@A python313-sssd-config@A
strace 6.18-1.1 strace@p
subversion 1.14.5-8.1 subversion@p libserf-1-1@p libutf8proc3@p
sudo 1.9.17p2-{3/90}.1 sudo sudo-policy-wheel-auth-self
supportutils 3.2.12-1.1 supportutils
suse-module-tools 16.1.3-1.1 suse-module-tools suse-module-tools-scriptlets
sysconfig 0.90.0-2.1 sysconfig@E sysconfig-netconfig@E
sysstat 12.7.9-1.1 sysstat@k
system-user 20170617-28.1 system-group-hardware system-group-wheel system-group-kvm system-user-root system-user-nobody system-user-bin system-user-daemon system-user-lp@w system-user-mail system-user-man system-user-wwwrun@fae system-user-qemu@o system-user-tss system-user-games@E system-user-upsd@E
systemd 258.{3/30}-1.1 systemd systemd-container systemd-lang systemd-boot@E libsystemd0 libudev1 udev systemd-devel@q systemd-sysvcompat@E
systemd-presets 20251118-1.1 systemd-presets-branding-openSUSE systemd-presets-common-SUSE
systemd-rpm-macros 26-1.1 systemd-rpm-macros
sysuser-tools 3.3-1.1 sysuser-shadow
talloc 2.4.3-3.1 libtalloc2@iA
tdb 1.4.14-2.1 libtdb1@iAd
tevent 0.17.1-2.1 libtevent0@iA
tar 1.35-6.1 tar tar-lang
tcl 8.6.17-1.1 tcl@E expect@E
tcpdump 4.99.5-2.1 tcpdump@m
telnet 1.2-177.1 telnet@m
tiff 4.7.1-2.1 libtiff6@dgw
tigervnc 1.15.0-4.1 xorg-x11-Xvnc@E
timezone 2025c-1.1 timezone timezone-java@v
tmux 3.6a-1.1 tmux@l
tomcat10 10.1.{50/35}-1.1 tomcat10@a tomcat10-lib@a tomcat10-el-5_0-api@a tomcat10-jsp-3_1-api@a tomcat10-servlet-6_0-api@a
tpm2-0-tss 4.1.3-5.1 libtss2-esys0 libtss2-fapi1@E libtss2-mu0 libtss2-rc0 libtss2-sys1 libtss2-tcti-device0 libtss2-tctildr0 tpm2-0-tss
tpm2.0-tools 5.7-4.1 tpm2.0-tools
traceroute 2.1.6-2.1 traceroute@m
transactional-update 5.5.{1/60}-1.1 transactional-update@E tukit@E libtukit5@E
tree 2.2.1-2.1 tree@l
tuned 2.26.0-2.1 tuned@k
typeshared-fonts 2.1.5-5.1 liberation-fonts@dgw
udisks2 2.10.{2/150}-4.1 udisks2@dn libudisks2-0@dn udisks2-bash-completion@E
unbound 1.24.{2/120}-1.1 libunbound8@o unbound-anchor@o
unzip 6.00-45.1 unzip@lv
upower 1.91.0-1.1 upower@d libupower-glib3@d
usbutils 019-1.1 usbutils
userspace-rcu 0.15.5-1.1 liburcu8
util-linux 2.41.{3/90}-2.1 util-linux util-linux-systemd util-linux-lang libblkid1 libfdisk1 libmount1 libsmartcols1 libuuid1 libblkid-devel@q libmount-devel@q libuuid-devel@q lastlog2 liblastlog2-2
valgrind 3.26.0-1.1 valgrind@p
vim 9.1.{2077/12}-1.1 vim vim-data@l vim-data-common xxd vim-small
vte 0.82.{2/90}-1.1 libvte-2_91-0@d vte-lang@d
wayland 1.24.0-3.1 libwayland-client0@dgo libwayland-cursor0@dg libwayland-egl1@dg libwayland-server0@dgo
webkit2gtk3 2.50.{4/40}-1.1 libwebkitgtk-6_0-4@d libjavascriptcoregtk-6_0-1@d webkitgtk-6_0-injected-bundles@d
wget 1.25.0-4.1 wget
which 2.23-2.1 which
wicked2nm 1.4.0-1.1 wicked2nm@E
wireguard-tools 1.0.20250521-1.1 wireguard-tools@m
wireplumber 0.5.13-1.1 wireplumber@d libwireplumber-0_5-0@d wireplumber-audio@d
wireless-regdb 20251007-1.1 wireless-regdb
wpa_supplicant 2.11-6.1 wpa_supplicant@d
wtmpdb 0.75.0-1.1 wtmpdb libwtmpdb0
xauth 1.1.4-2.1 xauth@dE
xdg-desktop-portal 1.20.{3/150}-2.1 xdg-desktop-portal@d xdg-desktop-portal-gnome@d xdg-desktop-portal-gtk@d
xdg-user-dirs 0.19-1.1 xdg-user-dirs@d xdg-user-dirs-gtk@d
xdg-utils 1.2.1-4.1 xdg-utils@dg
xfsprogs 6.17.0-1.1 xfsprogs libhandle1
xkeyboard-config 2.46-1.1 xkeyboard-config xkeyboard-config-lang@h
xorg-x11-server 21.1.{21/90}-1.1 xorg-x11-server@d xorg-x11-server-Xvfb@E
xwayland 24.1.{9/90}-1.1 xwayland@d
xxhash 0.8.3-3.1 libxxhash0
xz 5.8.{2/120}-1.1 xz liblzma5 xz-lang xz-devel@q
yast2 5.0.20-1.1 yast2@y yast2-logs@y yast2-ruby-bindings@y yast2-core@y
yast2-modules 5.0.4-1.1 yast2-bootloader@y yast2-country@y yast2-country-data@y yast2-firewall@y yast2-hardware-detection@y yast2-network@y yast2-packager@y yast2-pam@y yast2-perl-bindings@y yast2-pkg-bindings@y yast2-security@y yast2-services-manager@y yast2-slp@y yast2-storage-ng@y yast2-sysconfig@y yast2-transfer@y yast2-update@y yast2-users@y yast2-xml@y yast2-ycp-ui-bindings@y yast2-proxy@y yast2-ntp-client@y yast2-online-update@y yast2-installation@y yast2-hardware@y yast2-vm@E yast2-samba-server@E yast2-nfs-server@E yast2-theme@y
zip 3.0-33.1 zip@lv
zlib 1.3.1-4.1 libz1 zlib-devel@q libminizip1@E
zsh 5.9-9.1 zsh@l
zstd 1.5.7-3.1 zstd libzstd1 libzstd-devel@q
zypper 1.14.{94/30}-1.1 zypper zypper-log zypper-needs-restarting zypper-lifecycle-plugin@E
acpid 2.0.34-2.3 acpid@+acpid
at 3.2.5-6.2 at@+atd
fwupd 2.0.{19/40}-1.1 fwupd@+fwupd
golang-github-prometheus-node_exporter 1.10.{2/90}-1.1 golang-github-prometheus-node_exporter@+prometheus-node_exporter
keepalived 2.3.4-2.1 keepalived@+keepalived
lldpd 1.0.20-1.2 lldpd@+lldpd
rubygem-puppet 8.10.0-3.2 ruby3.4-rubygem-puppet@+puppet
thermald 2.5.10-1.1 thermald@+thermald
vnstat 2.13-1.3 vnstat@+vnstat
accountsservice 23.13.9-3.4 accountsservice@d accountsservice-lang@d libaccountsservice0@d
`,
};
