import type { TableText } from '../table.ts';

/** Made by scripts/debian-packages.ts from the package index of Debian 12 on 2026-11-22. */
export const DEBIAN_12: TableText = {
  date: '2026-11-22',
  groups: {
    a: ['web', 1],
    b: ['database', 1],
    c: ['build', 1],
    d: ['desktop', 1],
    e: ['php', 0.4],
    f: ['apache', 0.25],
    g: ['certificates', 0.3],
    h: ['samba', 0.3],
    i: ['shares', 0.45],
    j: ['snmp', 0.5],
    k: ['shells', 0.65],
    l: ['network', 0.6],
    m: ['storage', 0.7],
    n: ['virtual', 0.18],
    o: ['compilers', 0.5],
    p: ['headers', 0.42],
    q: ['python', 0.6],
    r: ['perl', 0.55],
    s: ['ruby', 0.18],
    t: ['javascript', 0.25],
    u: ['java', 0.28],
    v: ['printing', 0.25],
    w: ['images', 0.32],
    x: ['typesetting', 0.08],
    y: ['administration', 0.32],
    z: ['backup', 0.45],
    A: ['hardening', 0.6],
    B: ['directory', 0.42],
    C: ['mail', 0.4],
    D: ['desk', 0.15],
    E: ['containers', 0.28],
    F: ['clocks', 0.45],
  },
  lines: `
openitcockpit-agent 3.6.1 openitcockpit-agent
aalib 1.4p5-50 libaa1@d
abseil 20220623.1-1+deb12u{2/631} libabsl20220623@dewD
accountsservice 22.08.8-6 accountsservice@d gir1.2-accountsservice-1.0@d libaccountsservice0@d
acl 2.3.1-3 acl@d libacl1
acorn 8.8.1+ds+~cs25.17.7-2 node-acorn@t
acpid 1:2.0.33-2 acpid=*+b1@+acpid
adcli 0.9.1-2 adcli@B
adduser 3.134 adduser
adwaita-icon-theme 43-1 adwaita-icon-theme@dD
aide 0.18.3-1+deb12u{!5/252} aide@A
alsa-lib 1.2.8-1 libasound2-data@adnuwD+libvirtd libasound2=*+b1@adnuwD+libvirtd
amtk 5.6.1-2 libamtk-5-0@D libamtk-5-common@D
ann 1.1.2+doc-9 libann0=*+b1@w
ansible-core 2.14.18-0+deb12u{2/631} ansible-core@y
ant 1.10.13-1 ant@u
aom 3.6.0-1+deb12u{!3/420} libaom3@dew
apache-pom 29-2 libapache-pom-java@u
apache2 2.4.71-1~deb12u{!1/1261} apache2-bin@+apache2 apache2-data@+apache2 apache2-utils@f+apache2 apache2@+apache2
apg 2.2.3.dfsg.1-5 apg=*+b2@d
apparmor 3.0.8-3 apparmor-utils@A apparmor@A libapparmor1 python3-apparmor@A python3-libapparmor@A
appconfig 1.71-2.2 libappconfig-perl@r
appstream 0.16.1-2 libappstream4=*+b1@+packagekit
apr 1.7.2-3+deb12u{1/1261} libapr1@fo+apache2
apr-util 1.6.3-1+deb12u{!1/1261} libaprutil1-dbd-sqlite3@+apache2 libaprutil1-ldap@+apache2 libaprutil1@fo+apache2
apt 2.6.2 apt apt-utils libapt-pkg6.0
apt-listchanges 3.24 apt-listchanges
argon2 0~20171227-0.3+deb12u{1/1261} libargon2-1
aspell 0.60.8-4 libaspell15=*+b1@dD
at 3.2.5-1 at=*+b1@+atd
at-spi2-core 2.46.0-5 at-spi2-common@dD at-spi2-core@d gir1.2-atk-1.0@dD gir1.2-atspi-2.0@d libatk-bridge2.0-0@dD libatk1.0-0@dD libatspi2.0-0@dD
atinject-jsr330 1.0+ds1-5 libatinject-jsr330-api-java@u
attr 1:2.5.1-4 libattr1
audit 1:3.0.9-1 audispd-plugins@+auditd auditd@+auditd libaudit-common libaudit1 libauparse0@+auditd
augeas 1.14.0-1+deb12u{1/1261} augeas-lenses@+puppet libaugeas0@+puppet
autoconf 2.71-3 autoconf@o
autofs 5.1.8-2+deb12u{2/631} autofs@+autofs
automake-1.16 1:1.16.5-1.3 automake@o
autotools-dev 20220109.1 autotools-dev@o
avahi 0.8-10+deb12u{1/1261} libavahi-client3@adhuvBD+cups+smbd libavahi-common-data@adhuvBD+cups+smbd libavahi-common3@adhuvBD+cups+smbd
babeltrace 1.5.11-1 libbabeltrace1=*+b2@o
bacula 9.6.7-7 bacula-common@+bacula-fd bacula-fd@+bacula-fd
base-files 12.4+deb12u{15/84} base-files
base-passwd 3.6.1 base-passwd
bash 5.2.15-2 bash=*+b13
bash-completion 1:2.11-6 bash-completion
bc 1.07.1-3 bc=*+b1@+cups
bind9 1:9.18.{!49/45}-1~deb12u3 bind9-dnsutils bind9-host bind9-libs
binutils 2.40-2 binutils binutils-common binutils-x86-64-linux-gnu libbinutils libctf-nobfd0 libctf0 libgprofng0
bison 2:3.8.2+dfsg-1 bison=*+b1@o
blinker 1.5-1 python3-blinker@F
bluez 5.66-1+deb12u{!2/631} bluez@d libbluetooth3@d
boost1.74 1.74.0+ds1-21 libboost-filesystem1.74.0@D libboost-iostreams1.74.0@D libboost-locale1.74.0@D libboost-regex1.74.0@o libboost-thread1.74.0@D
borgbackup 1.2.4-1 borgbackup@z
bridge-utils 1.7.1-1 bridge-utils@l
brltty 6.5-7+deb12u{1/1261} libbrlapi0.8@n+libvirtd
brotli 1.0.9-2+deb12u{!1/1261} libbrotli-dev@p libbrotli1
bsd-mailx 8.1.2-0.20220412cvs-1 bsd-mailx@C
btrfs-progs 6.2-1+deb12u{2/631} btrfs-progs@m
bubblewrap 0.8.0-2+deb12u{!1/1261} bubblewrap@dD
build-essential 12.9 build-essential@co
busybox 1:1.35.0-4+deb12u{1/1261} busybox=*+b1
byobu 5.133-1.1 byobu@k
bzip2 1.0.8-5 bzip2=*+b1 libbz2-1.0=*+b1 libbz2-dev=*+b1@p
c-ares 1.18.1-3 libc-ares2@tB
ca-certificates 20250419~deb12u{!2/631} ca-certificates
ca-certificates-java 20230710~deb12u{1/1261} ca-certificates-java@au
cairo 1.16.0-7 libcairo-gobject2@dwD libcairo-script-interpreter2@dD libcairo2@dvwxD+cups
capstone 4.0.2-5 libcapstone4@n+libvirtd
ccache 4.8+really4.7.5-1 ccache@o
cdebconf 0.270 libdebconfclient0
cdi-api 1.2-3 libcdi-api-java@u
cdparanoia 3.10.2+debian-14 libcdparanoia0@dD
cfitsio 4.2.0-3 libcfitsio10@w
cgif 0.3.0-1 libcgif0@w
chardet 5.1.0+dfsg-2 python3-chardet
chromaprint 1.5.1-2 libchromaprint1=*+b1@w
chrony 4.3-2+deb12u{3/420} chrony@+chrony
cifs-utils 2:7.0-2 cifs-utils@hi
cjson 1.7.15-1+deb12u{!4/315} libcjson1@w
clamav 1.4.6+dfsg-0+deb12u{!1/1261} clamav-base@+clamav-daemon clamav-daemon@+clamav-daemon clamav-freshclam@+clamav-daemon libclamav12@+clamav-daemon
cloud-init 22.4.2-1+deb12u{4/315} cloud-init@F
cloud-utils 0.33-1 cloud-guest-utils@F
clp 1.17.6-3 coinor-libclp1@D
clucene-core 2.3.3.4+dfsg-1.1 libclucene-contribs1v5@D libclucene-core1v5@D
cmake 3.25.1-1 cmake-data@o cmake@o
codec2 1.0.5-1 libcodec2-1.0@w
coinmp 1.8.3-3 coinor-libcoinmp1v5@D
coinor-cbc 2.10.8+ds1-1 coinor-libcbc3@D
coinor-cgl 0.60.3+repack1-4 coinor-libcgl1@D
coinor-osi 0.108.6+repack1-2 coinor-libosi1v5@D
coinutils 2.11.4+repack1-2 coinor-libcoinutils3v5@D
colord 1.4.6-2.2 colord-data@d colord@d libcolord2@dD libcolorhug2@d
colord-gtk 0.3.0-3.1 libcolord-gtk4-1@d
commons-io 2.11.0-2 libcommons-io-java@u
commons-parent 56-1 libcommons-parent-java@u
composer 2.5.5-1+deb12u{!5/252} composer@e
configobj 5.0.8-1 python3-configobj@gF
conmon 2.1.6+ds1-1 conmon@E
console-setup 1.221 console-setup console-setup-linux keyboard-configuration
containerd 1.6.20~ds1-1+deb12u{!3/420} containerd@c+docker
coreutils 9.1-1 coreutils
cpio 2.13+dfsg-7.1 cpio
cracklib2 2.9.6-5 libcrack2=*+b1@dAB
cron 3.0pl1-162 cron cron-daemon-common
crun 1.8.1-1+deb12u{1/1261} crun@E
cryptsetup 2:2.6.1-4~deb12u{2/631} cryptsetup-bin@m cryptsetup@m libcryptsetup12
cups 2.4.2-3+deb12u{!9/140} cups-client@v+cups cups-common@v+cups cups-core-drivers@+cups cups-daemon@+cups cups-ipp-utils@+cups cups-ppdc@+cups cups-server-common@+cups cups@+cups libcups2@aduvD+cups+smbd
cups-filters 1.28.17-3+deb12u{!2/631} cups-filters-core-drivers@+cups cups-filters@+cups libcupsfilters1@+cups libfontembed1@+cups
curl 7.88.1-10+deb12u{!15/84} curl libcurl3-gnutls libcurl4 libcurl4-openssl-dev@p
cyrus-sasl2 2.1.28+dfsg-10+deb12u{!1/1261} libsasl2-2 libsasl2-modules-db libsasl2-modules-gssapi-mit@B libsasl2-modules@B
dash 0.5.12-2 dash
dav1d 1.0.0-2+deb12u{!1/1261} libdav1d6@dew
davfs2 1.6.1-1 davfs2@i
db5.3 5.3.28+dfsg2-1 libdb5.3
dbus 1.14.10-1~deb12u{1/1261} dbus dbus-bin dbus-daemon dbus-session-bus-common dbus-system-bus-common dbus-user-session@dnD libdbus-1-3
dbus-glib 0.112-3 libdbus-glib-1-2@+thermald
dbus-python 1.3.2-4 python3-dbus=*+b1@+unattended-upgrades
dconf 0.40.0-4 dconf-cli@d dconf-gsettings-backend@dnD dconf-service@dnD libdconf1@dnD
debconf 1.5.82 debconf debconf-i18n python3-debconf
debian-archive-keyring 2023.3+deb12u{2/631} debian-archive-keyring
debian-faq 11.1 debian-faq
debianutils 5.7-0.5~deb12u{1/1261} debianutils
debsums 3.0.2.1 debsums@A
desktop-base 12.0.6+nmu1~deb12u{1/1261} desktop-base@d
desktop-file-utils 0.26-1 desktop-file-utils@d
device-tree-compiler 1.6.1-4 libfdt1=*+b1@n+libvirtd
dh-runit 2.15.2 runit-helper
dictionaries-common 1.29.5 dictionaries-common@dD
diffutils 1:3.8-4 diffutils
ding-libs 0.6.2-1 libbasicobjects0@B libcollection4@B libdhash1@B libini-config5@B libpath-utils1@B libref-array1@B
distlib 0.3.6-1 python3-distlib@q
distro-info 1.5+deb12u{1/1261} python3-distro-info@+unattended-upgrades
distro-info-data 0.58+deb12u{7/180} distro-info-data
djvulibre 3.5.28-2.2~deb12u{!1/1261} libdjvulibre-text@D libdjvulibre21@D
dmidecode 3.4-1 dmidecode
dnspython 2.3.0-1+deb12u{!1/1261} python3-dnspython@gy+smbd
doc-debian 11.3+nmu1 doc-debian
docker-compose 1.29.2-3 docker-compose@E
docker.io 20.10.24+dfsg1-1+deb12u{1/1261} docker.io=*+b6@c+docker
dockerpty 0.4.1-4 python3-dockerpty@E
docopt 0.6.2-4.1 python3-docopt@E
dosfstools 4.2-1 dosfstools@m
dpkg 1.21.23 dpkg dpkg-dev@co libdpkg-perl@coA
duktape 2.7.0-2 libduktape207
duplicity 0.8.22-1 duplicity=*+b3@z
e2fsprogs 1.47.0-2 comerr-dev=2.1-*+b2@p e2fsprogs=*+b2 libcom-err2=*+b2 libext2fs2=*+b2 libss2=*+b2 logsave=*+b2
eclipse-jdt-core 4.26-2 libeclipse-jdt-core-java=3.32.0+eclipse*@a
edk2 2022.11-6+deb12u{!2/631} ovmf@n
efivar 37-6 libefiboot1 libefivar1
elfutils 0.188-2.1 libdebuginfod-common@o libdebuginfod1@o libdw1@dnoD+libvirtd+packagekit libelf1
emacsen-common 3.0.5 emacsen-common@dD
enchant-2 2.3.3-2 libenchant-2-2@dD
eog 43.2-1+deb12u{!1/1261} eog@D
error-prone-java 2.18.0-1 liberror-prone-java@u
etckeeper 1.18.20-1 etckeeper@y
ethtool 1:6.1-1 ethtool@l
evince 43.1-2+deb12u{!1/1261} evince-common@D evince@D libevdocument3-4@D libevview3-3@D
evolution-data-server 3.46.4-2+deb12u{!1/1261} evolution-data-server-common@d evolution-data-server@d libcamel-1.2-64@d libebackend-1.2-11@d libebook-1.2-21@d libebook-contacts-1.2-4@d libecal-2.0-2@d libedata-book-1.2-27@d libedata-cal-2.0-2@d libedataserver-1.2-27@d libedataserverui-1.2-4@d
exempi 2.6.3-1 libexempi8@dD
exim4 4.96-15+deb12u{!10/126} exim4-base exim4-config exim4-daemon-light
exiv2 0.27.6-1 libexiv2-27@d
expat 2.5.0-1+deb12u{!5/252} libexpat1 libexpat1-dev@q
facter 4.3.0-2 facter@+puppet
fail2ban 1.0.2-2 fail2ban@+fail2ban
ffmpeg 7:5.1.9-0+deb12u{!1/1261} ffmpeg@w libavcodec59@w libavdevice59@w libavfilter8@w libavformat59@w libavutil57@w libpostproc56@w libswresample4@w libswscale6@w
fftw3 3.3.10-1 libfftw3-double3@w
file 1:5.44-3 file libmagic-mgc libmagic1
file-roller 43.0-1 file-roller@D
findutils 4.9.0-4 findutils
firefox-esr 153.{!7/28}.0esr-1~deb12u1 firefox-esr@d
flac 1.4.2+ds-2 libflac12@dw
flashrom 1.3.0-2.1 libflashrom1@+fwupd
flex 2.6.4-8.2 flex@o
flite 2.2-5 libflite1@dw
fontconfig 2.14.1-4 fontconfig-config@adeuvwxD+cups fontconfig@dwD libfontconfig1@adeuvwxD+cups
fonts-dejavu 2.37-6 fonts-dejavu-core@adeuwxD+cups fonts-dejavu-extra@d fonts-dejavu@d
fonts-liberation2 2.1.5-1 fonts-liberation2@D
fonts-quicksand 0.2016-2.1 fonts-quicksand@d
fonts-urw-base35 20200910-7 fonts-urw-base35@vD+cups
freetype 2.12.1+dfsg-5+deb12u{!4/315} libfreetype-dev@p libfreetype6
fribidi 1.0.8-2.1 libfribidi0@dwD
fstrm 0.6.1-1 libfstrm0
fuse 2.9.9-6 libfuse2=*+b1
fuse3 3.14.0-4 fuse3@di libfuse3-3@dinF+libvirtd
fwupd 2.0.20-1~deb12u{2/631} fwupd@+fwupd libfwupd3@+fwupd
galera-4 26.4.23-0+deb12u{1/1261} galera-4@b
game-music-emu 0.6.3-6 libgme0@w
gawk 1:5.2.1-2 gawk
gcc-12 12.2.0-14+deb12u{1/1261} cpp-12@cdo+varnish g++-12@co gcc-12-base gcc-12@co+varnish libasan8@co+varnish libatomic1@acdo+varnish libcc1-0@co+varnish libgcc-12-dev@co+varnish libgcc-s1 libgfortran5@qwD libgomp1@cowz+varnish libitm1@co+varnish liblsan0@co+varnish libobjc-12-dev@o libobjc4@o libquadmath0@coqwD+varnish libstdc++-12-dev@co libstdc++6 libtsan2@co+varnish libubsan1@co+varnish
gcc-defaults 1.203 cpp=4:12.2.0-3@cdo+varnish g++=4:12.2.0-3@co gcc=4:12.2.0-3@co+varnish
gcr 3.41.1-1 gcr=*+b1@d gir1.2-gck-1=*+b1@d gir1.2-gcr-3=*+b1@d libgck-1-0=*+b1@d libgcr-base-3-1=*+b1@d libgcr-ui-3-1=*+b1@d
gdb 13.1-3 gdb@o
gdbm 1.23-3 libgdbm-compat4 libgdbm6
gdisk 1.0.9-2.1 gdisk@dmF
gdk-pixbuf 2.42.10+dfsg-1+deb12u{!4/315} gir1.2-gdkpixbuf-2.0@dD libgdk-pixbuf-2.0-0@dwD libgdk-pixbuf2.0-common@dwD
gdm3 43.0-3 gdm3@d gir1.2-gdm-1.0@d libgdm1@d
gedit 44.2-1 gedit-common@D gedit@D
geoclue-2.0 2.6.0-2+deb12u{1/1261} gir1.2-geoclue-2.0@d libgeoclue-2-0@d
geocode-glib 3.26.3-6 geocode-glib-common@d libgeocode-glib-2-0@d
geronimo-annotation-1.3-spec 1.3-1 libgeronimo-annotation-1.3-spec-java@u
geronimo-interceptor-3.0-spec 1.0.1-4 libgeronimo-interceptor-3.0-spec-java@u
gettext 0.21-12 gettext-base gettext@o
gexiv2 0.14.0-1 libgexiv2-2=*+b1@d
ghostscript 10.0.0~dfsg-11+deb12u{!9/140} ghostscript@v+cups libgs-common@vD+cups libgs10-common@vD+cups libgs10@vD+cups
giflib 5.2.1-2.5+deb12u{1/1261} libgif7@d
git 1:2.39.5-0+deb12u{!3/420} git-man@coy git@coy
git-lfs 3.3.0-1+deb12u{!2/631} git-lfs@o
gjs 1.74.2-1+deb12u{1/1261} libgjs0g@d
glib-networking 2.74.0-4 glib-networking-common@dnD glib-networking-services@dnD glib-networking@dnD
glib2.0 2.74.6-2+deb12u{!9/140} libglib2.0-0 libglib2.0-bin@dp+packagekit libglib2.0-data@dp+packagekit libglib2.0-dev-bin@p libglib2.0-dev@p
glibc 2.36-9+deb12u{!14/90} libc-bin libc-dev-bin@copq+varnish libc-l10n libc6 libc6-dbg@o libc6-dev@copq+varnish locales
gmp 2:6.2.1+dfsg1-1.1 libgmp-dev@ps libgmp10 libgmpxx4ldbl@ps
gnome-autoar 0.4.3-1 libgnome-autoar-0-0@d
gnome-backgrounds 43.1-1 gnome-backgrounds@d
gnome-bluetooth3 42.5-3 gir1.2-gnomebluetooth-3.0@d gnome-bluetooth-3-common@d libgnome-bluetooth-3.0-13@d libgnome-bluetooth-ui-3.0-13@d
gnome-calculator 1:43.0.1-2 gnome-calculator@D
gnome-control-center 1:43.6-2~deb12u{1/1261} gnome-control-center-data@d gnome-control-center@d
gnome-desktop 43.2-2 gir1.2-gnomedesktop-3.0@d gnome-desktop3-data@dD libgnome-bg-4-2@d libgnome-desktop-3-20@dD libgnome-desktop-4-2@d libgnome-rr-4-2@d
gnome-keyring 42.1-1 gnome-keyring=*+b2@d
gnome-online-accounts 3.46.0-1 libgoa-1.0-0b@d libgoa-1.0-common@d libgoa-backend-1.0-1@d
gnome-session 43.0-1+deb12u{1/1261} gnome-session-bin@d gnome-session-common@d gnome-session@d
gnome-settings-daemon 43.0-4 gnome-settings-daemon-common@d gnome-settings-daemon@d
gnome-shell 43.9-0+deb12u{!2/631} gnome-shell-common@d gnome-shell@d
gnome-terminal 3.46.8-1 gnome-terminal-data@d gnome-terminal@d
gnupg2 2.2.40-1.1+deb12u{2/631} dirmngr@zCDE+fwupd gnupg-l10n@zCDE+fwupd gnupg-utils@zCDE+fwupd gnupg@zCDE+fwupd gpg-agent@zCDE+fwupd gpg-wks-client@zCDE+fwupd gpg-wks-server@zCDE+fwupd gpg@zCDE+fwupd gpgconf@zCDE+fwupd gpgsm@zCDE+fwupd gpgv
gnutls28 3.7.9-2+deb12u{!7/180} gnutls-bin@n libgnutls-dane0 libgnutls30
gobject-introspection 1.74.0-3 gir1.2-freedesktop@dnD gir1.2-glib-2.0@dnD libgirepository-1.0-1@dnD
golang-github-containernetworking-plugins 1.1.1+ds1-3 containernetworking-plugins=*+b5@E
golang-github-containers-buildah 1.28.2+ds1-3+deb12u{1/1261} buildah=*+b3@E
golang-github-containers-common 0.50.1+ds1-4 golang-github-containers-common@E
golang-github-containers-image 5.23.1-4 golang-github-containers-image@E
gpgme1.0 1.18.0-3 libgpgme11=*+b1@CDE+fwupd libgpgmepp6=*+b1@D
gpm 1.20.7-10 libgpm2=*+b1@dk
graphene 1.10.8-1 gir1.2-graphene-1.0@d libgraphene-1.0-0@dD
graphite2 1.3.14-1+deb12u{1/1261} libgraphite2-3@aduwxD
graphviz 2.42.2-7+deb12u{1/1261} graphviz@w libcdt5@w libcgraph6@w libgvc6@w libgvpr2@w liblab-gamut1@w libpathplan4@w
grep 3.8-5 grep
groff 1.22.4-10 groff-base
grub2 2.06-13+deb12u{!2/631} grub-common grub-pc grub-pc-bin grub2-common
gsasl 2.2.0-1+deb12u{!2/631} libgsasl18@C
gsettings-desktop-schemas 43.0-1 gir1.2-gdesktopenums-3.0@d gsettings-desktop-schemas@dnD
gsound 1.0.3-2 libgsound0@d
gspell 1.12.0-1 libgspell-1-2=*+b2@D libgspell-1-common@D
gst-plugins-base1.0 1.22.0-3+deb12u{!7/180} gstreamer1.0-plugins-base@dD libgstreamer-gl1.0-0@d libgstreamer-plugins-base1.0-0@dnD+libvirtd
gst-plugins-good1.0 1.22.0-5+deb12u{!4/315} gstreamer1.0-plugins-good@d
gstreamer1.0 1.22.0-2+deb12u{!1/1261} gir1.2-gstreamer-1.0@d libgstreamer1.0-0@dnD+libvirtd+packagekit
gtk+3.0 3.24.38-2~deb12u{3/420} gir1.2-gtk-3.0@dD gtk-update-icon-cache@dD libgtk-3-0@dD libgtk-3-common@dD
gtk4 4.8.3+ds-2+deb12u{1/1261} gir1.2-gtk-4.0@d libgtk-4-1@dD libgtk-4-common@dD
gtksourceview4 4.8.4-4 gir1.2-gtksource-4@D libgtksourceview-4-0@D libgtksourceview-4-common@D
gtksourceview5 5.6.2-1 libgtksourceview-5-0@D libgtksourceview-5-common@D
gts 0.7.6+darcs121130-5 libgts-0.7-5=*+b1@w
guava-libraries 31.1-1 libguava-java@u
guice 4.2.3-2 libguice-java@u
gvfs 1.50.3-1+deb12u{1/1261} gvfs-common@d gvfs-daemons@d gvfs-fuse@d gvfs-libs@d gvfs@d
gzip 1.12-1 gzip
haproxy 2.6.12-1+deb12u{!4/315} haproxy@+haproxy
harfbuzz 6.0.0+dfsg-3 gir1.2-harfbuzz-0.0@dD libharfbuzz-icu0@dD libharfbuzz0b@aduwxD
hdf5 1.10.8+repack1-1 libhdf5-103-1@w
hdparm 9.65+ds-1 hdparm@m
hicolor-icon-theme 0.17-2 hicolor-icon-theme@dwD
hiera 3.10.0-1 hiera@+puppet
highway 1.0.3-3+deb12u{1/1261} libhwy1@w
hiredis 0.14.1-3 libhiredis0.14@o
hostname 3.23+nmu1 hostname
htop 3.2.2-2 htop@k
hunspell 1.7.1-1 libhunspell-1.7-0@dD
hyphen 2.8.8-7 libhyphen0@dD
ibus 1.5.27-5 gir1.2-ibus-1.0@d libibus-1.0-5@d
icu 72.1-3+deb12u{!1/1261} icu-devtools@p libicu-dev@p libicu72
ieee-data 20220827.1 ieee-data@y
ifupdown 0.8.41 ifupdown
ijs 0.35-15 libijs-0.35@vD+cups
imagemagick 8:6.9.11.60+dfsg-1.6+deb12u{!15/84} imagemagick-6-common@w imagemagick-6.q16@w imagemagick@w libmagickcore-6.q16-6@w libmagickwand-6.q16-6@w
imath 3.1.6-1 libimath-3-1-29@w
inetutils 2:2.4-2+deb12u{!3/420} inetutils-telnet
init-system-helpers 1.65.2+deb12u{1/1261} init init-system-helpers
initramfs-tools 0.142+deb12u{3/420} initramfs-tools initramfs-tools-core
intel-mediasdk 22.5.4-1 libmfx1@w
intel-processor-trace 2.0.5-1 libipt2@o
io-stringy 2.111-3 libio-stringy-perl@C
iperf3 3.12-1+deb12u{!2/631} iperf3@l libiperf0@l
iproute2 6.1.0-3 iproute2
iptables 1.8.9-2 iptables@cAE+docker+libvirtd libip4tc2 libip6tc2@cAE+docker+libvirtd libxtables12
iputils 3:20221126-1+deb12u{1/1261} iputils-ping
ipxe 1.0.0+git-20190125.36a4c85-5.1 ipxe-qemu@n+libvirtd
irqbalance 1.9.2-1 irqbalance@+irqbalance
isc-dhcp 4.4.3-P1-2 isc-dhcp-client isc-dhcp-common
isl 0.25-1.1 libisl23@cdo+varnish
iso-codes 4.15.0-1 iso-codes@dnD+libvirtd
jackd2 1.9.21~dfsg-3 libjack-jackd2-0@dw
jansi 2.4.0-2 libjansi-java@u
jansson 2.14-2 libjansson4
java-common 0.74 default-jdk-headless=2:1.17-74@u default-jre-headless=2:1.17-74@au java-common@au
jbig2dec 0.19-3+deb12u{!1/1261} libjbig2dec0@vD+cups
jbigkit 2.1-6.1 libjbig0@devwD+cups
jemalloc 5.3.0-1 libjemalloc2
jigit 1.22-3 libjte2@n
jinja2 3.1.2-1+deb12u{3/420} python3-jinja2@qyF
jpeg-xl 0.7.0-10+deb12u{!1/1261} libjxl0.7@w
jq 1.6-2.1+deb12u{!3/420} jq@k libjq1@k
json-c 0.16-2 libjson-c5
json-glib 1.6.6-1 gir1.2-json-1.0@d libjson-glib-1.0-0@dnD+fwupd libjson-glib-1.0-common@dnD+fwupd
jsonlint 1.9.0-1 jsonlint@e
kbd 2.5.1-1 kbd=*+b1
keepalived 1:2.2.7-1 keepalived=*+b2@+keepalived
keyutils 1.6.3-2 keyutils@+nfs-mountd+rpcbind libkeyutils1
klibc 2.0.12-1 klibc-utils libklibc
kmod 30+20221128-1 kmod libkmod2
krb5 1.20.1-2+deb12u{!5/252} krb5-locales krb5-multidev@p krb5-user@B libgssapi-krb5-2 libgssrpc4@pB libk5crypto3 libkadm5clnt-mit12@pB libkadm5srv-mit12@pB libkdb5-10@pB libkrb5-3 libkrb5-dev@p libkrb5support0
lame 3.100-6 libmp3lame0@dw
lapack 3.11.0-2 libblas3@lqwD liblapack3@qwD
lcms2 2.14-2+deb12u{!1/1261} liblcms2-2@aduvwD+cups
lerc 4.0.0+ds-2 liblerc4@devwD+cups
less 590-2.1~deb12u{!2/631} less
libabw 0.1.3-1 libabw-0.1-1@D
libadwaita-1 1.2.2-1 gir1.2-adw-1@d libadwaita-1-0@dD
libaec 1.0.6-1 libaec0=*+b1@w libsz2=*+b1@w
libaio 0.3.113-4 libaio1@bmn+libvirtd
libalgorithm-c3-perl 0.11-2 libalgorithm-c3-perl@r
libaopalliance-java 20070526-7 libaopalliance-java@u
libapache2-mod-fcgid 1:2.3.9-4 libapache2-mod-fcgid@+apache2
libarchive 3.6.2-1+deb12u{!5/252} libarchive13@dhoD+fwupd
libass 1:0.17.1-1+deb12u{!1/1261} libass9@w
libassuan 2.5.5-5 libassuan0@dzCDE+fwupd
libasyncns 0.8-6 libasyncns0=*+b3@dw
libatasmart 0.19-5 libatasmart4@d
libavc1394 0.5.4-5 libavc1394-0@dw
libavif 0.11.1-1+deb12u{!1/1261} libavif15@dew
libb-hooks-endofscope-perl 0.26-1 libb-hooks-endofscope-perl@r
libb-hooks-op-check-perl 0.22-2 libb-hooks-op-check-perl=*+b1@rC
libb2 0.98.1-1.1 libb2-1@z
libblockdev 2.28-2+deb12u{!1/1261} libblockdev-fs2@d libblockdev-loop2@d libblockdev-part-err2@d libblockdev-part2@d libblockdev-swap2@d libblockdev-utils2@d libblockdev2@d
libbluray 1:1.3.4-1 libbluray2@dw
libbpf 1.1.2-0+deb12u{1/1261} libbpf1=1:*
libbs2b 3.1.0+dfsg-7 libbs2b0@w
libbsd 0.11.7-2 libbsd0
libburn 1.5.4-1 libburn4@n
libcaca 0.99.beta20-3+deb12u{1/1261} libcaca0@dw
libcacard 1:2.8.0-3 libcacard0@n+libvirtd
libcanberra 0.30-10 libcanberra-gtk3-0@d libcanberra0@d
libcap-ng 0.8.3-1 libcap-ng0=*+b3
libcap2 1:2.66-4+deb12u{3/420} libcap2-bin=*+b1 libcap2=*+b1
libcbor 0.8.0-2 libcbor0.8=*+b1
libcdio 2.1.0-4 libcdio19@w
libcdio-paranoia 10.2+2.0.1-1 libcdio-cdda2@w libcdio-paranoia2@w
libclass-c3-perl 0.35-2 libclass-c3-perl@r
libclass-data-inheritable-perl 0.08-3 libclass-data-inheritable-perl@r
libclass-inspector-perl 1.36-3 libclass-inspector-perl@r
libclass-load-perl 0.25-2 libclass-load-perl@r
libclass-load-xs-perl 0.10-2 libclass-load-xs-perl=*+b1@r
libclass-method-modifiers-perl 2.14-1 libclass-method-modifiers-perl@r
libclass-singleton-perl 1.6-2 libclass-singleton-perl@r
libclone-perl 0.46-1 libclone-perl@rC
libcloudproviders 0.3.1-2 libcloudproviders0@dD
libcommons-cli-java 1.5.0-1 libcommons-cli-java@u
libcommons-lang3-java 3.12.0-2+deb12u{1/1261} libcommons-lang3-java@u
libconfig-inifiles-perl 3.000003-2+deb12u{!1/1261} libconfig-inifiles-perl@b
libcrypt-openssl-bignum-perl 0.09-2 libcrypt-openssl-bignum-perl=*+b1@C
libcrypt-openssl-random-perl 0.15-3 libcrypt-openssl-random-perl=*+b1@C
libcrypt-openssl-rsa-perl 0.33-3 libcrypt-openssl-rsa-perl=*+b1@C
libcue 2.2.1-4+deb12u{!1/1261} libcue2@d
libdata-optlist-perl 0.113-1 libdata-optlist-perl@rC
libdatetime-locale-perl 1:1.37-1 libdatetime-locale-perl@r
libdatetime-perl 2:1.59-1 libdatetime-perl@r
libdatetime-timezone-perl 1:2.60-1+2026f libdatetime-timezone-perl@r
libdatrie 0.2.13-2 libdatrie1=*+b1@dwD
libdbd-mysql-perl 4.050-5 libdbd-mysql-perl=*+b1@r
libdbd-pg-perl 3.16.0-2 libdbd-pg-perl@r
libdbi-perl 1.643-4+deb12u{!3/420} libdbi-perl@br+squid
libdc1394 2.2.6-4 libdc1394-25@w
libde265 1.0.11-1+deb12u{!3/420} libde265-0@dew
libdecor-0 0.1.1-2 libdecor-0-0@w
libdeflate 1.14-1 libdeflate0@devwD+cups
libdevel-callchecker-perl 0.008-2 libdevel-callchecker-perl@rC
libdevel-globaldestruction-perl 0.14-4 libdevel-globaldestruction-perl@r
libdevel-overloadinfo-perl 0.007-1 libdevel-overloadinfo-perl@r
libdevel-stacktrace-perl 2.0400-2 libdevel-stacktrace-perl@r
libdigest-hmac-perl 1.04+dfsg-2 libdigest-hmac-perl@C
libdist-checkconflicts-perl 0.11-2 libdist-checkconflicts-perl@r
libdrm 2.4.114-1 libdrm-amdgpu1=*+b1@dwD+fwupd libdrm-common@dnwDF+fwupd+libvirtd libdrm-intel1=*+b1@dwD libdrm-nouveau2=*+b1@dwD libdrm-radeon1=*+b1@dwD libdrm2=*+b1@dnwDF+fwupd+libvirtd
libdv 1.0.0-15 libdv4@d
libdynaloader-functions-perl 0.003-3 libdynaloader-functions-perl@rC
libe-book 0.1.3-2 libe-book-0.1-1=*+b2@D
libecap 1.0.1-3.4 libecap3@+squid
libedit 3.1-20221030-2 libedit2
libencode-locale-perl 1.05-3 libencode-locale-perl@r
libeot 0.01-5 libeot0=*+b1@D
libepoxy 1.5.10-1 libepoxy0@dnwD+libvirtd
libepubgen 0.1.1-1 libepubgen-0.1-1@D
liberror-perl 0.17029-2 liberror-perl@coyC
libestr 0.1.11-1 libestr0
libetonyek 0.1.10-3 libetonyek-0.1-1=*+b1@D
libeval-closure-perl 0.14-3 libeval-closure-perl@r
libevdev 1.13.0+dfsg-1 libevdev2@d+thermald
libevent 2.1.12-stable-8+deb12u{!1/1261} libevent-2.1-7 libevent-core-2.1-7@k+nfs-mountd+rpcbind
libexception-class-perl 1.45-1 libexception-class-perl@r
libexecs 1.3-2 libexecs0@n+libvirtd
libexif 0.6.24-1+deb12u{1/1261} libexif12@dwD+cups
libexttextcat 3.4.5-1 libexttextcat-2.0-0@D libexttextcat-data@D
libfastjson 1.2304.0-1 libfastjson4
libffi 3.4.4-1 libffi-dev@p libffi8
libfido2 1.12.0-2 libfido2-1=*+b1
libfile-find-rule-perl 0.34-4~deb12u{!1/1261} libfile-find-rule-perl
libfile-fnmatch-perl 0.02-3 libfile-fnmatch-perl=*+b1@A
libfile-listing-perl 6.15-1 libfile-listing-perl@r
libfile-sharedir-perl 1.118-3 libfile-sharedir-perl@r
libfontenc 1:1.1.4-1 libfontenc1@dvD+cups
libfreeaptx 0.1.1-2 libfreeaptx0@d
libftdi1 1.5-6 libftdi1-2=*+b2@+fwupd
libgav1 0.18.0-1 libgav1-1=*+b1@dew
libgc 1:8.2.2-3 libgc1@o
libgcrypt20 1.10.1-3+deb12u{!1/1261} libgcrypt20 libgcrypt20-dev@p
libgd2 2.3.3-9+deb12u{!1/1261} libgd3@dew
libgee-0.8 0.20.6-1 libgee-0.8-2@D
libgetopt-long-descriptive-perl 0.111-1 libgetopt-long-descriptive-perl@C
libglvnd 1.6.0-1 libegl1@d libgl1@dwD libgles2@d libglvnd0@dwD libglx0@dwD
libgpg-error 1.46-1 libgpg-error-dev@p libgpg-error0
libgphoto2 2.5.30-1 libgphoto2-6@d libgphoto2-port12@d
libgsf 1.14.50-1+deb12u{!1/1261} libgsf-1-114@dw libgsf-1-common@dw
libgsm 1.0.22-1 libgsm1@w
libgssglue 0.7-1.1 libgssglue1@C
libgtop2 2.40.0-2 libgtop-2.0-11@d libgtop2-common@d
libgudev 237-2 libgudev-1.0-0@d
libgusb 0.3.10-1 libgusb2@d
libgweather4 4.2.0-2 gir1.2-gweather-4.0@d libgweather-4-0@d libgweather-4-common@d
libgxps 0.3.2-2 libgxps2=*+b1@dD
libhandy-1 1.8.1-1 libhandy-1-0@D
libheif 1.15.1-1+deb12u{!1/1261} libheif1@dew
libhtml-parser-perl 3.81-1+deb12u{1/1261} libhtml-parser-perl@rC
libhtml-tagset-perl 3.20-6 libhtml-tagset-perl@rC
libhtml-tree-perl 5.07-3 libhtml-tree-perl@r
libhttp-cookies-perl 6.10-1 libhttp-cookies-perl@r
libhttp-date-perl 6.05-2 libhttp-date-perl@rC
libhttp-message-perl 6.44-1 libhttp-message-perl@r
libhttp-negotiate-perl 6.01-2 libhttp-negotiate-perl@r
libical3 3.0.16-1 libical3=*+b1@d
libice 2:1.0.10-1 libice6@dvwxD+cups
libidn 1.41-1 libidn12
libidn2 2.3.3-1 libidn2-0=*+b1
libiec61883 1.2.0-6 libiec61883-0=*+b1@dw
libieee1284 0.2.11-14 libieee1284-3@d
libimage-exiftool-perl 12.57+dfsg-1 libimage-exiftool-perl@w
libimagequant 2.17.0-1 libimagequant0@w
libinih 55-1 libinih1@m
libinput 1.22.1-1+deb12u{!1/1261} libinput-bin@d libinput10@d
libintl-perl 1.33-1 libintl-perl
libio-html-perl 1.004-3 libio-html-perl@r
libio-socket-ssl-perl 2.081-2 libio-socket-ssl-perl@rC
libio-string-perl 1.08-4 libio-string-perl@C
libiptcdata 1.0.5-2.3 libiptcdata0@d
libisoburn 1.5.4-4 libisoburn1@n xorriso@n
libisofs 1.5.4-1 libisofs6@n
libjaylink 0.3.1-1 libjaylink0@+fwupd
libjcat 0.2.3-1~deb12u{1/1261} libjcat1@+fwupd
libjpeg-turbo 1:2.1.5-2 libjpeg-dev@p libjpeg62-turbo-dev@p libjpeg62-turbo@adenpuvwD+cups+libvirtd
libjson-perl 4.10000-1 libjson-perl@brC
libjsoncpp 1.9.5-4 libjsoncpp25@o
libjsr305-java 0.1~+svn49-11 libjsr305-java@u
libksba 1.6.3-2 libksba8@zCDE+fwupd
liblangtag 0.6.4-2 liblangtag-common@D liblangtag1@D
liblc3 1.0.1-1 liblc3-0=*+b1@d
liblchown-perl 1.01-4 liblchown-perl=*+b1@z
libldac 2.0.2.3+git20200429+ed310a0-4 libldacbt-abr2@d libldacbt-enc2@d
liblinear 2.3.0+dfsg-5 liblinear4@l
liblocale-gettext-perl 1.07-5 liblocale-gettext-perl
liblockfile 1.17-1 liblockfile-bin=*+b1 liblockfile1=*+b1@C
liblognorm 2.0.6-4 liblognorm5
liblqr 0.4.2-2.1 liblqr-1-0@w
liblwp-mediatypes-perl 6.04-2 liblwp-mediatypes-perl@r
liblwp-protocol-https-perl 6.10-1 liblwp-protocol-https-perl@r
liblzf 3.6-3 liblzf1@a
libmail-authenticationresults-perl 2.20230112-1 libmail-authenticationresults-perl@C
libmail-dkim-perl 1.20230212-2~deb12u{1/1261} libmail-dkim-perl@C
libmail-sendmail-perl 0.80-3 libmail-sendmail-perl@r
libmailtools-perl 2.21-2 libmailtools-perl@C
libmanette 0.2.6-3 libmanette-0.2-0=*+b1@d
libmatio 1.5.23-2+deb12u{!1/1261} libmatio11@w
libmaxminddb 1.7.1-1 libmaxminddb0
libmbim 1.28.2-1 libmbim-glib4@d libmbim-proxy@d
libmd 1.0.4-2 libmd0
libmnl 1.0.4-3 libmnl0
libmodule-find-perl 0.16-2 libmodule-find-perl
libmodule-implementation-perl 0.09-2 libmodule-implementation-perl@rC
libmodule-runtime-conflicts-perl 0.003-2 libmodule-runtime-conflicts-perl@r
libmodule-runtime-perl 0.016-2 libmodule-runtime-perl@rC
libmoose-perl 2.2203-1 libmoose-perl@r
libmro-compat-perl 0.15-2 libmro-compat-perl@r
libmspack 0.11-1 libmspack0@F+clamav-daemon
libmwaw 0.3.21-1 libmwaw-0.3-3@D
libmysofa 1.3.1~dfsg0-1 libmysofa1@w
libnamespace-autoclean-perl 0.29-2 libnamespace-autoclean-perl@r
libnamespace-clean-perl 0.27-2 libnamespace-clean-perl@r
libndp 1.8-1+deb12u{!1/1261} libndp0@d
libnet-dns-perl 1.36-1+deb12u{!1/1261} libnet-dns-perl@C
libnet-http-perl 6.22-1 libnet-http-perl@r
libnet-smtp-ssl-perl 1.04-2 libnet-smtp-ssl-perl@C
libnet-snmp-perl 6.0.1-7 libnet-snmp-perl@r
libnet-ssleay-perl 1.92-2 libnet-ssleay-perl=*+b1@rC
libnetaddr-ip-perl 4.079+dfsg-2 libnetaddr-ip-perl=*+b1@C
libnetfilter-conntrack 1.0.9-3 libnetfilter-conntrack3@cAE+docker+libvirtd+squid
libnfnetlink 1.0.2-2 libnfnetlink0@cAE+docker+libvirtd+squid
libnftnl 1.2.4-2 libnftnl11
libnl3 3.7.0-0.2 libnl-3-200=*+b1@klnB+keepalived+libvirtd libnl-genl-3-200=*+b1@kl+keepalived libnl-route-3-200=*+b1@nB+libvirtd
libnma 1.10.6-1 gir1.2-nma-1.0@d libnma-common@d libnma-gtk4-0@d libnma0@d
libnotify 0.8.1-1 libnotify4@d
libnsl 1.3.0-2 libnsl-dev@copq+varnish libnsl2
libntlm 1.6-4 libntlm0@C
libnumber-compare-perl 0.03-3 libnumber-compare-perl
libnumbertext 1.0.11-1 libnumbertext-1.0-0@D libnumbertext-data@D
libnvme 1.3-1+deb12u{1/1261} libnvme1@m
libodfgen 0.1.8-2 libodfgen-0.1-1@D
libogg 1.3.5-3 libogg0@dwD
libonig 6.9.8-1 libonig5@ek
libopenmpt 0.6.9-1 libopenmpt0@w
liborcus 0.17.2-2 liborcus-0.17-0=*+b2@D liborcus-parser-0.17-0=*+b2@D
libosinfo 1.10.0-2 gir1.2-libosinfo-1.0@n libosinfo-1.0-0@dn libosinfo-l10n@dn
libotr 4.1.1-5 libotr5@D
libpackage-deprecationmanager-perl 0.18-1 libpackage-deprecationmanager-perl@r
libpackage-stash-perl 0.40-1 libpackage-stash-perl@r
libpackage-stash-xs-perl 0.30-1 libpackage-stash-xs-perl=*+b1@r
libpaper 1.1.29 libpaper-utils@x libpaper1@vxD+cups
libparams-classify-perl 0.015-2 libparams-classify-perl=*+b1@rC
libparams-util-perl 1.102-2 libparams-util-perl=*+b1@rC
libparams-validate-perl 1.31-1 libparams-validate-perl@C
libparams-validationcompiler-perl 0.31-1 libparams-validationcompiler-perl@r
libpcap 1.10.3-1 libpcap0.8@l+libvirtd
libpciaccess 0.17-2 libpciaccess0@dwD+libvirtd
libpeas 1.34.0-1 gir1.2-peas-1.0=*+b1@D libpeas-1.0-0=*+b1@D libpeas-common@D
libpgm 5.3.128~dfsg-2 libpgm-5.3-0@w
libphonenumber 8.12.57+ds-3 libphonenumber8@d
libpipeline 1.5.7-1 libpipeline1
libplacebo 4.208.0-3 libplacebo208@w
libpng1.6 1.6.39-2+deb12u{!6/210} libpng-dev@p libpng16-16
libpod 4.3.1+ds1-8+deb12u{1/1261} podman=*+b3@E
libportal 0.6-4 libportal-gtk4-1@d libportal1@d
libproc-processtable-perl 0.634-1 libproc-processtable-perl=*+b2
libproxy 0.4.18-1.2 libproxy1v5@dnD
libpsl 0.21.2-1 libpsl5
libpwquality 1.4.5-1 libpam-pwquality=*+b1@AB libpwquality-common@dAB libpwquality1=*+b1@dAB
libqmi 1.32.2-1 libqmi-glib5@d libqmi-proxy@d
libqrtr-glib 1.2.2-1 libqrtr-glib0@d
librabbitmq 0.11.0-1+deb12u{!3/420} librabbitmq4@w
libraw1394 2.1.2-2 libraw1394-11@dw
libregexp-ipv6-perl 0.03-3 libregexp-ipv6-perl@rC
libreoffice 4:7.4.7-1+deb12u{!14/90} fonts-opensymbol=4:102.12+LibO7.4.7-1+deb12u14@D libreoffice-base-core@D libreoffice-calc@D libreoffice-common@D libreoffice-core-nogui@D libreoffice-core@D libreoffice-style-colibre@D libreoffice-writer@D libuno-cppu3@D libuno-cppuhelpergcc3-3@D libuno-purpenvhelpergcc3-3@D libuno-sal3@D libuno-salhelpergcc3-3@D uno-libs-private@D ure@D
librest 0.9.1-6+deb12u{!1/1261} librest-1.0-0@d
librevenge 0.0.5-3 librevenge-0.0-0@D
librist 0.2.7+dfsg-1 librist4@w
librole-tiny-perl 2.002004-1 librole-tiny-perl@r
librsvg 2.54.7+dfsg-1~deb12u{!1/1261} gir1.2-rsvg-2.0@d librsvg2-2@dwD librsvg2-common@dD
librsync 2.3.2-1 librsync2=*+b1@z
libsamplerate 0.2.2-3 libsamplerate0@dw
libsdl2 2.26.5+dfsg-1 libsdl2-2.0-0@w
libseccomp 2.5.4-1+deb12u{1/1261} libseccomp2
libsecret 0.20.5-3 libsecret-1-0@dD libsecret-common@dD
libselinux 3.4-1 libselinux1-dev=*+b6@p libselinux1=*+b6
libsemanage 3.4-1 libsemanage-common libsemanage2=*+b5
libsepol 3.4-2.1 libsepol-dev@p libsepol2
libshout 2.4.6-1 libshout3=*+b1@d
libsigsegv 2.14-1 libsigsegv2
libslf4j-java 1.7.32-1 libslf4j-java@u
libslirp 4.7.0-1 libslirp0@n+libvirtd
libsm 2:1.2.3-1 libsm6@dvwxD+cups
libsndfile 1.2.0-1+deb12u{1/1261} libsndfile1@dw
libsocket6-perl 0.29-3 libsocket6-perl@C
libsodium 1.0.18-1+deb12u{!1/1261} libsodium23@aekqw+apache2
libsort-naturally-perl 1.03-4 libsort-naturally-perl
libsoup3 3.2.3-0+deb12u{2/631} gir1.2-soup-3.0@d libsoup-3.0-0@dnD libsoup-3.0-common@dnD
libsoxr 0.1.3-4 libsoxr0@w
libspecio-perl 0.48-1 libspecio-perl@r
libspectre 0.2.12-1 libspectre1@D
libssh 0.10.6-0+deb12u{!3/420} libssh-4@n+libvirtd libssh-gcrypt-4@w
libssh2 1.10.0-3+deb12u{!1/1261} libssh2-1
libstaroffice 0.0.7-1 libstaroffice-0.0-0@D
libsub-exporter-perl 0.989-1 libsub-exporter-perl@rC
libsub-exporter-progressive-perl 0.001013-3 libsub-exporter-progressive-perl@r
libsub-identify-perl 0.14-3 libsub-identify-perl@r
libsub-install-perl 0.929-1 libsub-install-perl@rC
libsub-name-perl 0.26-2 libsub-name-perl=*+b1@r
libsub-quote-perl 2.006008-1 libsub-quote-perl@r
libsys-hostname-long-perl 1.5-3 libsys-hostname-long-perl@rC
libtasn1-6 4.19.0-2+deb12u{!1/1261} libtasn1-6
libteam 1.31-1 libteamdctl0@d
libtemplate-perl 2.27-1 libtemplate-perl=*+b5@r
libterm-readkey-perl 2.38-2 libterm-readkey-perl=*+b1
libtext-charwidth-perl 0.04-11 libtext-charwidth-perl
libtext-csv-perl 2.02-2 libtext-csv-perl@r
libtext-glob-perl 0.11-3 libtext-glob-perl
libtext-iconv-perl 1.7-8 libtext-iconv-perl
libtext-wrapi18n-perl 0.06-10 libtext-wrapi18n-perl
libthai 0.1.29-1 libthai-data@dwD libthai0@dwD
libtheora 1.1.1+dfsg.1-16.1+deb12u{1/1261} libtheora0@dwD
libtimedate-perl 2.3300-2 libtimedate-perl@rC
libtirpc 1.3.3+ds-1 libtirpc-common libtirpc-dev@copq+varnish libtirpc3
libtool 2.4.7-7~deb12u{1/1261} libltdl7@dwD+squid libtool@o
libtpms 0.9.2-3.1+deb12u{!1/1261} libtpms0@n
libtry-tiny-perl 0.31-2 libtry-tiny-perl@rC
libudfread 1.1.2-1 libudfread0@dw
libunistring 1.0-2 libunistring2
libunwind 1.6.2-3 libunwind8@dnoD+libvirtd+packagekit
liburcu 0.13.2-1 liburcu8@m
liburi-perl 5.17-1 liburi-perl@rC
liburing 2.3-3 liburing2@bn+libvirtd+qemu-guest-agent
libusb-1.0 2:1.0.26-1 libusb-1.0-0
libutempter 1.2.1-3 libutempter0
libuv1 1.44.2-1+deb12u{!1/1261} libuv1 libuv1-dev@t
libva 2.17.0-1 libva-drm2@w libva-x11-2@w libva2@w
libvariable-magic-perl 0.63-1 libvariable-magic-perl=*+b1@r
libvdpau 1.5-2 libvdpau1@w
libvidstab 1.1.0-2 libvidstab1.1=*+b1@w
libvirt 9.0.0-4+deb12u{2/631} libvirt-clients@n+libvirtd libvirt-daemon-config-network@+libvirtd libvirt-daemon-config-nwfilter@+libvirtd libvirt-daemon-driver-qemu@+libvirtd libvirt-daemon-system-systemd@+libvirtd libvirt-daemon-system@+libvirtd libvirt-daemon@+libvirtd libvirt0@n+libvirtd
libvirt-python 9.0.0-1 python3-libvirt@n
libvisual 0.4.0-19 libvisual-0.4-0@dD
libvorbis 1.3.7-1 libvorbis0a@dwD libvorbisenc2@dwD libvorbisfile3@dw
libvpx 1.12.0-1+deb12u{!5/252} libvpx7@dwD
libwacom 2.6.0-1 libwacom-common@d libwacom9@d
libwebp 1.2.4-0.2+deb12u{!1/1261} libwebp7@devwD+cups libwebpdemux2@dwD libwebpmux3@dwD
libwpd 0.10.3-2 libwpd-0.10-10=*+b1@D
libwpg 0.3.3-1 libwpg-0.3-3@D
libwps 0.4.13-1 libwps-0.4-4@D
libwww-perl 6.68-1 libwww-perl@r
libwww-robotrules-perl 6.02-1 libwww-robotrules-perl@r
libx11 2:1.8.4-2+deb12u{!2/631} libx11-6@devwxD+cups libx11-data@devwxD+cups libx11-xcb1@dwD
libxau 1:1.0.9-1 libxau6@devwxD+cups
libxaw 2:1.0.14-1 libxaw7@dwxD
libxcb 1.15-1 libxcb-damage0@D libxcb-dri2-0@dwD libxcb-dri3-0@dwD libxcb-glx0@dwD libxcb-present0@dwD libxcb-randr0@dwD libxcb-render0@dvwxD+cups libxcb-res0@d libxcb-shape0@wD libxcb-shm0@dvwxD+cups libxcb-sync1@dwD libxcb-xfixes0@dwD libxcb-xkb1@d libxcb1@devwxD+cups
libxcomposite 1:0.4.5-1 libxcomposite1@dD
libxcrypt 1:4.4.33-2 libcrypt-dev@copq+varnish libcrypt1
libxcursor 1:1.2.1-1 libxcursor1@dwD
libxcvt 0.1.2-1 libxcvt0@d
libxdamage 1:1.1.6-1 libxdamage1@dD
libxdmcp 1:1.1.2-3 libxdmcp6@devwxD+cups
libxext 2:1.3.4-1 libxext6=*+b1@dvwxD+cups
libxfixes 1:6.0.0-2 libxfixes3@dwD
libxfont 1:2.0.6-1+deb12u{!1/1261} libxfont2@d
libxi 2:1.8-1 libxi6=*+b1@dwxD
libxinerama 2:1.1.4-3 libxinerama1@dD
libxkbcommon 1.5.0-1 libxkbcommon-x11-0@d libxkbcommon0@dwD libxkbregistry0@dD
libxkbfile 1:1.1.0-1 libxkbfile1@dD
libxml-libxml-perl 2.0207+dfsg+really+2.0134-1+deb12u{1/1261} libxml-libxml-perl@r
libxml-namespacesupport-perl 1.12-2 libxml-namespacesupport-perl@r
libxml-sax-base-perl 1.09-3 libxml-sax-base-perl@r
libxml-sax-perl 1.02+dfsg-3 libxml-sax-perl@r
libxml2 2.9.14+dfsg-1.3~deb12u{!6/210} libxml2 libxml2-dev@p python3-libxml2@n
libxmlb 0.3.22-1~deb12u{1/1261} libxmlb2@+fwupd+packagekit
libxmu 2:1.1.3-3 libxmu6@dwxD libxmuu1@dD
libxpm 1:3.5.12-1.1+deb12u{!1/1261} libxpm4@dewxD
libxrandr 2:1.5.2-2 libxrandr2=*+b1@dwD
libxrender 1:0.9.10-1.1 libxrender1@dvwxD+cups
libxshmfence 1.3-1 libxshmfence1@dwD
libxslt 1.1.35-1+deb12u{!4/315} libxslt1.1@bdenqDF
libxss 1:1.2.3-1 libxss1@w
libxstring-perl 0.005-2 libxstring-perl=*+b1@r
libxt 1:1.2.1-1.1 libxt6@dvwxD+cups
libxtst 2:1.2.3-1.1 libxtst6@dD
libxv 2:1.0.11-1.1 libxv1@wD
libxxf86dga 2:1.1.5-1 libxxf86dga1@D
libxxf86vm 1:1.1.4-1 libxxf86vm1=*+b2@dwD
libyaml 0.2.5-1 libyaml-0-2@pqsxyzEF+packagekit+puppet libyaml-dev@p
libyuv 0.0~git20230123.b2528b0-1 libyuv0@dew
libzip 1.7.3-1 libzip4=*+b1@e
libzstd 1.5.4+dfsg2-5 libzstd1 zstd
lilv 0.24.14-1 liblilv-0-0@dw
linux 6.1.{!192/31}-2 linux-libc-dev@copq+varnish
linux-base 4.12.1~deb12u{!1/1261} linux-base
lksctp-tools 1.0.19+dfsg-2 libsctp1@l
lldpd 1.0.16-1+deb12u{!1/1261} lldpd@+lldpd
llvm-defaults 0.55.7~deb12u{1/1261} clang=1:14.0-55.7~deb12u1@o
llvm-toolchain-14 1:14.0.6-12 clang-14@o libclang-common-14-dev@o libclang-cpp14@o libclang1-14@o libllvm14@bo llvm-14-linker-tools@o
llvm-toolchain-15 1:15.0.6-4 libllvm15=*+b1@dwD
lm-sensors 1:3.6.0-7.1 libsensors-config@djwD+keepalived+lldpd+snmpd libsensors5@djwD+keepalived+lldpd+snmpd lm-sensors@j
lmdb 0.9.24-1 liblmdb0
lmodern 2.005-1 fonts-lmodern@x
logrotate 3.21.0-1 logrotate
lp-solve 5.5.2.5-2 lp-solve@D
lsb-release-minimal 12.0-1 lsb-release@gEF+unattended-upgrades
lsof 4.95.0-1 lsof
ltrace 0.7.3-6.4 ltrace@o
lua-lpeg 1.0.2-2 lua-lpeg@l
lua5.3 5.3.6-2 liblua5.3-0@dlx+apache2+haproxy
lvm2 2.03.16-2 dmeventd=2:1.02.185-2@m dmsetup=2:1.02.185-2 libdevmapper-event1.02.1=2:1.02.185-2@m libdevmapper1.02.1=2:1.02.185-2 liblvm2cmd2.03@m lvm2@m
lxml 4.9.2-1+deb12u{!1/1261} python3-lxml@q
lz4 1.9.4-1 liblz4-1
lzo2 2.10-2 liblzo2-2@dlmD+bacula-fd
m4 1.4.19-3 m4@o
mailcap 3.70+nmu1 mailcap
make-dfsg 4.3-4.1 make@co
malcontent 0.11.0-4 libmalcontent-0-0@d
man-db 2.11.2-2 man-db
manpages 6.03-2 manpages
mariadb 1:10.11.{!19/91}-0+deb12u1 libmariadb-dev@p libmariadb3@bpr mariadb-client-core@b mariadb-client@b mariadb-common@bpr mariadb-server-core@b mariadb-server@b
markupsafe 2.1.2-1 python3-markupsafe=*+b1@qyF
maven 3.8.7-1 libmaven3-core-java@u maven@u
maven-parent 35-1 libmaven-parent-java@u
maven-resolver 1.6.3-1 libmaven-resolver-java@u
maven-shared-utils 3.3.4-1 libmaven-shared-utils-java@u
mawk 1.3.4.20200120-3.1 mawk
mbedtls 2.28.3-1 libmbedcrypto7@w
mc 3:4.8.29-2 mc-data@k mc@k
mdadm 4.2-5 mdadm@m
media-types 10.0.0 media-types
memcached 1.6.18-1+deb12u{!1/1261} memcached@+memcached
mesa 22.3.6-1+deb12u{2/631} libegl-mesa0@d libgbm1@dnw+libvirtd libgl1-mesa-dri@dwD libglapi-mesa@dwD libglx-mesa0@dwD
mhash 0.9.9.9-9 libmhash2@AD
mime-support 3.66 mime-support
modemmanager 1.20.4-1 libmm-glib0@d modemmanager@d
monitoring-plugins 2.3.3-5+deb12u{2/631} monitoring-plugins-basic@j monitoring-plugins-common@j
mozjs102 102.15.1-1~deb12u{1/1261} libmozjs-102-0@d
mpclib3 1.3.1-1 libmpc3@cdoD+varnish
mpfr4 4.2.0-1 libmpfr6
mpg123 1.31.2-1+deb12u{!1/1261} libmpg123-0@dw
mtdev 1.1.6-1 libmtdev1@d
mtr 0.95-1 mtr-tiny@l
mutt 2.2.12-0.1~deb12u{!2/631} mutt@C
mutter 43.8-0+deb12u{1/1261} gir1.2-mutter-11@d libmutter-11-0@d mutter-common@d
mysql-defaults 1.1.0 mysql-common=5.8+*@bpr
mythes 2:1.2.5-1 libmythes-1.2-0@D
nagios-nrpe 4.1.0-1 nagios-nrpe-server=*+b1@+nagios-nrpe-server
nano 7.2-1+deb12u{1/1261} nano
nautilus 43.2-1 libnautilus-extension4@dD nautilus-data@d nautilus@d
ncdu 1.18-0.2 ncdu@k
ncurses 6.4-4 libncurses-dev@p libncurses6@bdlps+clamav-daemon+puppet+smbd libncursesw6 libtinfo6 ncurses-base ncurses-bin ncurses-term
ndctl 76.1-1 libdaxctl1@n+libvirtd libndctl6@n+libvirtd
needrestart 3.6-4+deb12u{!3/420} needrestart
neon27 0.32.5-1 libneon27@i
net-snmp 5.9.3+dfsg-2+deb12u{!1/1261} libsnmp-base@dj+keepalived+lldpd+snmpd libsnmp40@dj+keepalived+lldpd+snmpd snmp@j snmpd@+snmpd
net-tools 2.10-0.1+deb12u{!2/631} net-tools@lA
netbase 6.4 netbase
netcat 1.10-47 netcat-traditional
netifaces 0.11.0-2 python3-netifaces=*+b1@F
nettle 3.8.1-2 libhogweed6 libnettle8
network-manager 1.42.4-1+deb12u{1/1261} gir1.2-nm-1.0@d libnm0@d network-manager@d
newt 0.52.23-1 libnewt0.52=*+b1 python3-newt=*+b1@k whiptail=*+b1
nfs-utils 1:2.6.2-4+deb12u{1/1261} libnfsidmap1@B+nfs-mountd+rpcbind nfs-common@+nfs-mountd+rpcbind nfs-kernel-server@+nfs-mountd
nftables 1.0.6-2+deb12u{2/631} libnftables1 nftables
nghttp2 1.52.0-1+deb12u{!3/420} libnghttp2-14
nginx 1.22.1-9+deb12u{!11/115} nginx-common@a nginx@a
ninja-build 1.11.1-2~deb12u{1/1261} ninja-build@o
nmap 7.93+dfsg1-1 nmap-common@l nmap@l
node-busboy 1.6.0+~cs2.6.0-2 node-busboy@t
node-cjs-module-lexer 1.2.2+dfsg-5 node-cjs-module-lexer@t
node-jquery 3.6.1+dfsg+~3.5.14-1 libjs-jquery@q
node-lru-cache 7.14.1-1 node-lru-cache@t
node-semver 7.3.5+~7.3.9-2 node-semver@t
node-undici 5.15.0+dfsg1+~cs20.10.9.3-1+deb12u{!4/315} node-undici@t
node-xtend 4.0.2-3 node-xtend@t
node-yallist 4.0.0+~4.0.1-1 node-yallist@t
nodejs 18.20.4+dfsg-1~deb12u{!3/420} libnode-dev@t libnode108@t nodejs@t
norm 1.5.9+dfsg-2 libnorm1@w
npth 1.6-3 libnpth0@zCDE+fwupd
nspr 2:4.35-1 libnspr4@adnuvwD+cups+libvirtd
nss 2:3.87.1-1+deb12u{!4/315} libnss3@adnuvwD+cups+libvirtd
numactl 2.0.16-1 libnuma1@bdenw+irqbalance+libvirtd+qemu-guest-agent
numpy 1:1.24.2-1+deb12u{1/1261} python3-numpy@q
nvme-cli 2.4+really2.3-3 nvme-cli@m
ocl-icd 2.3.1-1 ocl-icd-libopencl1@w
open-iscsi 2.1.8-1+deb12u{!1/1261} libopeniscsiusr@m open-iscsi@m
open-isns 0.101-0.2 libisns0=*+b1@m
open-vm-tools 2:12.2.0-1+deb12u{!4/315} open-vm-tools@F
openal-soft 1:1.19.1-2 libopenal-data@w libopenal1@w
openexr 3.1.5-5 libopenexr-3-1-30@w
openjdk-17 17.0.{!21/91}.1+2-1~deb12u1 openjdk-17-jdk-headless@u openjdk-17-jre-headless@au
openjpeg2 2.5.0-2+deb12u{!3/420} libopenjp2-7@dvwD+cups
openldap 2.5.13+dfsg-5 ldap-utils@B libldap-2.5-0 libldap-dev@p
openslide 3.4.1+dfsg-6+deb12u{1/1261} libopenslide0@w
openssh 1:9.2p1-2+deb12u{!10/126} openssh-client openssh-server openssh-sftp-server
openssl 3.0.{!22/80}-1~deb12u2 libssl-dev@pt libssl3 openssl
opensysusers 0.7.3-2 opensysusers@+fwupd
opentracing-c-wrapper 1.1.3-3 libopentracing-c-wrapper0=*+b1@+haproxy
opentracing-cpp 1.6.0-4 libopentracing1@+haproxy
openvpn 2.6.14-0+deb12u{!2/631} openvpn@l
opus 1.3.1-3 libopus0@dnwD+libvirtd
orc 1:0.4.33-2 liborc-0.4-0@dnwD+libvirtd
osinfo-db 0.20221130-2 osinfo-db@dn
p11-kit 0.24.1-2 libp11-kit0 p11-kit-modules@d p11-kit@d
p7zip 16.02+really26.02+dfsg-0+deb12u{!1/1261} p7zip-full@D p7zip@D
packagekit 1.2.6-5+deb12u{!1/1261} libpackagekit-glib2-18@+packagekit packagekit@+packagekit
pam 1.5.2-6+deb12u{2/631} libpam-modules libpam-modules-bin libpam-runtime libpam0g
pandoc 2.17.1.1-2~deb12u{1/1261} pandoc-data@x pandoc@x
pango1.0 1.50.12+ds-1 gir1.2-pango-1.0@dD libpango-1.0-0@dwD libpangocairo-1.0-0@dwD libpangoft2-1.0-0@dwD libpangoxft-1.0-0@dD
paramiko 2.12.0-2 python3-paramiko@q
parsedatetime 2.6-3 python3-parsedatetime@g
parted 3.5-3+deb12u{!1/1261} libparted-fs-resize0@d libparted2@dm+libvirtd parted@dm
patch 2.7.6-7 patch@co
pci.ids 0.0~2023.04.11-1 pci.ids
pciutils 1:3.9.0-4 libpci3 pciutils
pcre2 10.42-1+deb12u{!2/631} libpcre2-16-0@p libpcre2-32-0@p libpcre2-8-0 libpcre2-dev@p libpcre2-posix3@p
pcre3 2:8.39-15 libpcre3@l
pcsc-lite 1.9.9-2 libpcsclite1@anu+libvirtd
perl 5.36.0-7+deb12u{!4/315} libperl5.36 perl perl-base perl-modules-5.36
perl-openssl-defaults 7 perl-openssl-defaults=*+b1@rC
php-composer-ca-bundle 1.3.5-1 php-composer-ca-bundle@e
php-composer-class-map-generator 1.0.0-2+deb12u{1/1261} php-composer-class-map-generator@e
php-composer-metadata-minifier 1.0.0-2 php-composer-metadata-minifier@e
php-composer-pcre 3.1.0-1+deb12u{1/1261} php-composer-pcre@e
php-composer-semver 3.3.2-1 php-composer-semver@e
php-composer-spdx-licenses 1.5.7-1 php-composer-spdx-licenses@e
php-composer-xdebug-handler 3.0.3-2+deb12u{1/1261} php-composer-xdebug-handler@e
php-defaults 93 php-cli=2:8.2+*@e php-common=2:*@ae+apache2
php-json-schema 5.2.12-2 php-json-schema@e
php-psr-container 1.1.2-1 php-psr-container@e
php-psr-log 1.1.4-2 php-psr-log@e
php-react-promise 2.9.0-3 php-react-promise@e
php-seld-signal-handler 2.0.1-2 php-seld-signal-handler@e
php-symfony-contracts 2.5.5-0+deb12u{!1/1261} php-symfony-deprecation-contracts@e php-symfony-service-contracts@e
php8.2 8.2.{!36/40}-1~deb12u1 libapache2-mod-php8.2@+apache2 php8.2-bcmath@e php8.2-cli@ae+apache2 php8.2-common@ae+apache2 php8.2-curl@e php8.2-fpm@a php8.2-gd@e php8.2-intl@e php8.2-mbstring@e php8.2-mysql@e php8.2-opcache@ae+apache2 php8.2-pgsql@e php8.2-readline@ae+apache2 php8.2-soap@e php8.2-xml@e php8.2-zip@e
pinentry 1.2.1-1 pinentry-curses@zCDE+fwupd pinentry-gnome3@d
pipewire 0.3.65-3+deb12u{1/1261} gstreamer1.0-pipewire@d libpipewire-0.3-0@d libpipewire-0.3-modules@d libspa-0.2-bluetooth@d libspa-0.2-modules@d pipewire-alsa@d pipewire-audio@d pipewire-bin@d pipewire-pulse@d pipewire@d
pixman 0.42.2-1 libpixman-1-0@dnvwxD+cups+libvirtd
pkcs11-helper 1.29.0-1 libpkcs11-helper1@l
pkgconf 1.8.1-1 libpkgconf3@op pkg-config@op pkgconf-bin@op pkgconf@op
platformdirs 2.6.0-1 python3-platformdirs@q
plexus-cipher 2.0-1 libplexus-cipher-java@u
plexus-classworlds 2.7.0-1 libplexus-classworlds-java@u
plexus-containers 2.1.1-1 libplexus-component-annotations-java@u
plexus-interpolation 1.26-1 libplexus-interpolation-java@u
plexus-sec-dispatcher 2.0-3 libplexus-sec-dispatcher-java@u
plexus-utils2 3.4.2-1 libplexus-utils2-java@u
pmdk 1.12.1-2 libpmem1@n+libvirtd
pocketsphinx 0.8+5prealpha+1-15 libpocketsphinx3@w
policykit-1 122-3 gir1.2-polkit-1.0@d libpolkit-agent-1-0 libpolkit-gobject-1-0 polkitd
poppler 22.12.0-2+deb12u{!3/420} libpoppler-cpp0v5@+cups libpoppler-glib8@dwD libpoppler126@dvwD+cups poppler-utils@v+cups
poppler-data 0.4.12-1 poppler-data@vD+cups
popt 1.19+dfsg-1 libpopt0
postgresql-15 15.{!20/91}-0+deb12u1 libpq-dev@p libpq5@bepqr postgresql-15@b postgresql-client-15@b
postgresql-common 248+deb12u{!2/631} postgresql-client-common@b postgresql-common@b
procps 2:4.0.2-3 libproc2-0 procps
prometheus-node-exporter 1.5.0-1 prometheus-node-exporter=*+b6@+prometheus-node-exporter
protobuf 3.21.12-3+deb12u{1/1261} libprotobuf32@d
protobuf-c 1.4.1-1 libprotobuf-c1=*+b1
psmisc 23.6-1 psmisc@abeD+apache2
psycopg2 2.9.5-1 python3-psycopg2=*+b1@q
pulseaudio 16.1+dfsg1-2 libpulse-mainloop-glib0=*+b1@d libpulse0=*+b1@dw
puppet-agent 7.23.0-1+deb12u{!1/1261} puppet-agent@+puppet
pycairo 1.20.1-5 python3-cairo=*+b1@D
pycurl 7.45.2-3 python3-pycurl
pygobject 3.42.2-3 python3-gi-cairo=*+b1@D python3-gi=*+b1@nD
pyjwt 2.6.0-1+deb12u{!1/1261} python3-jwt@F
pyopenssl 23.0.0-1 python3-openssl@g
pyparsing 3.0.9-1 python3-pyparsing
pyrfc3339 1.1-4 python3-rfc3339@g
pyrsistent 0.18.1-1 python3-pyrsistent=*+b3@EF
pyserial 3.5-1.1 python3-serial@F
pysimplesoap 1.16.2-5 python3-pysimplesoap
python-acme 2.1.0-1 python3-acme@g
python-apt 2.6.0 python-apt-common python3-apt
python-async-timeout 4.0.2-1 python3-async-timeout@q
python-attrs 22.2.0-1 python3-attr@EF
python-bcrypt 3.2.2-1 python3-bcrypt@q
python-boto3 1.26.27+dfsg-1 python3-boto3@q
python-botocore 1.29.27+repack-1 python3-botocore@q
python-certbot 2.1.0-4 certbot@g python3-certbot@g
python-certbot-dns-rfc2136 2.1.0-1 python3-certbot-dns-rfc2136@g
python-certifi 2022.9.24-1 python3-certifi
python-cffi 1.15.1-5 python3-cffi-backend=*+b1@gqyF
python-charset-normalizer 3.0.1-2 python3-charset-normalizer
python-configargparse 1.5.3-1 python3-configargparse@g
python-cryptography 38.0.4-3+deb12u{!1/1261} python3-cryptography@gqyF
python-dateutil 2.8.2-2 python3-dateutil@q
python-debian 0.1.49 python3-debian
python-debianbts 4.0.1 python3-debianbts
python-deprecated 1.2.13-3 python3-deprecated@q
python-distro 1.8.0-1 python3-distro@gE
python-docker 5.0.3-1 python3-docker@qE
python-dotenv 0.21.0-1 python3-dotenv@E
python-fasteners 0.17.3-2 python3-fasteners@z
python-filelock 3.9.0-1+deb12u{1/1261} python3-filelock@q
python-future 0.18.2-6 python3-future@z
python-httplib2 0.20.4-3+deb12u{!1/1261} python3-httplib2
python-idna 3.3-1+deb12u{1/1261} python3-idna
python-jmespath 1.0.1-1 python3-jmespath@q
python-josepy 1.13.0-1 python3-josepy@g
python-json-patch 1.32-2 python3-jsonpatch@F
python-json-pointer 2.3-2 python3-json-pointer@F
python-jsonschema 4.10.3-1 python3-jsonschema@EF
python-lockfile 1:0.12.2-2.2 python3-lockfile@z
python-monotonic 1.6-2 python3-monotonic@z
python-msgpack 1.0.3-2 python3-msgpack=*+b1@z
python-nacl 1.5.0-2 python3-nacl@q
python-netaddr 0.8.0-2 python3-netaddr@y
python-oauthlib 3.2.2-1 python3-oauthlib@F
python-packaging 23.0-1 python3-packaging@qyz
python-pip 23.0.1+dfsg-1 python3-pip-whl@q python3-pip@q
python-pymysql 1.0.2-2+deb12u{!1/1261} python3-pymysql@q
python-redis 4.3.4-3 python3-redis@q
python-resolvelib 0.9.0-2 python3-resolvelib@y
python-s3transfer 0.6.0-1 python3-s3transfer@q
python-systemd 235-1 python3-systemd=*+b2@B
python-tz 2022.7.1-4 python3-tz@g
python-urllib3 1.26.12-1+deb12u{!4/315} python3-urllib3
python-virtualenv 20.17.1+ds-1 python3-virtualenv@q virtualenv@q
python-wrapt 1.14.1-2 python3-wrapt=*+b2@q
python3-defaults 3.11.2-1 libpython3-dev=*+b1@q libpython3-stdlib=*+b1 python3-dev=*+b1@q python3-minimal=*+b1 python3-venv=*+b1@q python3=*+b1
python3-stdlib-extensions 3.11.2-3 python3-distutils@pqyzE python3-lib2to3@pqyzE
python3.11 3.11.2-6+deb12u{!9/140} libpython3.11-dev@q libpython3.11-minimal libpython3.11-stdlib libpython3.11@oqD+smbd python3.11 python3.11-dev@q python3.11-minimal python3.11-venv@q
pyyaml 6.0-3 python3-yaml=*+b2@qyzEF
qemu 1:7.2+dfsg-7+deb12u{!18/70} qemu-guest-agent=*+b3@+qemu-guest-agent qemu-system-common=*+b3@n+libvirtd qemu-system-data@n+libvirtd qemu-system-x86=*+b3@n+libvirtd qemu-utils=*+b3@n
qpdf 11.3.0-1+deb12u{1/1261} libqpdf29@+cups
rake 13.0.6-3 rake@s+puppet
raptor2 2.0.15-4+deb12u{1/1261} libraptor2-0@D
rasqal 0.9.33-2 librasqal3@D
rdiff-backup 2.2.2-1 rdiff-backup@z
rdma-core 44.0-2 libibverbs1@n+libvirtd librdmacm1@n+libvirtd
readline 8.2-1.3 libreadline-dev@p libreadline8 readline-common
realmd 0.17.1-1 realmd@B
redis 5:7.0.15-1~deb12u{!10/126} redis-server@a redis-tools@a
redland 1.0.17-3 librdf0@D
reportbug 12.0.0 python3-reportbug reportbug
requests 2.28.1+dfsg-1 python3-requests
restic 0.14.0-1 restic=*+b5@z
rhash 1.4.3-3 librhash0@o
rkhunter 1.4.6-11 rkhunter@A
rpcbind 1.2.6-6 rpcbind=*+b1@+nfs-mountd+rpcbind
rpcsvc-proto 1.4.3-1 rpcsvc-proto@copq+varnish
rsnapshot 1.4.5-1 rsnapshot@z
rsync 3.5.0+ds1-0+deb12u{!1/1261} rsync
rsyslog 8.2302.0-1+deb12u{!2/631} rsyslog
rtkit 0.13-5 rtkit@d
rtmpdump 2.4+20151223.gitfa8646d.1-2 librtmp1=*+b2
rubberband 3.1.2+dfsg0-1 librubberband2@w
ruby-augeas 1:0.5.0+gem-1 ruby-augeas@+puppet
ruby-concurrent 1.1.6+dfsg-5 ruby-concurrent@+puppet
ruby-deep-merge 1.1.1-2 ruby-deep-merge@+puppet
ruby-defaults 1:3.1 libruby@s+puppet ruby-dev@s ruby@s+puppet
ruby-hocon 1.3.1-2 ruby-hocon@+puppet
ruby-net-telnet 0.2.0-1 ruby-net-telnet@s+puppet
ruby-rbtree 0.4.6-1 ruby-rbtree@+puppet
ruby-sdbm 1.0.0-5 ruby-sdbm=*+b1@s+puppet
ruby-semantic-puppet 1.0.4-1 ruby-semantic-puppet@+puppet
ruby-shadow 2.5.1-1 ruby-shadow@+puppet
ruby-sorted-set 1.0.3-3 ruby-sorted-set@+puppet
ruby-thor 1.2.1-2 ruby-thor@+puppet
ruby-webrick 1.8.1-1 ruby-webrick@s+puppet
ruby-xmlrpc 0.3.2-2 ruby-xmlrpc@s+puppet
ruby3.1 3.1.2-7+deb12u{!1/1261} libruby3.1@s+puppet ruby3.1-dev@s ruby3.1@s+puppet
rubygems 3.3.15-2+deb12u{1/1261} bundler=2.3.15-2+deb12u1@s ruby-bundler=2.3.15-2+deb12u1@s ruby-rubygems@s+puppet
rubygems-integration 1.18 rubygems-integration@s+puppet
runc 1.1.5+ds1-1+deb12u{!1/1261} runc@c+docker
rust-rav1e 0.5.1-6 librav1e0@dew
rust-ripgrep 13.0.0-4 ripgrep=*+b2@k
samba 2:4.17.12+dfsg-0+deb12u{!4/315} libldb2=2:2.6.2+samba4.17.12+dfsg-0+deb12u4@dhB+smbd libsmbclient@dhB libwbclient0@dhiB+smbd python3-ldb=2:2.6.2+samba4.17.12+dfsg-0+deb12u4@+smbd python3-samba@+smbd samba-common-bin@+smbd samba-common@h+smbd samba-libs@dhB+smbd samba@+smbd smbclient@h
sane-backends 1.2.1-2 libsane-common@d libsane1@d
sbc 2.0-1 libsbc1@d
scowl 2020.12.07-2 hunspell-en-us=1:*@dD wamerican
screen 4.9.0-4 screen
seabios 1.16.2-1 seabios@n+libvirtd
sed 4.9-1+deb12u{1/1261} sed
sensible-utils 0.0.17+nmu1 sensible-utils
serd 0.30.16-1 libserd-0-0@dw
serf 1.3.9-11 libserf-1-1@o
setuptools 66.1.1-1+deb12u{2/631} python3-pkg-resources python3-setuptools-whl@q python3-setuptools@qz
sg3-utils 1.46-3 libsgutils2-1.46-2@m sg3-utils@m
sgml-base 1.31 sgml-base
shadow 1:4.13+dfsg1-1+deb12u{2/631} libsubid4@E login passwd uidmap@E
shared-mime-info 2.2-1 shared-mime-info@dwD+fwupd
shine 3.1.1-2 libshine3@w
sisu-inject 0.3.4-2 libsisu-inject-java@u
sisu-plexus 0.3.4-3 libsisu-plexus-java@u
six 1.16.0-4 python3-six
skopeo 1.9.3+ds1-1 skopeo=*+b10@E
slang2 2.3.3-3 libslang2
smartmontools 7.3-1 smartmontools=*+b1@+smartmontools
snapd-glib 1.63-5 libsnapd-glib-2-1@d
snappy 1.1.9-3 libsnappy1v5@w
sndio 1.9.0-0.3 libsndio7.0=*+b2@nw+libvirtd
snowball 2.2.0-2 libstemmer0d@d+packagekit
socat 1.7.4.4-2 socat@bl
sord 0.16.14+git221008-1 libsord-0-0@dw
sound-theme-freedesktop 0.8-2 sound-theme-freedesktop@d
source-highlight 3.1.9-4.2 libsource-highlight-common@o libsource-highlight4v5=*+b3@o
spamassassin 4.0.1-1~deb12u{1/1261} spamassassin@C
speex 1.2.1-2 libspeex1@dw
sphinx 5.3.0-4 libjs-sphinxdoc@q
sphinxbase 0.8+5prealpha+1-16 libsphinxbase3@w
spice 0.15.1-1 libspice-server1@n+libvirtd
sqlite3 3.40.1-2+deb12u{2/631} libsqlite3-0 libsqlite3-dev@p
squid 5.7-2+deb12u{!6/210} squid-common@+squid squid@+squid
squid-langpack 20220130-1 squid-langpack@+squid
sratom 0.6.14-1 libsratom-0-0@dw
srt 1.5.1-1+deb12u{!2/631} libsrt1.5-gnutls@w
sshfs-fuse 3.7.3-1.2~deb12u{1/1261} sshfs@i
ssl-cert 1.1.2 ssl-cert@ab+cups
sssd 2.8.2-4+deb12u{1/1261} libipa-hbac0@B libnss-sss@B libpam-sss@B libsss-certmap0@B libsss-idmap0@B libsss-nss-idmap0@B python3-sss@B sssd-ad-common@B sssd-ad@B sssd-common@B sssd-ipa@B sssd-krb5-common@B sssd-krb5@B sssd-ldap@B sssd-proxy@B sssd-tools@B sssd@B
startup-notification 0.12-6 libstartup-notification0=*+b1@d
strace 6.1-0.1 strace@o
subversion 1.14.2-4+deb12u{1/1261} libsvn1@o subversion@o
sudo 1.9.13p3-1+deb12u{!4/315} sudo
suitesparse 1:5.12.0+dfsg-2 libcolamd2@D libsuitesparseconfig5@D
svt-av1 1.4.1+dfsg-1 libsvtav1enc1@dew
swaks 20201014.0-2 swaks@C
swtpm 0.7.1-1.3 swtpm-libs@n swtpm-tools@n swtpm@n
symfony 5.4.53+dfsg-0+deb12u{!1/1261} php-symfony-console@e php-symfony-filesystem@e php-symfony-finder@e php-symfony-process@e php-symfony-string@e
systemd 252.{!39/75}-1~deb12u2 libnss-systemd libpam-systemd libsystemd-dev@p libsystemd-shared libsystemd0 libudev1 systemd systemd-container@+libvirtd systemd-sysv systemd-timesyncd@+systemd-timesyncd udev
sysvinit 3.06-4 sysvinit-utils
t1utils 1.41-4 t1utils@x
taglib 1.13-2+deb12u{1/1261} libtag1v5-vanilla@d libtag1v5@d
talloc 2.4.0-f2 libtalloc2@dhiB+smbd python3-talloc@+smbd
tar 1.34+dfsg-1.2+deb12u{1/1261} tar
tasksel 3.73 task-ssh-server tasksel tasksel-data
tcp-wrappers 7.6.q-32 libwrap0
tcpdump 4.99.3-1 tcpdump@l
tdb 1.4.8-2 libtdb1@dhB+smbd+squid python3-tdb@+smbd tdb-tools@+smbd
teckit 2.5.11+ds1-1 libteckit0=*+b1@x
tepl 6.4.0-7 libtepl-6-2@D libtepl-common@D
tevent 0.14.1-1 libtevent0@dhB+smbd
tex-common 6.18 tex-common@x
texlive-base 2022.20230122-3 texlive-base@x texlive-fonts-recommended@x texlive-latex-base@x
texlive-bin 2022.20220321.62855-5.1+deb12u{2/631} libkpathsea6@xD libptexenc1@x libsynctex2@xD libtexlua53-5@x libtexluajit2@x texlive-binaries@x
texttable 1.6.7-1 python3-texttable@E
thermald 2.5.2-1 thermald@+thermald
thunderbird 1:153.{!7/28}.0esr-1~deb12u1 thunderbird@D
tiff 4.5.0-6+deb12u{!4/315} libtiff6@devwD+cups
tini 0.19.0-1 tini=*+b3@c+docker
tmux 3.3a-3 tmux@k
tokyocabinet 1.4.48-15 libtokyocabinet9@C
tomcat10 10.1.{!60/40}-1~deb12u1 libtomcat10-java@a tomcat10-common@a tomcat10@a
totem-pl-parser 3.26.6-1 libtotem-plparser-common@d libtotem-plparser18=*+b1@d
tpm-udev 0.6 tpm-udev@+fwupd
tpm2-tss 3.2.1-3 libtss2-esys-3.0.2-0@+fwupd libtss2-mu0@+fwupd libtss2-sys1@+fwupd libtss2-tcti-cmd0@+fwupd libtss2-tcti-device0@+fwupd libtss2-tcti-mssim0@+fwupd libtss2-tcti-swtpm0@+fwupd
traceroute 1:2.1.2-1 traceroute
tracker 3.4.2-1 libtracker-sparql-3.0-0@d tracker@d
tracker-miners 3.4.3-1 tracker-extract@d tracker-miner-fs@d
tree 2.1.0-1 tree@k
twolame 0.4.0-2 libtwolame0@dw
tzdata 2026f-0+deb12u{!1/1261} tzdata
ucf 3.0043+nmu1+deb12u{1/1261} ucf
uchardet 0.0.7-1 libuchardet0
udisks2 2.9.4-4+deb12u{!2/631} libudisks2-0@d udisks2@d
ufw 0.36.2-1 ufw@A
unattended-upgrades 2.9.1+nmu3 unattended-upgrades@+unattended-upgrades
unbound 1.17.1-2+deb12u{!4/315} libunbound8
underscore 1.13.4~dfsg+~1.11.4-3 libjs-underscore@q
upower 0.99.20-2 gir1.2-upowerglib-1.0@d libupower-glib3@d+thermald upower@d
usb.ids 2025.07.26-0+deb12u{1/1261} usb.ids@dn
usbredir 0.13.0-2 libusbredirparser1@n+libvirtd
usbutils 1:014-1+deb12u{1/1261} usbutils
usrmerge 37~deb12u{1/1261} usrmerge
utf8proc 2.8.0-1 libutf8proc2@o
util-linux 2.38.1-5+deb12u{!3/420} bsdextrautils bsdutils=1:* eject@F fdisk libblkid-dev@p libblkid1 libfdisk1 libmount-dev@p libmount1 libsmartcols1 libuuid1 mount util-linux util-linux-extra util-linux-locales uuid-dev@p uuid-runtime@m
v4l-utils 1.22.1-5 libv4l-0=*+b2@d libv4lconvert0=*+b2@d
valgrind 1:3.19.0-1 valgrind@o
varnish 7.1.1-2+deb12u{!1/1261} libvarnishapi3@+varnish varnish@+varnish
vdeplug4 4.0.1-4 libvdeplug2@n+libvirtd
vim 2:9.0.1378-2+deb12u{2/631} vim-common vim-runtime@k vim-tiny vim@k
vips 8.14.1-3+deb12u{!3/420} libvips-tools@w libvips42@w
virt-manager 1:4.1.0-2 virtinst@n
vlan 2.0.5 vlan@l
vnstat 2.10-2 vnstat@+vnstat
vte2.91 0.70.6-2~deb12u{1/1261} libvte-2.91-0@d libvte-2.91-common@d
vulkan-loader 1.3.239.0-1 libvulkan1@w
wagon 3.5.3-1 libwagon-file-java@u libwagon-http-shaded-java@u libwagon-provider-api-java@u
wavpack 5.6.0-1 libwavpack1@d
wayland 1.21.0-1 libwayland-client0@dwD libwayland-cursor0@dwD libwayland-egl1@dwD libwayland-server0@dnw+libvirtd
webkit2gtk 2.50.6-1~deb12u{!2/631} gir1.2-javascriptcoregtk-4.1@d gir1.2-webkit2-4.1@d libjavascriptcoregtk-4.1-0@d libwebkit2gtk-4.1-0@d
webp-pixbuf-loader 0.2.1-1 webp-pixbuf-loader@dD
webrtc-audio-processing 0.3-1 libwebrtc-audio-processing1=*+b1@d
websocket-client 1.2.3-1 python3-websocket@qE
wget 1.21.3-1+deb12u{1/1261} wget
wheel 0.38.4-2 python3-wheel-whl@q python3-wheel@q
whois 5.5.17 whois@l
wireguard 1.0.20210914-1 wireguard-tools=*+b1@l
wireplumber 0.4.13-1 libwireplumber-0.4-0@d wireplumber@d
woff2 1.0.2-2 libwoff1@d
x11-apps 7.7+9 x11-apps@D
x11-utils 7.7+5 x11-utils@D
x11-xkb-utils 7.7+7 x11-xkb-utils@d
x11-xserver-utils 7.7+9 x11-xserver-utils=*+b1@d
x264 2:0.164.3095+gitbaee400-3 libx264-164@w
x265 3.5-2 libx265-199=*+b1@dew
xauth 1:1.1.2-1 xauth@D
xbitmaps 1.1.1-2.2 xbitmaps@D
xcb-util 0.4.0-1 libxcb-util1=*+b1@d
xdg-dbus-proxy 0.1.4-3+deb12u{!2/631} xdg-dbus-proxy@d
xdg-desktop-portal 1.16.0-2 xdg-desktop-portal@d
xdg-desktop-portal-gnome 43.1-2 xdg-desktop-portal-gnome@d
xdg-desktop-portal-gtk 1.14.1-1 xdg-desktop-portal-gtk@d
xdg-utils 1.1.3-4.1 xdg-utils@x
xfonts-encodings 1:1.0.4-2.2 xfonts-encodings@vD+cups
xfonts-utils 1:7.7+6 xfonts-utils@vD+cups
xfsprogs 6.1.0-1 xfsprogs@m
xft 2.3.6-1 libxft2@dD
xkeyboard-config 2.35.1-1 xkb-data
xml-core 0.18+nmu1 xml-core
xmlsec1 1.2.37-2 libxmlsec1-nss@D libxmlsec1-openssl@F libxmlsec1@DF
xorg 1:7.7+23 x11-common@dvwxD+cups
xorg-server 2:21.1.7-3+deb12u{!13/97} xserver-common@d xserver-xorg-core@d
xterm 379-1 xterm@D
xvidcore 2:1.3.7-1 libxvidcore4@w
xwayland 2:22.1.9-1 xwayland@d
xxhash 0.8.1-1 libxxhash0
xz-utils 5.4.1-1+deb12u{!2/631} liblzma-dev@p liblzma5 xz-utils
yajl 2.1.0-3+deb12u{2/631} libyajl2@nDE+libvirtd
z3 4.8.12-3.1 libz3-4@bdowD
zabbix 1:6.0.14+dfsg-1 zabbix-agent2=*+b1@+zabbix-agent2
zeromq3 4.3.4-6 libzmq5@w
zimg 3.0.4+ds1-1 libzimg2@w
zlib 1:1.2.13.dfsg-1 zlib1g zlib1g-dev@pq
zsh 5.9-4 zsh-common@k zsh=*+b15@k
zvbi 0.2.41-1+deb12u{1/1261} libzvbi-common@w libzvbi0@w
zxing-cpp 1.4.0-3 libzxing2=*+b1@D
zziplib 0.13.72+dfsg.1-1.1 libzzip-0-13@x
`,
};
