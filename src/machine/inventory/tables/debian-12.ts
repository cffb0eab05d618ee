import type { TableText } from '../table.ts';

/** Made by scripts/debian-packages.ts from the package index of Debian 12 on 2026-11-21. */
export const DEBIAN_12: TableText = {
  date: '2026-11-21',
  groups: {
    a: ['web', 1],
    b: ['database', 1],
    c: ['build', 1],
    d: ['desktop', 1],
    e: ['php', 0.4],
    f: ['apache', 0.25],
    g: ['certificates', 0.3],
    h: ['proxies', 0.22],
    i: ['samba', 0.3],
    j: ['shares', 0.45],
    k: ['snmp', 0.5],
    l: ['shells', 0.65],
    m: ['network', 0.6],
    n: ['storage', 0.7],
    o: ['virtual', 0.18],
    p: ['compilers', 0.5],
    q: ['headers', 0.42],
    r: ['python', 0.6],
    s: ['perl', 0.55],
    t: ['ruby', 0.18],
    u: ['javascript', 0.25],
    v: ['java', 0.28],
    w: ['printing', 0.25],
    x: ['images', 0.32],
    y: ['typesetting', 0.08],
    z: ['administration', 0.32],
    A: ['backup', 0.45],
    B: ['hardening', 0.6],
    C: ['directory', 0.42],
    D: ['mail', 0.4],
    E: ['desk', 0.15],
    F: ['containers', 0.28],
    G: ['clocks', 0.45],
  },
  lines: `
openitcockpit-agent 3.6.1 openitcockpit-agent
aalib 1.4p5-50 libaa1@d
abseil 20220623.1-1+deb12u{2/630} libabsl20220623@dexE
accountsservice 22.08.8-6 accountsservice@d gir1.2-accountsservice-1.0@d libaccountsservice0@d
acl 2.3.1-3 acl@d libacl1
acorn 8.8.1+ds+~cs25.17.7-2 node-acorn@u
adcli 0.9.1-2 adcli@C
adduser 3.134 adduser
adwaita-icon-theme 43-1 adwaita-icon-theme@dE
aide 0.18.3-1+deb12u{!5/252} aide@B
alsa-lib 1.2.8-1 libasound2-data@adovxE libasound2=*+b1@adovxE
amtk 5.6.1-2 libamtk-5-0@E libamtk-5-common@E
ann 1.1.2+doc-9 libann0=*+b1@x
ansible-core 2.14.18-0+deb12u{2/630} ansible-core@z
ant 1.10.13-1 ant@v
aom 3.6.0-1+deb12u{!3/420} libaom3@dex
apache-pom 29-2 libapache-pom-java@v
apache2 2.4.71-1~deb12u{!1/1261} apache2-bin@fg apache2-data@fg apache2-utils@fg apache2@fg
apg 2.2.3.dfsg.1-5 apg=*+b2@d
apparmor 3.0.8-3 apparmor-utils@B apparmor@B libapparmor1 python3-apparmor@B python3-libapparmor@B
appconfig 1.71-2.2 libappconfig-perl@s
apr 1.7.2-3+deb12u{1/1261} libapr1@fgp
apr-util 1.6.3-1+deb12u{!1/1261} libaprutil1-dbd-sqlite3@fg libaprutil1-ldap@fg libaprutil1@fgp
apt 2.6.2 apt apt-utils libapt-pkg6.0
apt-listchanges 3.24 apt-listchanges
argon2 0~20171227-0.3+deb12u{1/1261} libargon2-1
aspell 0.60.8-4 libaspell15=*+b1@dE
at-spi2-core 2.46.0-5 at-spi2-common@dE at-spi2-core@d gir1.2-atk-1.0@dE gir1.2-atspi-2.0@d libatk-bridge2.0-0@dE libatk1.0-0@dE libatspi2.0-0@dE
atinject-jsr330 1.0+ds1-5 libatinject-jsr330-api-java@v
attr 1:2.5.1-4 libattr1
audit 1:3.0.9-1 auditd@B libaudit-common libaudit1 libauparse0@B
augeas 1.14.0-1+deb12u{1/1261} augeas-lenses@gz libaugeas0@gz
autoconf 2.71-3 autoconf@p
autofs 5.1.8-2+deb12u{2/630} autofs@j
automake-1.16 1:1.16.5-1.3 automake@p
autotools-dev 20220109.1 autotools-dev@p
avahi 0.8-10+deb12u{1/1261} libavahi-client3@adivwCE libavahi-common-data@adivwCE libavahi-common3@adivwCE
babeltrace 1.5.11-1 libbabeltrace1=*+b2@p
bacula 9.6.7-7 bacula-common@A bacula-fd@A
base-files 12.4+deb12u{15/84} base-files
base-passwd 3.6.1 base-passwd
bash 5.2.15-2 bash=*+b13
bash-completion 1:2.11-6 bash-completion
bc 1.07.1-3 bc=*+b1@w
bind9 1:9.18.{!49/45}-1~deb12u3 bind9-dnsutils bind9-host bind9-libs
binutils 2.40-2 binutils binutils-common binutils-x86-64-linux-gnu libbinutils libctf-nobfd0 libctf0 libgprofng0
bison 2:3.8.2+dfsg-1 bison=*+b1@p
blinker 1.5-1 python3-blinker@G
bluez 5.66-1+deb12u{!2/630} bluez@d libbluetooth3@d
boost1.74 1.74.0+ds1-21 libboost-filesystem1.74.0@E libboost-iostreams1.74.0@E libboost-locale1.74.0@E libboost-regex1.74.0@p libboost-thread1.74.0@E
borgbackup 1.2.4-1 borgbackup@A
bridge-utils 1.7.1-1 bridge-utils@m
brltty 6.5-7+deb12u{1/1261} libbrlapi0.8@o
brotli 1.0.9-2+deb12u{!1/1261} libbrotli-dev@q libbrotli1
bsd-mailx 8.1.2-0.20220412cvs-1 bsd-mailx@D
btrfs-progs 6.2-1+deb12u{2/630} btrfs-progs@n
bubblewrap 0.8.0-2+deb12u{!1/1261} bubblewrap@dE
build-essential 12.9 build-essential@cp
busybox 1:1.35.0-4+deb12u{1/1261} busybox=*+b1
byobu 5.133-1.1 byobu@l
bzip2 1.0.8-5 bzip2=*+b1 libbz2-1.0=*+b1 libbz2-dev=*+b1@q
c-ares 1.18.1-3 libc-ares2@uC
ca-certificates 20250419~deb12u{!2/630} ca-certificates
ca-certificates-java 20230710~deb12u{1/1261} ca-certificates-java@av
cairo 1.16.0-7 libcairo-gobject2@dxE libcairo-script-interpreter2@dE libcairo2@dwxyE
capstone 4.0.2-5 libcapstone4@o
ccache 4.8+really4.7.5-1 ccache@p
cdebconf 0.270 libdebconfclient0
cdi-api 1.2-3 libcdi-api-java@v
cdparanoia 3.10.2+debian-14 libcdparanoia0@dE
cfitsio 4.2.0-3 libcfitsio10@x
cgif 0.3.0-1 libcgif0@x
chardet 5.1.0+dfsg-2 python3-chardet
chromaprint 1.5.1-2 libchromaprint1=*+b1@x
cifs-utils 2:7.0-2 cifs-utils@i
cjson 1.7.15-1+deb12u{!4/315} libcjson1@x
clamav 1.4.6+dfsg-0+deb12u{!1/1261} clamav-base@D clamav-daemon@D clamav-freshclam@D libclamav12@D
cloud-init 22.4.2-1+deb12u{4/315} cloud-init@G
cloud-utils 0.33-1 cloud-guest-utils@G
clp 1.17.6-3 coinor-libclp1@E
clucene-core 2.3.3.4+dfsg-1.1 libclucene-contribs1v5@E libclucene-core1v5@E
cmake 3.25.1-1 cmake-data@p cmake@p
codec2 1.0.5-1 libcodec2-1.0@x
coinmp 1.8.3-3 coinor-libcoinmp1v5@E
coinor-cbc 2.10.8+ds1-1 coinor-libcbc3@E
coinor-cgl 0.60.3+repack1-4 coinor-libcgl1@E
coinor-osi 0.108.6+repack1-2 coinor-libosi1v5@E
coinutils 2.11.4+repack1-2 coinor-libcoinutils3v5@E
colord 1.4.6-2.2 colord-data@d colord@d libcolord2@dE libcolorhug2@d
colord-gtk 0.3.0-3.1 libcolord-gtk4-1@d
commons-io 2.11.0-2 libcommons-io-java@v
commons-parent 56-1 libcommons-parent-java@v
composer 2.5.5-1+deb12u{!5/252} composer@e
configobj 5.0.8-1 python3-configobj@gG
conmon 2.1.6+ds1-1 conmon@F
console-setup 1.221 console-setup console-setup-linux keyboard-configuration
containerd 1.6.20~ds1-1+deb12u{!3/420} containerd@cF
coreutils 9.1-1 coreutils
cpio 2.13+dfsg-7.1 cpio
cracklib2 2.9.6-5 libcrack2=*+b1@dBC
cron 3.0pl1-162 cron cron-daemon-common
cryptsetup 2:2.6.1-4~deb12u{2/630} cryptsetup-bin@n cryptsetup@n libcryptsetup12
cups 2.4.2-3+deb12u{!9/140} cups-client@w cups-common@w cups-core-drivers@w cups-daemon@w cups-ipp-utils@w cups-ppdc@w cups-server-common@w cups@w libcups2@adivwE
cups-filters 1.28.17-3+deb12u{!2/630} cups-filters-core-drivers@w cups-filters@w libcupsfilters1@w libfontembed1@w
curl 7.88.1-10+deb12u{!15/84} curl libcurl3-gnutls libcurl4 libcurl4-openssl-dev@q
cyrus-sasl2 2.1.28+dfsg-10+deb12u{!1/1261} libsasl2-2 libsasl2-modules-db libsasl2-modules-gssapi-mit@C libsasl2-modules@C
dash 0.5.12-2 dash
dav1d 1.0.0-2+deb12u{!1/1261} libdav1d6@dex
db5.3 5.3.28+dfsg2-1 libdb5.3
dbus 1.14.10-1~deb12u{1/1261} dbus dbus-bin dbus-daemon dbus-session-bus-common dbus-system-bus-common dbus-user-session@doE libdbus-1-3
dbus-python 1.3.2-4 python3-dbus=*+b1
dconf 0.40.0-4 dconf-cli@d dconf-gsettings-backend@doE dconf-service@doE libdconf1@doE
debconf 1.5.82 debconf debconf-i18n python3-debconf
debian-archive-keyring 2023.3+deb12u{2/630} debian-archive-keyring
debian-faq 11.1 debian-faq
debianutils 5.7-0.5~deb12u{1/1261} debianutils
debsums 3.0.2.1 debsums@B
desktop-base 12.0.6+nmu1~deb12u{1/1261} desktop-base@d
desktop-file-utils 0.26-1 desktop-file-utils@d
device-tree-compiler 1.6.1-4 libfdt1=*+b1@o
dh-runit 2.15.2 runit-helper
dictionaries-common 1.29.5 dictionaries-common@dE
diffutils 1:3.8-4 diffutils
ding-libs 0.6.2-1 libbasicobjects0@C libcollection4@C libdhash1@C libini-config5@C libpath-utils1@C libref-array1@C
distlib 0.3.6-1 python3-distlib@r
distro-info 1.5+deb12u{1/1261} python3-distro-info
distro-info-data 0.58+deb12u{7/180} distro-info-data
djvulibre 3.5.28-2.2~deb12u{!1/1261} libdjvulibre-text@E libdjvulibre21@E
dmidecode 3.4-1 dmidecode
dnspython 2.3.0-1+deb12u{!1/1261} python3-dnspython@iz
doc-debian 11.3+nmu1 doc-debian
docker-compose 1.29.2-3 docker-compose@F
docker.io 20.10.24+dfsg1-1+deb12u{1/1261} docker.io=*+b6@cF
dockerpty 0.4.1-4 python3-dockerpty@F
docopt 0.6.2-4.1 python3-docopt@F
dosfstools 4.2-1 dosfstools@n
dpkg 1.21.23 dpkg dpkg-dev@cp libdpkg-perl@cpB
duktape 2.7.0-2 libduktape207
duplicity 0.8.22-1 duplicity=*+b3@A
e2fsprogs 1.47.0-2 comerr-dev=2.1-*+b2@q e2fsprogs=*+b2 libcom-err2=*+b2 libext2fs2=*+b2 libss2=*+b2 logsave=*+b2
eclipse-jdt-core 4.26-2 libeclipse-jdt-core-java=3.32.0+eclipse*@a
edk2 2022.11-6+deb12u{!2/630} ovmf@o
efivar 37-6 libefiboot1 libefivar1
elfutils 0.188-2.1 libdebuginfod-common@p libdebuginfod1@p libdw1@dopE libelf1
emacsen-common 3.0.5 emacsen-common@dE
enchant-2 2.3.3-2 libenchant-2-2@dE
eog 43.2-1+deb12u{!1/1261} eog@E
error-prone-java 2.18.0-1 liberror-prone-java@v
etckeeper 1.18.20-1 etckeeper@z
ethtool 1:6.1-1 ethtool@m
evince 43.1-2+deb12u{!1/1261} evince-common@E evince@E libevdocument3-4@E libevview3-3@E
evolution-data-server 3.46.4-2+deb12u{!1/1261} evolution-data-server-common@d evolution-data-server@d libcamel-1.2-64@d libebackend-1.2-11@d libebook-1.2-21@d libebook-contacts-1.2-4@d libecal-2.0-2@d libedata-book-1.2-27@d libedata-cal-2.0-2@d libedataserver-1.2-27@d libedataserverui-1.2-4@d
exempi 2.6.3-1 libexempi8@dE
exim4 4.96-15+deb12u{!10/126} exim4-base exim4-config exim4-daemon-light
exiv2 0.27.6-1 libexiv2-27@d
expat 2.5.0-1+deb12u{!5/252} libexpat1 libexpat1-dev@r
facter 4.3.0-2 facter@z
fail2ban 1.0.2-2 fail2ban@B
ffmpeg 7:5.1.9-0+deb12u{!1/1261} ffmpeg@x libavcodec59@x libavdevice59@x libavfilter8@x libavformat59@x libavutil57@x libpostproc56@x libswresample4@x libswscale6@x
fftw3 3.3.10-1 libfftw3-double3@x
file 1:5.44-3 file libmagic-mgc libmagic1
file-roller 43.0-1 file-roller@E
findutils 4.9.0-4 findutils
firefox-esr 153.{!7/28}.0esr-1~deb12u1 firefox-esr@d
flac 1.4.2+ds-2 libflac12@dx
flex 2.6.4-8.2 flex@p
flite 2.2-5 libflite1@dx
fontconfig 2.14.1-4 fontconfig-config@adevwxyE fontconfig@dxE libfontconfig1@adevwxyE
fonts-dejavu 2.37-6 fonts-dejavu-core@adevwxyE fonts-dejavu-extra@d fonts-dejavu@d
fonts-liberation2 2.1.5-1 fonts-liberation2@E
fonts-quicksand 0.2016-2.1 fonts-quicksand@d
fonts-urw-base35 20200910-7 fonts-urw-base35@wE
freetype 2.12.1+dfsg-5+deb12u{!4/315} libfreetype-dev@q libfreetype6
fribidi 1.0.8-2.1 libfribidi0@dxE
fstrm 0.6.1-1 libfstrm0
fuse 2.9.9-6 libfuse2=*+b1
fuse3 3.14.0-4 fuse3@d libfuse3-3@doG
galera-4 26.4.23-0+deb12u{1/1261} galera-4@b
game-music-emu 0.6.3-6 libgme0@x
gawk 1:5.2.1-2 gawk
gcc-12 12.2.0-14+deb12u{1/1261} cpp-12@cdhp g++-12@cp gcc-12-base gcc-12@chp libasan8@chp libatomic1@acdhp libcc1-0@chp libgcc-12-dev@chp libgcc-s1 libgfortran5@rxE libgomp1@chpxA libitm1@chp liblsan0@chp libobjc-12-dev@p libobjc4@p libquadmath0@chprxE libstdc++-12-dev@cp libstdc++6 libtsan2@chp libubsan1@chp
gcc-defaults 1.203 cpp=4:12.2.0-3@cdhp g++=4:12.2.0-3@cp gcc=4:12.2.0-3@chp
gcr 3.41.1-1 gcr=*+b1@d gir1.2-gck-1=*+b1@d gir1.2-gcr-3=*+b1@d libgck-1-0=*+b1@d libgcr-base-3-1=*+b1@d libgcr-ui-3-1=*+b1@d
gdb 13.1-3 gdb@p
gdbm 1.23-3 libgdbm-compat4 libgdbm6
gdisk 1.0.9-2.1 gdisk@dnG
gdk-pixbuf 2.42.10+dfsg-1+deb12u{!4/315} gir1.2-gdkpixbuf-2.0@dE libgdk-pixbuf-2.0-0@dxE libgdk-pixbuf2.0-common@dxE
gdm3 43.0-3 gdm3@d gir1.2-gdm-1.0@d libgdm1@d
gedit 44.2-1 gedit-common@E gedit@E
geoclue-2.0 2.6.0-2+deb12u{1/1261} gir1.2-geoclue-2.0@d libgeoclue-2-0@d
geocode-glib 3.26.3-6 geocode-glib-common@d libgeocode-glib-2-0@d
geronimo-annotation-1.3-spec 1.3-1 libgeronimo-annotation-1.3-spec-java@v
geronimo-interceptor-3.0-spec 1.0.1-4 libgeronimo-interceptor-3.0-spec-java@v
gettext 0.21-12 gettext-base gettext@p
gexiv2 0.14.0-1 libgexiv2-2=*+b1@d
ghostscript 10.0.0~dfsg-11+deb12u{!9/140} ghostscript@w libgs-common@wE libgs10-common@wE libgs10@wE
giflib 5.2.1-2.5+deb12u{1/1261} libgif7@d
git 1:2.39.5-0+deb12u{!3/420} git-man@cpz git@cpz
git-lfs 3.3.0-1+deb12u{!2/630} git-lfs@p
gjs 1.74.2-1+deb12u{1/1261} libgjs0g@d
glib-networking 2.74.0-4 glib-networking-common@doE glib-networking-services@doE glib-networking@doE
glib2.0 2.74.6-2+deb12u{!9/140} libglib2.0-0 libglib2.0-bin@dq libglib2.0-data@dq libglib2.0-dev-bin@q libglib2.0-dev@q
glibc 2.36-9+deb12u{!14/90} libc-bin libc-dev-bin@chpqr libc-l10n libc6 libc6-dbg@p libc6-dev@chpqr locales
gmp 2:6.2.1+dfsg1-1.1 libgmp-dev@qt libgmp10 libgmpxx4ldbl@qt
gnome-autoar 0.4.3-1 libgnome-autoar-0-0@d
gnome-backgrounds 43.1-1 gnome-backgrounds@d
gnome-bluetooth3 42.5-3 gir1.2-gnomebluetooth-3.0@d gnome-bluetooth-3-common@d libgnome-bluetooth-3.0-13@d libgnome-bluetooth-ui-3.0-13@d
gnome-calculator 1:43.0.1-2 gnome-calculator@E
gnome-control-center 1:43.6-2~deb12u{1/1261} gnome-control-center-data@d gnome-control-center@d
gnome-desktop 43.2-2 gir1.2-gnomedesktop-3.0@d gnome-desktop3-data@dE libgnome-bg-4-2@d libgnome-desktop-3-20@dE libgnome-desktop-4-2@d libgnome-rr-4-2@d
gnome-keyring 42.1-1 gnome-keyring=*+b2@d
gnome-online-accounts 3.46.0-1 libgoa-1.0-0b@d libgoa-1.0-common@d libgoa-backend-1.0-1@d
gnome-session 43.0-1+deb12u{1/1261} gnome-session-bin@d gnome-session-common@d gnome-session@d
gnome-settings-daemon 43.0-4 gnome-settings-daemon-common@d gnome-settings-daemon@d
gnome-shell 43.9-0+deb12u{!2/630} gnome-shell-common@d gnome-shell@d
gnome-terminal 3.46.8-1 gnome-terminal-data@d gnome-terminal@d
gnupg2 2.2.40-1.1+deb12u{2/630} dirmngr@ADEF gnupg-l10n@ADEF gnupg-utils@ADEF gnupg@ADEF gpg-agent@ADEF gpg-wks-client@ADEF gpg-wks-server@ADEF gpg@ADEF gpgconf@ADEF gpgsm@ADEF gpgv
gnutls28 3.7.9-2+deb12u{!7/180} gnutls-bin@o libgnutls-dane0 libgnutls30
gobject-introspection 1.74.0-3 gir1.2-freedesktop@doE gir1.2-glib-2.0@doE libgirepository-1.0-1@doE
golang-github-containernetworking-plugins 1.1.1+ds1-3 containernetworking-plugins=*+b5@F
golang-github-containers-buildah 1.28.2+ds1-3+deb12u{1/1261} buildah=*+b3@F
golang-github-containers-common 0.50.1+ds1-4 golang-github-containers-common@F
golang-github-containers-image 5.23.1-4 golang-github-containers-image@F
gpgme1.0 1.18.0-3 libgpgme11=*+b1@DEF libgpgmepp6=*+b1@E
gpm 1.20.7-10 libgpm2=*+b1@dl
graphene 1.10.8-1 gir1.2-graphene-1.0@d libgraphene-1.0-0@dE
graphite2 1.3.14-1+deb12u{1/1261} libgraphite2-3@advxyE
graphviz 2.42.2-7+deb12u{1/1261} graphviz@x libcdt5@x libcgraph6@x libgvc6@x libgvpr2@x liblab-gamut1@x libpathplan4@x
grep 3.8-5 grep
groff 1.22.4-10 groff-base
grub2 2.06-13+deb12u{!2/630} grub-common grub-pc grub-pc-bin grub2-common
gsasl 2.2.0-1+deb12u{!2/630} libgsasl18@D
gsettings-desktop-schemas 43.0-1 gir1.2-gdesktopenums-3.0@d gsettings-desktop-schemas@doE
gsound 1.0.3-2 libgsound0@d
gspell 1.12.0-1 libgspell-1-2=*+b2@E libgspell-1-common@E
gst-plugins-base1.0 1.22.0-3+deb12u{!7/180} gstreamer1.0-plugins-base@dE libgstreamer-gl1.0-0@d libgstreamer-plugins-base1.0-0@doE
gst-plugins-good1.0 1.22.0-5+deb12u{!4/315} gstreamer1.0-plugins-good@d
gstreamer1.0 1.22.0-2+deb12u{!1/1261} gir1.2-gstreamer-1.0@d libgstreamer1.0-0@doE
gtk+3.0 3.24.38-2~deb12u{3/420} gir1.2-gtk-3.0@dE gtk-update-icon-cache@dE libgtk-3-0@dE libgtk-3-common@dE
gtk4 4.8.3+ds-2+deb12u{1/1261} gir1.2-gtk-4.0@d libgtk-4-1@dE libgtk-4-common@dE
gtksourceview4 4.8.4-4 gir1.2-gtksource-4@E libgtksourceview-4-0@E libgtksourceview-4-common@E
gtksourceview5 5.6.2-1 libgtksourceview-5-0@E libgtksourceview-5-common@E
gts 0.7.6+darcs121130-5 libgts-0.7-5=*+b1@x
guava-libraries 31.1-1 libguava-java@v
guice 4.2.3-2 libguice-java@v
gvfs 1.50.3-1+deb12u{1/1261} gvfs-common@d gvfs-daemons@d gvfs-fuse@d gvfs-libs@d gvfs@d
gzip 1.12-1 gzip
haproxy 2.6.12-1+deb12u{!4/315} haproxy@h
harfbuzz 6.0.0+dfsg-3 gir1.2-harfbuzz-0.0@dE libharfbuzz-icu0@dE libharfbuzz0b@advxyE
hdf5 1.10.8+repack1-1 libhdf5-103-1@x
hdparm 9.65+ds-1 hdparm@n
hicolor-icon-theme 0.17-2 hicolor-icon-theme@dxE
hiera 3.10.0-1 hiera@z
highway 1.0.3-3+deb12u{1/1261} libhwy1@x
hiredis 0.14.1-3 libhiredis0.14@p
hostname 3.23+nmu1 hostname
htop 3.2.2-2 htop@l
hunspell 1.7.1-1 libhunspell-1.7-0@dE
hyphen 2.8.8-7 libhyphen0@dE
ibus 1.5.27-5 gir1.2-ibus-1.0@d libibus-1.0-5@d
icu 72.1-3+deb12u{!1/1261} icu-devtools@q libicu-dev@q libicu72
ieee-data 20220827.1 ieee-data@z
ifupdown 0.8.41 ifupdown
ijs 0.35-15 libijs-0.35@wE
imagemagick 8:6.9.11.60+dfsg-1.6+deb12u{!15/84} imagemagick-6-common@x imagemagick-6.q16@x imagemagick@x libmagickcore-6.q16-6@x libmagickwand-6.q16-6@x
imath 3.1.6-1 libimath-3-1-29@x
inetutils 2:2.4-2+deb12u{!3/420} inetutils-telnet
init-system-helpers 1.65.2+deb12u{1/1261} init init-system-helpers
initramfs-tools 0.142+deb12u{3/420} initramfs-tools initramfs-tools-core
intel-mediasdk 22.5.4-1 libmfx1@x
intel-processor-trace 2.0.5-1 libipt2@p
io-stringy 2.111-3 libio-stringy-perl@D
iperf3 3.12-1+deb12u{!2/630} iperf3@m libiperf0@m
iproute2 6.1.0-3 iproute2
iptables 1.8.9-2 iptables@coBF libip4tc2 libip6tc2@coBF libxtables12
iputils 3:20221126-1+deb12u{1/1261} iputils-ping
ipxe 1.0.0+git-20190125.36a4c85-5.1 ipxe-qemu@o
irqbalance 1.9.2-1 irqbalance
isc-dhcp 4.4.3-P1-2 isc-dhcp-client isc-dhcp-common
isl 0.25-1.1 libisl23@cdhp
iso-codes 4.15.0-1 iso-codes@doE
jackd2 1.9.21~dfsg-3 libjack-jackd2-0@dx
jansi 2.4.0-2 libjansi-java@v
jansson 2.14-2 libjansson4
java-common 0.74 default-jdk-headless=2:1.17-74@v default-jre-headless=2:1.17-74@av java-common@av
jbig2dec 0.19-3+deb12u{!1/1261} libjbig2dec0@wE
jbigkit 2.1-6.1 libjbig0@dewxE
jemalloc 5.3.0-1 libjemalloc2
jigit 1.22-3 libjte2@o
jinja2 3.1.2-1+deb12u{3/420} python3-jinja2@rzG
jpeg-xl 0.7.0-10+deb12u{!1/1261} libjxl0.7@x
jq 1.6-2.1+deb12u{!3/420} jq@l libjq1@l
json-c 0.16-2 libjson-c5
json-glib 1.6.6-1 gir1.2-json-1.0@d libjson-glib-1.0-0@doE libjson-glib-1.0-common@doE
jsonlint 1.9.0-1 jsonlint@e
kbd 2.5.1-1 kbd=*+b1
keyutils 1.6.3-2 keyutils@j libkeyutils1
klibc 2.0.12-1 klibc-utils libklibc
kmod 30+20221128-1 kmod libkmod2
krb5 1.20.1-2+deb12u{!5/252} krb5-locales krb5-multidev@q krb5-user@C libgssapi-krb5-2 libgssrpc4@qC libk5crypto3 libkadm5clnt-mit12@qC libkadm5srv-mit12@qC libkdb5-10@qC libkrb5-3 libkrb5-dev@q libkrb5support0
lame 3.100-6 libmp3lame0@dx
lapack 3.11.0-2 libblas3@mrxE liblapack3@rxE
lcms2 2.14-2+deb12u{!1/1261} liblcms2-2@advwxE
lerc 4.0.0+ds-2 liblerc4@dewxE
less 590-2.1~deb12u{!2/630} less
libabw 0.1.3-1 libabw-0.1-1@E
libadwaita-1 1.2.2-1 gir1.2-adw-1@d libadwaita-1-0@dE
libaec 1.0.6-1 libaec0=*+b1@x libsz2=*+b1@x
libaio 0.3.113-4 libaio1@bno
libalgorithm-c3-perl 0.11-2 libalgorithm-c3-perl@s
libaopalliance-java 20070526-7 libaopalliance-java@v
libapache2-mod-fcgid 1:2.3.9-4 libapache2-mod-fcgid@f
libarchive 3.6.2-1+deb12u{!5/252} libarchive13@dipE
libass 1:0.17.1-1+deb12u{!1/1261} libass9@x
libassuan 2.5.5-5 libassuan0@dADEF
libasyncns 0.8-6 libasyncns0=*+b3@dx
libatasmart 0.19-5 libatasmart4@d
libavc1394 0.5.4-5 libavc1394-0@dx
libavif 0.11.1-1+deb12u{!1/1261} libavif15@dex
libb-hooks-endofscope-perl 0.26-1 libb-hooks-endofscope-perl@s
libb-hooks-op-check-perl 0.22-2 libb-hooks-op-check-perl=*+b1@sD
libb2 0.98.1-1.1 libb2-1@A
libblockdev 2.28-2+deb12u{!1/1261} libblockdev-fs2@d libblockdev-loop2@d libblockdev-part-err2@d libblockdev-part2@d libblockdev-swap2@d libblockdev-utils2@d libblockdev2@d
libbluray 1:1.3.4-1 libbluray2@dx
libbpf 1.1.2-0+deb12u{1/1261} libbpf1=1:*
libbs2b 3.1.0+dfsg-7 libbs2b0@x
libbsd 0.11.7-2 libbsd0
libburn 1.5.4-1 libburn4@o
libcaca 0.99.beta20-3+deb12u{1/1261} libcaca0@dx
libcacard 1:2.8.0-3 libcacard0@o
libcanberra 0.30-10 libcanberra-gtk3-0@d libcanberra0@d
libcap-ng 0.8.3-1 libcap-ng0=*+b3
libcap2 1:2.66-4+deb12u{3/420} libcap2-bin=*+b1 libcap2=*+b1
libcbor 0.8.0-2 libcbor0.8=*+b1
libcdio 2.1.0-4 libcdio19@x
libcdio-paranoia 10.2+2.0.1-1 libcdio-cdda2@x libcdio-paranoia2@x
libclass-c3-perl 0.35-2 libclass-c3-perl@s
libclass-data-inheritable-perl 0.08-3 libclass-data-inheritable-perl@s
libclass-inspector-perl 1.36-3 libclass-inspector-perl@s
libclass-load-perl 0.25-2 libclass-load-perl@s
libclass-load-xs-perl 0.10-2 libclass-load-xs-perl=*+b1@s
libclass-method-modifiers-perl 2.14-1 libclass-method-modifiers-perl@s
libclass-singleton-perl 1.6-2 libclass-singleton-perl@s
libclone-perl 0.46-1 libclone-perl@sD
libcloudproviders 0.3.1-2 libcloudproviders0@dE
libcommons-cli-java 1.5.0-1 libcommons-cli-java@v
libcommons-lang3-java 3.12.0-2+deb12u{1/1261} libcommons-lang3-java@v
libconfig-inifiles-perl 3.000003-2+deb12u{!1/1261} libconfig-inifiles-perl@b
libcrypt-openssl-bignum-perl 0.09-2 libcrypt-openssl-bignum-perl=*+b1@D
libcrypt-openssl-random-perl 0.15-3 libcrypt-openssl-random-perl=*+b1@D
libcrypt-openssl-rsa-perl 0.33-3 libcrypt-openssl-rsa-perl=*+b1@D
libcue 2.2.1-4+deb12u{!1/1261} libcue2@d
libdata-optlist-perl 0.113-1 libdata-optlist-perl@sD
libdatetime-locale-perl 1:1.37-1 libdatetime-locale-perl@s
libdatetime-perl 2:1.59-1 libdatetime-perl@s
libdatetime-timezone-perl 1:2.60-1+2026f libdatetime-timezone-perl@s
libdatrie 0.2.13-2 libdatrie1=*+b1@dxE
libdbd-mysql-perl 4.050-5 libdbd-mysql-perl=*+b1@s
libdbd-pg-perl 3.16.0-2 libdbd-pg-perl@s
libdbi-perl 1.643-4+deb12u{!3/420} libdbi-perl@bhs
libdc1394 2.2.6-4 libdc1394-25@x
libde265 1.0.11-1+deb12u{!3/420} libde265-0@dex
libdecor-0 0.1.1-2 libdecor-0-0@x
libdeflate 1.14-1 libdeflate0@dewxE
libdevel-callchecker-perl 0.008-2 libdevel-callchecker-perl@sD
libdevel-globaldestruction-perl 0.14-4 libdevel-globaldestruction-perl@s
libdevel-overloadinfo-perl 0.007-1 libdevel-overloadinfo-perl@s
libdevel-stacktrace-perl 2.0400-2 libdevel-stacktrace-perl@s
libdigest-hmac-perl 1.04+dfsg-2 libdigest-hmac-perl@D
libdist-checkconflicts-perl 0.11-2 libdist-checkconflicts-perl@s
libdrm 2.4.114-1 libdrm-amdgpu1=*+b1@dxE libdrm-common@doxEG libdrm-intel1=*+b1@dxE libdrm-nouveau2=*+b1@dxE libdrm-radeon1=*+b1@dxE libdrm2=*+b1@doxEG
libdv 1.0.0-15 libdv4@d
libdynaloader-functions-perl 0.003-3 libdynaloader-functions-perl@sD
libe-book 0.1.3-2 libe-book-0.1-1=*+b2@E
libecap 1.0.1-3.4 libecap3@h
libedit 3.1-20221030-2 libedit2
libencode-locale-perl 1.05-3 libencode-locale-perl@s
libeot 0.01-5 libeot0=*+b1@E
libepoxy 1.5.10-1 libepoxy0@doxE
libepubgen 0.1.1-1 libepubgen-0.1-1@E
liberror-perl 0.17029-2 liberror-perl@cpzD
libestr 0.1.11-1 libestr0
libetonyek 0.1.10-3 libetonyek-0.1-1=*+b1@E
libeval-closure-perl 0.14-3 libeval-closure-perl@s
libevdev 1.13.0+dfsg-1 libevdev2@d
libevent 2.1.12-stable-8+deb12u{!1/1261} libevent-2.1-7 libevent-core-2.1-7@jl
libexception-class-perl 1.45-1 libexception-class-perl@s
libexecs 1.3-2 libexecs0@o
libexif 0.6.24-1+deb12u{1/1261} libexif12@dwxE
libexttextcat 3.4.5-1 libexttextcat-2.0-0@E libexttextcat-data@E
libfastjson 1.2304.0-1 libfastjson4
libffi 3.4.4-1 libffi-dev@q libffi8
libfido2 1.12.0-2 libfido2-1=*+b1
libfile-find-rule-perl 0.34-4~deb12u{!1/1261} libfile-find-rule-perl
libfile-fnmatch-perl 0.02-3 libfile-fnmatch-perl=*+b1@B
libfile-listing-perl 6.15-1 libfile-listing-perl@s
libfile-sharedir-perl 1.118-3 libfile-sharedir-perl@s
libfontenc 1:1.1.4-1 libfontenc1@dwE
libfreeaptx 0.1.1-2 libfreeaptx0@d
libgav1 0.18.0-1 libgav1-1=*+b1@dex
libgc 1:8.2.2-3 libgc1@p
libgcrypt20 1.10.1-3+deb12u{!1/1261} libgcrypt20 libgcrypt20-dev@q
libgd2 2.3.3-9+deb12u{!1/1261} libgd3@dex
libgee-0.8 0.20.6-1 libgee-0.8-2@E
libgetopt-long-descriptive-perl 0.111-1 libgetopt-long-descriptive-perl@D
libglvnd 1.6.0-1 libegl1@d libgl1@dxE libgles2@d libglvnd0@dxE libglx0@dxE
libgpg-error 1.46-1 libgpg-error-dev@q libgpg-error0
libgphoto2 2.5.30-1 libgphoto2-6@d libgphoto2-port12@d
libgsf 1.14.50-1+deb12u{!1/1261} libgsf-1-114@dx libgsf-1-common@dx
libgsm 1.0.22-1 libgsm1@x
libgssglue 0.7-1.1 libgssglue1@D
libgtop2 2.40.0-2 libgtop-2.0-11@d libgtop2-common@d
libgudev 237-2 libgudev-1.0-0@d
libgusb 0.3.10-1 libgusb2@d
libgweather4 4.2.0-2 gir1.2-gweather-4.0@d libgweather-4-0@d libgweather-4-common@d
libgxps 0.3.2-2 libgxps2=*+b1@dE
libhandy-1 1.8.1-1 libhandy-1-0@E
libheif 1.15.1-1+deb12u{!1/1261} libheif1@dex
libhtml-parser-perl 3.81-1+deb12u{1/1261} libhtml-parser-perl@sD
libhtml-tagset-perl 3.20-6 libhtml-tagset-perl@sD
libhtml-tree-perl 5.07-3 libhtml-tree-perl@s
libhttp-cookies-perl 6.10-1 libhttp-cookies-perl@s
libhttp-date-perl 6.05-2 libhttp-date-perl@sD
libhttp-message-perl 6.44-1 libhttp-message-perl@s
libhttp-negotiate-perl 6.01-2 libhttp-negotiate-perl@s
libical3 3.0.16-1 libical3=*+b1@d
libice 2:1.0.10-1 libice6@dwxyE
libidn 1.41-1 libidn12
libidn2 2.3.3-1 libidn2-0=*+b1
libiec61883 1.2.0-6 libiec61883-0=*+b1@dx
libieee1284 0.2.11-14 libieee1284-3@d
libimage-exiftool-perl 12.57+dfsg-1 libimage-exiftool-perl@x
libimagequant 2.17.0-1 libimagequant0@x
libinih 55-1 libinih1@n
libinput 1.22.1-1+deb12u{!1/1261} libinput-bin@d libinput10@d
libintl-perl 1.33-1 libintl-perl
libio-html-perl 1.004-3 libio-html-perl@s
libio-socket-ssl-perl 2.081-2 libio-socket-ssl-perl@sD
libio-string-perl 1.08-4 libio-string-perl@D
libiptcdata 1.0.5-2.3 libiptcdata0@d
libisoburn 1.5.4-4 libisoburn1@o xorriso@o
libisofs 1.5.4-1 libisofs6@o
libjpeg-turbo 1:2.1.5-2 libjpeg-dev@q libjpeg62-turbo-dev@q libjpeg62-turbo@adeoqvwxE
libjson-perl 4.10000-1 libjson-perl@bsD
libjsoncpp 1.9.5-4 libjsoncpp25@p
libjsr305-java 0.1~+svn49-11 libjsr305-java@v
libksba 1.6.3-2 libksba8@ADEF
liblangtag 0.6.4-2 liblangtag-common@E liblangtag1@E
liblc3 1.0.1-1 liblc3-0=*+b1@d
liblchown-perl 1.01-4 liblchown-perl=*+b1@A
libldac 2.0.2.3+git20200429+ed310a0-4 libldacbt-abr2@d libldacbt-enc2@d
liblinear 2.3.0+dfsg-5 liblinear4@m
liblocale-gettext-perl 1.07-5 liblocale-gettext-perl
liblockfile 1.17-1 liblockfile-bin=*+b1 liblockfile1=*+b1@D
liblognorm 2.0.6-4 liblognorm5
liblqr 0.4.2-2.1 liblqr-1-0@x
liblwp-mediatypes-perl 6.04-2 liblwp-mediatypes-perl@s
liblwp-protocol-https-perl 6.10-1 liblwp-protocol-https-perl@s
liblzf 3.6-3 liblzf1@a
libmail-authenticationresults-perl 2.20230112-1 libmail-authenticationresults-perl@D
libmail-dkim-perl 1.20230212-2~deb12u{1/1261} libmail-dkim-perl@D
libmail-sendmail-perl 0.80-3 libmail-sendmail-perl@s
libmailtools-perl 2.21-2 libmailtools-perl@D
libmanette 0.2.6-3 libmanette-0.2-0=*+b1@d
libmatio 1.5.23-2+deb12u{!1/1261} libmatio11@x
libmaxminddb 1.7.1-1 libmaxminddb0
libmbim 1.28.2-1 libmbim-glib4@d libmbim-proxy@d
libmd 1.0.4-2 libmd0
libmnl 1.0.4-3 libmnl0
libmodule-find-perl 0.16-2 libmodule-find-perl
libmodule-implementation-perl 0.09-2 libmodule-implementation-perl@sD
libmodule-runtime-conflicts-perl 0.003-2 libmodule-runtime-conflicts-perl@s
libmodule-runtime-perl 0.016-2 libmodule-runtime-perl@sD
libmoose-perl 2.2203-1 libmoose-perl@s
libmro-compat-perl 0.15-2 libmro-compat-perl@s
libmspack 0.11-1 libmspack0@DG
libmwaw 0.3.21-1 libmwaw-0.3-3@E
libmysofa 1.3.1~dfsg0-1 libmysofa1@x
libnamespace-autoclean-perl 0.29-2 libnamespace-autoclean-perl@s
libnamespace-clean-perl 0.27-2 libnamespace-clean-perl@s
libndp 1.8-1+deb12u{!1/1261} libndp0@d
libnet-dns-perl 1.36-1+deb12u{!1/1261} libnet-dns-perl@D
libnet-http-perl 6.22-1 libnet-http-perl@s
libnet-smtp-ssl-perl 1.04-2 libnet-smtp-ssl-perl@D
libnet-snmp-perl 6.0.1-7 libnet-snmp-perl@s
libnet-ssleay-perl 1.92-2 libnet-ssleay-perl=*+b1@sD
libnetaddr-ip-perl 4.079+dfsg-2 libnetaddr-ip-perl=*+b1@D
libnetfilter-conntrack 1.0.9-3 libnetfilter-conntrack3@choBF
libnfnetlink 1.0.2-2 libnfnetlink0@choBF
libnftnl 1.2.4-2 libnftnl11
libnl3 3.7.0-0.2 libnl-3-200=*+b1@lmoC libnl-genl-3-200=*+b1@lm libnl-route-3-200=*+b1@oC
libnma 1.10.6-1 gir1.2-nma-1.0@d libnma-common@d libnma-gtk4-0@d libnma0@d
libnotify 0.8.1-1 libnotify4@d
libnsl 1.3.0-2 libnsl-dev@chpqr libnsl2
libntlm 1.6-4 libntlm0@D
libnumber-compare-perl 0.03-3 libnumber-compare-perl
libnumbertext 1.0.11-1 libnumbertext-1.0-0@E libnumbertext-data@E
libnvme 1.3-1+deb12u{1/1261} libnvme1@n
libodfgen 0.1.8-2 libodfgen-0.1-1@E
libogg 1.3.5-3 libogg0@dxE
libonig 6.9.8-1 libonig5@el
libopenmpt 0.6.9-1 libopenmpt0@x
liborcus 0.17.2-2 liborcus-0.17-0=*+b2@E liborcus-parser-0.17-0=*+b2@E
libosinfo 1.10.0-2 gir1.2-libosinfo-1.0@o libosinfo-1.0-0@do libosinfo-l10n@do
libotr 4.1.1-5 libotr5@E
libpackage-deprecationmanager-perl 0.18-1 libpackage-deprecationmanager-perl@s
libpackage-stash-perl 0.40-1 libpackage-stash-perl@s
libpackage-stash-xs-perl 0.30-1 libpackage-stash-xs-perl=*+b1@s
libpaper 1.1.29 libpaper-utils@y libpaper1@wyE
libparams-classify-perl 0.015-2 libparams-classify-perl=*+b1@sD
libparams-util-perl 1.102-2 libparams-util-perl=*+b1@sD
libparams-validate-perl 1.31-1 libparams-validate-perl@D
libparams-validationcompiler-perl 0.31-1 libparams-validationcompiler-perl@s
libpcap 1.10.3-1 libpcap0.8@mo
libpciaccess 0.17-2 libpciaccess0@doxE
libpeas 1.34.0-1 gir1.2-peas-1.0=*+b1@E libpeas-1.0-0=*+b1@E libpeas-common@E
libpgm 5.3.128~dfsg-2 libpgm-5.3-0@x
libphonenumber 8.12.57+ds-3 libphonenumber8@d
libpipeline 1.5.7-1 libpipeline1
libplacebo 4.208.0-3 libplacebo208@x
libpng1.6 1.6.39-2+deb12u{!6/210} libpng-dev@q libpng16-16
libpod 4.3.1+ds1-8+deb12u{1/1261} podman=*+b3@F
libportal 0.6-4 libportal-gtk4-1@d libportal1@d
libproc-processtable-perl 0.634-1 libproc-processtable-perl=*+b2
libproxy 0.4.18-1.2 libproxy1v5@doE
libpsl 0.21.2-1 libpsl5
libpwquality 1.4.5-1 libpam-pwquality=*+b1@BC libpwquality-common@dBC libpwquality1=*+b1@dBC
libqmi 1.32.2-1 libqmi-glib5@d libqmi-proxy@d
libqrtr-glib 1.2.2-1 libqrtr-glib0@d
librabbitmq 0.11.0-1+deb12u{!3/420} librabbitmq4@x
libraw1394 2.1.2-2 libraw1394-11@dx
libregexp-ipv6-perl 0.03-3 libregexp-ipv6-perl@sD
libreoffice 4:7.4.7-1+deb12u{!14/90} fonts-opensymbol=4:102.12+LibO7.4.7-1+deb12u14@E libreoffice-base-core@E libreoffice-calc@E libreoffice-common@E libreoffice-core-nogui@E libreoffice-core@E libreoffice-style-colibre@E libreoffice-writer@E libuno-cppu3@E libuno-cppuhelpergcc3-3@E libuno-purpenvhelpergcc3-3@E libuno-sal3@E libuno-salhelpergcc3-3@E uno-libs-private@E ure@E
librest 0.9.1-6+deb12u{!1/1261} librest-1.0-0@d
librevenge 0.0.5-3 librevenge-0.0-0@E
librist 0.2.7+dfsg-1 librist4@x
librole-tiny-perl 2.002004-1 librole-tiny-perl@s
librsvg 2.54.7+dfsg-1~deb12u{!1/1261} gir1.2-rsvg-2.0@d librsvg2-2@dxE librsvg2-common@dE
librsync 2.3.2-1 librsync2=*+b1@A
libsamplerate 0.2.2-3 libsamplerate0@dx
libsdl2 2.26.5+dfsg-1 libsdl2-2.0-0@x
libseccomp 2.5.4-1+deb12u{1/1261} libseccomp2
libsecret 0.20.5-3 libsecret-1-0@dE libsecret-common@dE
libselinux 3.4-1 libselinux1-dev=*+b6@q libselinux1=*+b6
libsemanage 3.4-1 libsemanage-common libsemanage2=*+b5
libsepol 3.4-2.1 libsepol-dev@q libsepol2
libshout 2.4.6-1 libshout3=*+b1@d
libsigsegv 2.14-1 libsigsegv2
libslf4j-java 1.7.32-1 libslf4j-java@v
libslirp 4.7.0-1 libslirp0@o
libsm 2:1.2.3-1 libsm6@dwxyE
libsndfile 1.2.0-1+deb12u{1/1261} libsndfile1@dx
libsocket6-perl 0.29-3 libsocket6-perl@D
libsodium 1.0.18-1+deb12u{!1/1261} libsodium23@aeflrx
libsort-naturally-perl 1.03-4 libsort-naturally-perl
libsoup3 3.2.3-0+deb12u{2/630} gir1.2-soup-3.0@d libsoup-3.0-0@doE libsoup-3.0-common@doE
libsoxr 0.1.3-4 libsoxr0@x
libspecio-perl 0.48-1 libspecio-perl@s
libspectre 0.2.12-1 libspectre1@E
libssh 0.10.6-0+deb12u{!3/420} libssh-4@o libssh-gcrypt-4@x
libssh2 1.10.0-3+deb12u{!1/1261} libssh2-1
libstaroffice 0.0.7-1 libstaroffice-0.0-0@E
libsub-exporter-perl 0.989-1 libsub-exporter-perl@sD
libsub-exporter-progressive-perl 0.001013-3 libsub-exporter-progressive-perl@s
libsub-identify-perl 0.14-3 libsub-identify-perl@s
libsub-install-perl 0.929-1 libsub-install-perl@sD
libsub-name-perl 0.26-2 libsub-name-perl=*+b1@s
libsub-quote-perl 2.006008-1 libsub-quote-perl@s
libsys-hostname-long-perl 1.5-3 libsys-hostname-long-perl@sD
libtasn1-6 4.19.0-2+deb12u{!1/1261} libtasn1-6
libteam 1.31-1 libteamdctl0@d
libtemplate-perl 2.27-1 libtemplate-perl=*+b5@s
libterm-readkey-perl 2.38-2 libterm-readkey-perl=*+b1
libtext-charwidth-perl 0.04-11 libtext-charwidth-perl
libtext-csv-perl 2.02-2 libtext-csv-perl@s
libtext-glob-perl 0.11-3 libtext-glob-perl
libtext-iconv-perl 1.7-8 libtext-iconv-perl
libtext-wrapi18n-perl 0.06-10 libtext-wrapi18n-perl
libthai 0.1.29-1 libthai-data@dxE libthai0@dxE
libtheora 1.1.1+dfsg.1-16.1+deb12u{1/1261} libtheora0@dxE
libtimedate-perl 2.3300-2 libtimedate-perl@sD
libtirpc 1.3.3+ds-1 libtirpc-common libtirpc-dev@chpqr libtirpc3
libtool 2.4.7-7~deb12u{1/1261} libltdl7@dhxE libtool@p
libtpms 0.9.2-3.1+deb12u{!1/1261} libtpms0@o
libtry-tiny-perl 0.31-2 libtry-tiny-perl@sD
libudfread 1.1.2-1 libudfread0@dx
libunistring 1.0-2 libunistring2
libunwind 1.6.2-3 libunwind8@dopE
liburcu 0.13.2-1 liburcu8@n
liburi-perl 5.17-1 liburi-perl@sD
liburing 2.3-3 liburing2@boG
libusb-1.0 2:1.0.26-1 libusb-1.0-0
libutempter 1.2.1-3 libutempter0
libuv1 1.44.2-1+deb12u{!1/1261} libuv1 libuv1-dev@u
libva 2.17.0-1 libva-drm2@x libva-x11-2@x libva2@x
libvariable-magic-perl 0.63-1 libvariable-magic-perl=*+b1@s
libvdpau 1.5-2 libvdpau1@x
libvidstab 1.1.0-2 libvidstab1.1=*+b1@x
libvirt 9.0.0-4+deb12u{2/630} libvirt-clients@o libvirt-daemon-config-network@o libvirt-daemon-config-nwfilter@o libvirt-daemon-driver-qemu@o libvirt-daemon-system-systemd@o libvirt-daemon-system@o libvirt-daemon@o libvirt0@o
libvirt-python 9.0.0-1 python3-libvirt@o
libvisual 0.4.0-19 libvisual-0.4-0@dE
libvorbis 1.3.7-1 libvorbis0a@dxE libvorbisenc2@dxE libvorbisfile3@dx
libvpx 1.12.0-1+deb12u{!5/252} libvpx7@dxE
libwacom 2.6.0-1 libwacom-common@d libwacom9@d
libwebp 1.2.4-0.2+deb12u{!1/1261} libwebp7@dewxE libwebpdemux2@dxE libwebpmux3@dxE
libwpd 0.10.3-2 libwpd-0.10-10=*+b1@E
libwpg 0.3.3-1 libwpg-0.3-3@E
libwps 0.4.13-1 libwps-0.4-4@E
libwww-perl 6.68-1 libwww-perl@s
libwww-robotrules-perl 6.02-1 libwww-robotrules-perl@s
libx11 2:1.8.4-2+deb12u{!2/630} libx11-6@dewxyE libx11-data@dewxyE libx11-xcb1@dxE
libxau 1:1.0.9-1 libxau6@dewxyE
libxaw 2:1.0.14-1 libxaw7@dxyE
libxcb 1.15-1 libxcb-damage0@E libxcb-dri2-0@dxE libxcb-dri3-0@dxE libxcb-glx0@dxE libxcb-present0@dxE libxcb-randr0@dxE libxcb-render0@dwxyE libxcb-res0@d libxcb-shape0@xE libxcb-shm0@dwxyE libxcb-sync1@dxE libxcb-xfixes0@dxE libxcb-xkb1@d libxcb1@dewxyE
libxcomposite 1:0.4.5-1 libxcomposite1@dE
libxcrypt 1:4.4.33-2 libcrypt-dev@chpqr libcrypt1
libxcursor 1:1.2.1-1 libxcursor1@dxE
libxcvt 0.1.2-1 libxcvt0@d
libxdamage 1:1.1.6-1 libxdamage1@dE
libxdmcp 1:1.1.2-3 libxdmcp6@dewxyE
libxext 2:1.3.4-1 libxext6=*+b1@dwxyE
libxfixes 1:6.0.0-2 libxfixes3@dxE
libxfont 1:2.0.6-1+deb12u{!1/1261} libxfont2@d
libxi 2:1.8-1 libxi6=*+b1@dxyE
libxinerama 2:1.1.4-3 libxinerama1@dE
libxkbcommon 1.5.0-1 libxkbcommon-x11-0@d libxkbcommon0@dxE libxkbregistry0@dE
libxkbfile 1:1.1.0-1 libxkbfile1@dE
libxml-libxml-perl 2.0207+dfsg+really+2.0134-1+deb12u{1/1261} libxml-libxml-perl@s
libxml-namespacesupport-perl 1.12-2 libxml-namespacesupport-perl@s
libxml-sax-base-perl 1.09-3 libxml-sax-base-perl@s
libxml-sax-perl 1.02+dfsg-3 libxml-sax-perl@s
libxml2 2.9.14+dfsg-1.3~deb12u{!6/210} libxml2 libxml2-dev@q python3-libxml2@o
libxmu 2:1.1.3-3 libxmu6@dxyE libxmuu1@dE
libxpm 1:3.5.12-1.1+deb12u{!1/1261} libxpm4@dexyE
libxrandr 2:1.5.2-2 libxrandr2=*+b1@dxE
libxrender 1:0.9.10-1.1 libxrender1@dwxyE
libxshmfence 1.3-1 libxshmfence1@dxE
libxslt 1.1.35-1+deb12u{!4/315} libxslt1.1@bdeorEG
libxss 1:1.2.3-1 libxss1@x
libxstring-perl 0.005-2 libxstring-perl=*+b1@s
libxt 1:1.2.1-1.1 libxt6@dwxyE
libxtst 2:1.2.3-1.1 libxtst6@dE
libxv 2:1.0.11-1.1 libxv1@xE
libxxf86dga 2:1.1.5-1 libxxf86dga1@E
libxxf86vm 1:1.1.4-1 libxxf86vm1=*+b2@dxE
libyaml 0.2.5-1 libyaml-0-2@qrtyzAFG libyaml-dev@q
libyuv 0.0~git20230123.b2528b0-1 libyuv0@dex
libzip 1.7.3-1 libzip4=*+b1@e
libzstd 1.5.4+dfsg2-5 libzstd1 zstd
lilv 0.24.14-1 liblilv-0-0@dx
linux 6.1.{!192/31}-2 linux-libc-dev@chpqr
linux-base 4.12.1~deb12u{!1/1261} linux-base
lksctp-tools 1.0.19+dfsg-2 libsctp1@m
llvm-defaults 0.55.7~deb12u{1/1261} clang=1:14.0-55.7~deb12u1@p
llvm-toolchain-14 1:14.0.6-12 clang-14@p libclang-common-14-dev@p libclang-cpp14@p libclang1-14@p libllvm14@bp llvm-14-linker-tools@p
llvm-toolchain-15 1:15.0.6-4 libllvm15=*+b1@dxE
lm-sensors 1:3.6.0-7.1 libsensors-config@dkxE libsensors5@dkxE lm-sensors@k
lmdb 0.9.24-1 liblmdb0
lmodern 2.005-1 fonts-lmodern@y
logrotate 3.21.0-1 logrotate
lp-solve 5.5.2.5-2 lp-solve@E
lsb-release-minimal 12.0-1 lsb-release
lsof 4.95.0-1 lsof
ltrace 0.7.3-6.4 ltrace@p
lua-lpeg 1.0.2-2 lua-lpeg@m
lua5.3 5.3.6-2 liblua5.3-0@dfghmy
lvm2 2.03.16-2 dmeventd=2:1.02.185-2@n dmsetup=2:1.02.185-2 libdevmapper-event1.02.1=2:1.02.185-2@n libdevmapper1.02.1=2:1.02.185-2 liblvm2cmd2.03@n lvm2@n
lxml 4.9.2-1+deb12u{!1/1261} python3-lxml@r
lz4 1.9.4-1 liblz4-1
lzo2 2.10-2 liblzo2-2@dmnAE
m4 1.4.19-3 m4@p
mailcap 3.70+nmu1 mailcap
make-dfsg 4.3-4.1 make@cp
malcontent 0.11.0-4 libmalcontent-0-0@d
man-db 2.11.2-2 man-db
manpages 6.03-2 manpages
mariadb 1:10.11.{!19/91}-0+deb12u1 libmariadb-dev@q libmariadb3@bqs mariadb-client-core@b mariadb-client@b mariadb-common@bqs mariadb-server-core@b mariadb-server@b
markupsafe 2.1.2-1 python3-markupsafe=*+b1@rzG
maven 3.8.7-1 libmaven3-core-java@v maven@v
maven-parent 35-1 libmaven-parent-java@v
maven-resolver 1.6.3-1 libmaven-resolver-java@v
maven-shared-utils 3.3.4-1 libmaven-shared-utils-java@v
mawk 1.3.4.20200120-3.1 mawk
mbedtls 2.28.3-1 libmbedcrypto7@x
mc 3:4.8.29-2 mc-data@l mc@l
mdadm 4.2-5 mdadm@n
media-types 10.0.0 media-types
memcached 1.6.18-1+deb12u{!1/1261} memcached@h
mesa 22.3.6-1+deb12u{2/630} libegl-mesa0@d libgbm1@dox libgl1-mesa-dri@dxE libglapi-mesa@dxE libglx-mesa0@dxE
mhash 0.9.9.9-9 libmhash2@BE
mime-support 3.66 mime-support
modemmanager 1.20.4-1 libmm-glib0@d modemmanager@d
monitoring-plugins 2.3.3-5+deb12u{2/630} monitoring-plugins-basic@k monitoring-plugins-common@k
mozjs102 102.15.1-1~deb12u{1/1261} libmozjs-102-0@d
mpclib3 1.3.1-1 libmpc3@cdhpE
mpfr4 4.2.0-1 libmpfr6
mpg123 1.31.2-1+deb12u{!1/1261} libmpg123-0@dx
mtdev 1.1.6-1 libmtdev1@d
mtr 0.95-1 mtr-tiny@m
multipath-tools 0.9.4-3+deb12u{2/630} kpartx@n multipath-tools@n
mutt 2.2.12-0.1~deb12u{!2/630} mutt@D
mutter 43.8-0+deb12u{1/1261} gir1.2-mutter-11@d libmutter-11-0@d mutter-common@d
mysql-defaults 1.1.0 mysql-common=5.8+*@bqs
mythes 2:1.2.5-1 libmythes-1.2-0@E
nagios-nrpe 4.1.0-1 nagios-nrpe-server=*+b1@k
nano 7.2-1+deb12u{1/1261} nano
nautilus 43.2-1 libnautilus-extension4@dE nautilus-data@d nautilus@d
ncdu 1.18-0.2 ncdu@l
ncurses 6.4-4 libncurses-dev@q libncurses6@bdimqtzD libncursesw6 libtinfo6 ncurses-base ncurses-bin ncurses-term
ndctl 76.1-1 libdaxctl1@o libndctl6@o
needrestart 3.6-4+deb12u{!3/420} needrestart
net-snmp 5.9.3+dfsg-2+deb12u{!1/1261} libsnmp-base@dk libsnmp40@dk snmp@k snmpd@k
net-tools 2.10-0.1+deb12u{!2/630} net-tools@mB
netbase 6.4 netbase
netcat 1.10-47 netcat-traditional
netifaces 0.11.0-2 python3-netifaces=*+b1@G
nettle 3.8.1-2 libhogweed6 libnettle8
network-manager 1.42.4-1+deb12u{1/1261} gir1.2-nm-1.0@d libnm0@d network-manager@d
newt 0.52.23-1 libnewt0.52=*+b1 python3-newt=*+b1@l whiptail=*+b1
nfs-utils 1:2.6.2-4+deb12u{1/1261} libnfsidmap1@jC nfs-common@j nfs-kernel-server@j
nftables 1.0.6-2+deb12u{2/630} libnftables1 nftables
nghttp2 1.52.0-1+deb12u{!3/420} libnghttp2-14
nginx 1.22.1-9+deb12u{!11/115} nginx-common@ag nginx@ag
ninja-build 1.11.1-2~deb12u{1/1261} ninja-build@p
nmap 7.93+dfsg1-1 nmap-common@m nmap@m
node-busboy 1.6.0+~cs2.6.0-2 node-busboy@u
node-cjs-module-lexer 1.2.2+dfsg-5 node-cjs-module-lexer@u
node-jquery 3.6.1+dfsg+~3.5.14-1 libjs-jquery@r
node-lru-cache 7.14.1-1 node-lru-cache@u
node-semver 7.3.5+~7.3.9-2 node-semver@u
node-undici 5.15.0+dfsg1+~cs20.10.9.3-1+deb12u{!4/315} node-undici@u
node-xtend 4.0.2-3 node-xtend@u
node-yallist 4.0.0+~4.0.1-1 node-yallist@u
nodejs 18.20.4+dfsg-1~deb12u{!3/420} libnode-dev@u libnode108@u nodejs@u
norm 1.5.9+dfsg-2 libnorm1@x
npth 1.6-3 libnpth0@ADEF
nspr 2:4.35-1 libnspr4@adovwxE
nss 2:3.87.1-1+deb12u{!4/315} libnss3@adovwxE
numactl 2.0.16-1 libnuma1
numpy 1:1.24.2-1+deb12u{1/1261} python3-numpy@r
nvme-cli 2.4+really2.3-3 nvme-cli@n
ocl-icd 2.3.1-1 ocl-icd-libopencl1@x
open-iscsi 2.1.8-1+deb12u{!1/1261} libopeniscsiusr@n open-iscsi@n
open-isns 0.101-0.2 libisns0=*+b1@n
open-vm-tools 2:12.2.0-1+deb12u{!4/315} open-vm-tools@G
openal-soft 1:1.19.1-2 libopenal-data@x libopenal1@x
openexr 3.1.5-5 libopenexr-3-1-30@x
openjdk-17 17.0.{!21/91}.1+2-1~deb12u1 openjdk-17-jdk-headless@v openjdk-17-jre-headless@av
openjpeg2 2.5.0-2+deb12u{!3/420} libopenjp2-7@dwxE
openldap 2.5.13+dfsg-5 ldap-utils@C libldap-2.5-0 libldap-dev@q
openslide 3.4.1+dfsg-6+deb12u{1/1261} libopenslide0@x
openssh 1:9.2p1-2+deb12u{!10/126} openssh-client openssh-server openssh-sftp-server
openssl 3.0.{!22/80}-1~deb12u2 libssl-dev@qu libssl3 openssl
opentracing-c-wrapper 1.1.3-3 libopentracing-c-wrapper0=*+b1@h
opentracing-cpp 1.6.0-4 libopentracing1@h
openvpn 2.6.14-0+deb12u{!2/630} openvpn@m
opus 1.3.1-3 libopus0@doxE
orc 1:0.4.33-2 liborc-0.4-0@doxE
osinfo-db 0.20221130-2 osinfo-db@do
p11-kit 0.24.1-2 libp11-kit0 p11-kit-modules@d p11-kit@d
p7zip 16.02+really26.02+dfsg-0+deb12u{!1/1261} p7zip-full@E p7zip@E
pam 1.5.2-6+deb12u{2/630} libpam-modules libpam-modules-bin libpam-runtime libpam0g
pandoc 2.17.1.1-2~deb12u{1/1261} pandoc-data@y pandoc@y
pango1.0 1.50.12+ds-1 gir1.2-pango-1.0@dE libpango-1.0-0@dxE libpangocairo-1.0-0@dxE libpangoft2-1.0-0@dxE libpangoxft-1.0-0@dE
paramiko 2.12.0-2 python3-paramiko@r
parsedatetime 2.6-3 python3-parsedatetime@g
parted 3.5-3+deb12u{!1/1261} libparted-fs-resize0@d libparted2@dno parted@dn
patch 2.7.6-7 patch@cp
pci.ids 0.0~2023.04.11-1 pci.ids
pciutils 1:3.9.0-4 libpci3 pciutils
pcre2 10.42-1+deb12u{!2/630} libpcre2-16-0@q libpcre2-32-0@q libpcre2-8-0 libpcre2-dev@q libpcre2-posix3@q
pcre3 2:8.39-15 libpcre3@m
pcsc-lite 1.9.9-2 libpcsclite1@aov
perl 5.36.0-7+deb12u{!4/315} libperl5.36 perl perl-base perl-modules-5.36
perl-openssl-defaults 7 perl-openssl-defaults=*+b1@sD
php-composer-ca-bundle 1.3.5-1 php-composer-ca-bundle@e
php-composer-class-map-generator 1.0.0-2+deb12u{1/1261} php-composer-class-map-generator@e
php-composer-metadata-minifier 1.0.0-2 php-composer-metadata-minifier@e
php-composer-pcre 3.1.0-1+deb12u{1/1261} php-composer-pcre@e
php-composer-semver 3.3.2-1 php-composer-semver@e
php-composer-spdx-licenses 1.5.7-1 php-composer-spdx-licenses@e
php-composer-xdebug-handler 3.0.3-2+deb12u{1/1261} php-composer-xdebug-handler@e
php-defaults 93 php-cli=2:8.2+*@e php-common=2:*@aef
php-json-schema 5.2.12-2 php-json-schema@e
php-psr-container 1.1.2-1 php-psr-container@e
php-psr-log 1.1.4-2 php-psr-log@e
php-react-promise 2.9.0-3 php-react-promise@e
php-seld-signal-handler 2.0.1-2 php-seld-signal-handler@e
php-symfony-contracts 2.5.5-0+deb12u{!1/1261} php-symfony-deprecation-contracts@e php-symfony-service-contracts@e
php8.2 8.2.{!36/40}-1~deb12u1 libapache2-mod-php8.2@f php8.2-bcmath@e php8.2-cli@aef php8.2-common@aef php8.2-curl@e php8.2-fpm@a php8.2-gd@e php8.2-intl@e php8.2-mbstring@e php8.2-mysql@e php8.2-opcache@aef php8.2-pgsql@e php8.2-readline@aef php8.2-soap@e php8.2-xml@e php8.2-zip@e
pinentry 1.2.1-1 pinentry-curses@ADEF pinentry-gnome3@d
pipewire 0.3.65-3+deb12u{1/1261} gstreamer1.0-pipewire@d libpipewire-0.3-0@d libpipewire-0.3-modules@d libspa-0.2-bluetooth@d libspa-0.2-modules@d pipewire-alsa@d pipewire-audio@d pipewire-bin@d pipewire-pulse@d pipewire@d
pixman 0.42.2-1 libpixman-1-0@dowxyE
pkcs11-helper 1.29.0-1 libpkcs11-helper1@m
pkgconf 1.8.1-1 libpkgconf3@pq pkg-config@pq pkgconf-bin@pq pkgconf@pq
platformdirs 2.6.0-1 python3-platformdirs@r
plexus-cipher 2.0-1 libplexus-cipher-java@v
plexus-classworlds 2.7.0-1 libplexus-classworlds-java@v
plexus-containers 2.1.1-1 libplexus-component-annotations-java@v
plexus-interpolation 1.26-1 libplexus-interpolation-java@v
plexus-sec-dispatcher 2.0-3 libplexus-sec-dispatcher-java@v
plexus-utils2 3.4.2-1 libplexus-utils2-java@v
pmdk 1.12.1-2 libpmem1@o
pocketsphinx 0.8+5prealpha+1-15 libpocketsphinx3@x
policykit-1 122-3 gir1.2-polkit-1.0@d libpolkit-agent-1-0 libpolkit-gobject-1-0 polkitd
poppler 22.12.0-2+deb12u{!3/420} libpoppler-cpp0v5@w libpoppler-glib8@dxE libpoppler126@dwxE poppler-utils@w
poppler-data 0.4.12-1 poppler-data@wE
popt 1.19+dfsg-1 libpopt0
postgresql-15 15.{!20/91}-0+deb12u1 libpq-dev@q libpq5@beqrs postgresql-15@b postgresql-client-15@b
postgresql-common 248+deb12u{!2/630} postgresql-client-common@b postgresql-common@b
procps 2:4.0.2-3 libproc2-0 procps
protobuf 3.21.12-3+deb12u{1/1261} libprotobuf32@d
protobuf-c 1.4.1-1 libprotobuf-c1=*+b1
psmisc 23.6-1 psmisc@abefE
psycopg2 2.9.5-1 python3-psycopg2=*+b1@r
pulseaudio 16.1+dfsg1-2 libpulse-mainloop-glib0=*+b1@d libpulse0=*+b1@dx
puppet-agent 7.23.0-1+deb12u{!1/1261} puppet-agent@z
pycairo 1.20.1-5 python3-cairo=*+b1@E
pycurl 7.45.2-3 python3-pycurl
pygobject 3.42.2-3 python3-gi-cairo=*+b1@E python3-gi=*+b1@oE
pyjwt 2.6.0-1+deb12u{!1/1261} python3-jwt@G
pyopenssl 23.0.0-1 python3-openssl@g
pyparsing 3.0.9-1 python3-pyparsing
pyrfc3339 1.1-4 python3-rfc3339@g
pyrsistent 0.18.1-1 python3-pyrsistent=*+b3@FG
pyserial 3.5-1.1 python3-serial@G
pysimplesoap 1.16.2-5 python3-pysimplesoap
python-acme 2.1.0-1 python3-acme@g
python-apt 2.6.0 python-apt-common python3-apt
python-async-timeout 4.0.2-1 python3-async-timeout@r
python-attrs 22.2.0-1 python3-attr@FG
python-augeas 0.5.0-1.1 python3-augeas@g
python-bcrypt 3.2.2-1 python3-bcrypt@r
python-boto3 1.26.27+dfsg-1 python3-boto3@r
python-botocore 1.29.27+repack-1 python3-botocore@r
python-certbot 2.1.0-4 certbot@g python3-certbot@g
python-certbot-apache 2.1.0-2 python3-certbot-apache@g
python-certbot-nginx 2.1.0-2 python3-certbot-nginx@g
python-certifi 2022.9.24-1 python3-certifi
python-cffi 1.15.1-5 python3-cffi-backend=*+b1@grzG
python-charset-normalizer 3.0.1-2 python3-charset-normalizer
python-configargparse 1.5.3-1 python3-configargparse@g
python-cryptography 38.0.4-3+deb12u{!1/1261} python3-cryptography@grzG
python-dateutil 2.8.2-2 python3-dateutil@r
python-debian 0.1.49 python3-debian
python-debianbts 4.0.1 python3-debianbts
python-deprecated 1.2.13-3 python3-deprecated@r
python-distro 1.8.0-1 python3-distro@gF
python-docker 5.0.3-1 python3-docker@rF
python-dotenv 0.21.0-1 python3-dotenv@F
python-fasteners 0.17.3-2 python3-fasteners@A
python-filelock 3.9.0-1+deb12u{1/1261} python3-filelock@r
python-future 0.18.2-6 python3-future@A
python-httplib2 0.20.4-3+deb12u{!1/1261} python3-httplib2
python-idna 3.3-1+deb12u{1/1261} python3-idna
python-jmespath 1.0.1-1 python3-jmespath@r
python-josepy 1.13.0-1 python3-josepy@g
python-json-patch 1.32-2 python3-jsonpatch@G
python-json-pointer 2.3-2 python3-json-pointer@G
python-jsonschema 4.10.3-1 python3-jsonschema@FG
python-lockfile 1:0.12.2-2.2 python3-lockfile@A
python-monotonic 1.6-2 python3-monotonic@A
python-msgpack 1.0.3-2 python3-msgpack=*+b1@A
python-nacl 1.5.0-2 python3-nacl@r
python-netaddr 0.8.0-2 python3-netaddr@z
python-oauthlib 3.2.2-1 python3-oauthlib@G
python-packaging 23.0-1 python3-packaging@rzA
python-pip 23.0.1+dfsg-1 python3-pip-whl@r python3-pip@r
python-pymysql 1.0.2-2+deb12u{!1/1261} python3-pymysql@r
python-redis 4.3.4-3 python3-redis@r
python-resolvelib 0.9.0-2 python3-resolvelib@z
python-s3transfer 0.6.0-1 python3-s3transfer@r
python-systemd 235-1 python3-systemd=*+b2@C
python-tz 2022.7.1-4 python3-tz@g
python-urllib3 1.26.12-1+deb12u{!4/315} python3-urllib3
python-virtualenv 20.17.1+ds-1 python3-virtualenv@r virtualenv@r
python-wrapt 1.14.1-2 python3-wrapt=*+b2@r
python3-defaults 3.11.2-1 libpython3-dev=*+b1@r libpython3-stdlib=*+b1 python3-dev=*+b1@r python3-minimal=*+b1 python3-venv=*+b1@r python3=*+b1
python3-stdlib-extensions 3.11.2-3 python3-distutils@qrzAF python3-lib2to3@qrzAF
python3.11 3.11.2-6+deb12u{!9/140} libpython3.11-dev@r libpython3.11-minimal libpython3.11-stdlib libpython3.11@iprE python3.11 python3.11-dev@r python3.11-minimal python3.11-venv@r
pyyaml 6.0-3 python3-yaml=*+b2@rzAFG
qemu 1:7.2+dfsg-7+deb12u{!18/70} qemu-guest-agent=*+b3@G qemu-system-common=*+b3@o qemu-system-data@o qemu-system-x86=*+b3@o qemu-utils=*+b3@o
qpdf 11.3.0-1+deb12u{1/1261} libqpdf29@w
rake 13.0.6-3 rake@tz
raptor2 2.0.15-4+deb12u{1/1261} libraptor2-0@E
rasqal 0.9.33-2 librasqal3@E
rdiff-backup 2.2.2-1 rdiff-backup@A
rdma-core 44.0-2 libibverbs1@o librdmacm1@o
readline 8.2-1.3 libreadline-dev@q libreadline8 readline-common
realmd 0.17.1-1 realmd@C
redis 5:7.0.15-1~deb12u{!10/126} redis-server@a redis-tools@a
redland 1.0.17-3 librdf0@E
reportbug 12.0.0 python3-reportbug reportbug
requests 2.28.1+dfsg-1 python3-requests
restic 0.14.0-1 restic=*+b5@A
rhash 1.4.3-3 librhash0@p
rkhunter 1.4.6-11 rkhunter@B
rpcbind 1.2.6-6 rpcbind=*+b1@j
rpcsvc-proto 1.4.3-1 rpcsvc-proto@chpqr
rsnapshot 1.4.5-1 rsnapshot@A
rsync 3.5.0+ds1-0+deb12u{!1/1261} rsync
rsyslog 8.2302.0-1+deb12u{!2/630} rsyslog
rtkit 0.13-5 rtkit@d
rtmpdump 2.4+20151223.gitfa8646d.1-2 librtmp1=*+b2
rubberband 3.1.2+dfsg0-1 librubberband2@x
ruby-augeas 1:0.5.0+gem-1 ruby-augeas@z
ruby-concurrent 1.1.6+dfsg-5 ruby-concurrent@z
ruby-deep-merge 1.1.1-2 ruby-deep-merge@z
ruby-defaults 1:3.1 libruby@tz ruby-dev@t ruby@tz
ruby-hocon 1.3.1-2 ruby-hocon@z
ruby-net-telnet 0.2.0-1 ruby-net-telnet@tz
ruby-rbtree 0.4.6-1 ruby-rbtree@z
ruby-sdbm 1.0.0-5 ruby-sdbm=*+b1@tz
ruby-semantic-puppet 1.0.4-1 ruby-semantic-puppet@z
ruby-shadow 2.5.1-1 ruby-shadow@z
ruby-sorted-set 1.0.3-3 ruby-sorted-set@z
ruby-thor 1.2.1-2 ruby-thor@z
ruby-webrick 1.8.1-1 ruby-webrick@tz
ruby-xmlrpc 0.3.2-2 ruby-xmlrpc@tz
ruby3.1 3.1.2-7+deb12u{!1/1261} libruby3.1@tz ruby3.1-dev@t ruby3.1@tz
rubygems 3.3.15-2+deb12u{1/1261} bundler=2.3.15-2+deb12u1@t ruby-bundler=2.3.15-2+deb12u1@t ruby-rubygems@tz
rubygems-integration 1.18 rubygems-integration@tz
runc 1.1.5+ds1-1+deb12u{!1/1261} runc@cF
rust-rav1e 0.5.1-6 librav1e0@dex
rust-ripgrep 13.0.0-4 ripgrep=*+b2@l
samba 2:4.17.12+dfsg-0+deb12u{!4/315} libldb2=2:2.6.2+samba4.17.12+dfsg-0+deb12u4@diC libnss-winbind@i libpam-winbind@i libsmbclient@diC libwbclient0@diC python3-ldb=2:2.6.2+samba4.17.12+dfsg-0+deb12u4@i python3-samba@i samba-common-bin@i samba-common@i samba-libs@diC samba@i smbclient@i winbind@i
sane-backends 1.2.1-2 libsane-common@d libsane1@d
sbc 2.0-1 libsbc1@d
scowl 2020.12.07-2 hunspell-en-us=1:*@dE wamerican
screen 4.9.0-4 screen
seabios 1.16.2-1 seabios@o
sed 4.9-1+deb12u{1/1261} sed
sensible-utils 0.0.17+nmu1 sensible-utils
serd 0.30.16-1 libserd-0-0@dx
serf 1.3.9-11 libserf-1-1@p
setuptools 66.1.1-1+deb12u{2/630} python3-pkg-resources python3-setuptools-whl@r python3-setuptools@rA
sg3-utils 1.46-3 libsgutils2-1.46-2@n sg3-utils-udev@n sg3-utils@n
sgml-base 1.31 sgml-base
shadow 1:4.13+dfsg1-1+deb12u{2/630} libsubid4@F login passwd uidmap@F
shared-mime-info 2.2-1 shared-mime-info@dxE
shine 3.1.1-2 libshine3@x
sisu-inject 0.3.4-2 libsisu-inject-java@v
sisu-plexus 0.3.4-3 libsisu-plexus-java@v
six 1.16.0-4 python3-six
skopeo 1.9.3+ds1-1 skopeo=*+b10@F
slang2 2.3.3-3 libslang2
smartmontools 7.3-1 smartmontools=*+b1@n
snapd-glib 1.63-5 libsnapd-glib-2-1@d
snappy 1.1.9-3 libsnappy1v5@x
sndio 1.9.0-0.3 libsndio7.0=*+b2@ox
snowball 2.2.0-2 libstemmer0d@d
socat 1.7.4.4-2 socat@bm
sord 0.16.14+git221008-1 libsord-0-0@dx
sound-theme-freedesktop 0.8-2 sound-theme-freedesktop@d
source-highlight 3.1.9-4.2 libsource-highlight-common@p libsource-highlight4v5=*+b3@p
spamassassin 4.0.1-1~deb12u{1/1261} spamassassin@D
speex 1.2.1-2 libspeex1@dx
sphinx 5.3.0-4 libjs-sphinxdoc@r
sphinxbase 0.8+5prealpha+1-16 libsphinxbase3@x
spice 0.15.1-1 libspice-server1@o
sqlite3 3.40.1-2+deb12u{2/630} libsqlite3-0 libsqlite3-dev@q
squid 5.7-2+deb12u{!6/210} squid-common@h squid@h
squid-langpack 20220130-1 squid-langpack@h
sratom 0.6.14-1 libsratom-0-0@dx
srt 1.5.1-1+deb12u{!2/630} libsrt1.5-gnutls@x
ssl-cert 1.1.2 ssl-cert@abw
sssd 2.8.2-4+deb12u{1/1261} libipa-hbac0@C libnss-sss@C libpam-sss@C libsss-certmap0@C libsss-idmap0@C libsss-nss-idmap0@C python3-sss@C sssd-ad-common@C sssd-ad@C sssd-common@C sssd-ipa@C sssd-krb5-common@C sssd-krb5@C sssd-ldap@C sssd-proxy@C sssd-tools@C sssd@C
startup-notification 0.12-6 libstartup-notification0=*+b1@d
strace 6.1-0.1 strace@p
subversion 1.14.2-4+deb12u{1/1261} libsvn1@p subversion@p
sudo 1.9.13p3-1+deb12u{!4/315} sudo
suitesparse 1:5.12.0+dfsg-2 libcolamd2@E libsuitesparseconfig5@E
svt-av1 1.4.1+dfsg-1 libsvtav1enc1@dex
swaks 20201014.0-2 swaks@D
swtpm 0.7.1-1.3 swtpm-libs@o swtpm-tools@o swtpm@o
symfony 5.4.53+dfsg-0+deb12u{!1/1261} php-symfony-console@e php-symfony-filesystem@e php-symfony-finder@e php-symfony-process@e php-symfony-string@e
systemd 252.{!39/75}-1~deb12u2 libnss-systemd libpam-systemd libsystemd-dev@q libsystemd-shared libsystemd0 libudev1 systemd systemd-container@o systemd-sysv systemd-timesyncd udev
sysvinit 3.06-4 sysvinit-utils
t1utils 1.41-4 t1utils@y
taglib 1.13-2+deb12u{1/1261} libtag1v5-vanilla@d libtag1v5@d
talloc 2.4.0-f2 libtalloc2@diC python3-talloc@i
tar 1.34+dfsg-1.2+deb12u{1/1261} tar
tasksel 3.73 task-ssh-server tasksel tasksel-data
tcp-wrappers 7.6.q-32 libwrap0
tcpdump 4.99.3-1 tcpdump@m
tdb 1.4.8-2 libtdb1@dhiC python3-tdb@i tdb-tools@i
teckit 2.5.11+ds1-1 libteckit0=*+b1@y
tepl 6.4.0-7 libtepl-6-2@E libtepl-common@E
tevent 0.14.1-1 libtevent0@diC
tex-common 6.18 tex-common@y
texlive-base 2022.20230122-3 texlive-base@y texlive-fonts-recommended@y texlive-latex-base@y
texlive-bin 2022.20220321.62855-5.1+deb12u{2/630} libkpathsea6@yE libptexenc1@y libsynctex2@yE libtexlua53-5@y libtexluajit2@y texlive-binaries@y
texttable 1.6.7-1 python3-texttable@F
thunderbird 1:153.{!7/28}.0esr-1~deb12u1 thunderbird@E
tiff 4.5.0-6+deb12u{!4/315} libtiff6@dewxE
tini 0.19.0-1 tini=*+b3@cF
tmux 3.3a-3 tmux@l
tokyocabinet 1.4.48-15 libtokyocabinet9@D
tomcat10 10.1.{!60/40}-1~deb12u1 libtomcat10-java@a tomcat10-common@a tomcat10@a
totem-pl-parser 3.26.6-1 libtotem-plparser-common@d libtotem-plparser18=*+b1@d
traceroute 1:2.1.2-1 traceroute
tracker 3.4.2-1 libtracker-sparql-3.0-0@d tracker@d
tracker-miners 3.4.3-1 tracker-extract@d tracker-miner-fs@d
tree 2.1.0-1 tree@l
twolame 0.4.0-2 libtwolame0@dx
tzdata 2026f-0+deb12u{!1/1261} tzdata
ucf 3.0043+nmu1+deb12u{1/1261} ucf
uchardet 0.0.7-1 libuchardet0
udisks2 2.9.4-4+deb12u{!2/630} libudisks2-0@d udisks2@d
ufw 0.36.2-1 ufw@B
unattended-upgrades 2.9.1+nmu3 unattended-upgrades
unbound 1.17.1-2+deb12u{!4/315} libunbound8
underscore 1.13.4~dfsg+~1.11.4-3 libjs-underscore@r
upower 0.99.20-2 gir1.2-upowerglib-1.0@d libupower-glib3@d upower@d
usb.ids 2025.07.26-0+deb12u{1/1261} usb.ids@do
usbredir 0.13.0-2 libusbredirparser1@o
usbutils 1:014-1+deb12u{1/1261} usbutils
usrmerge 37~deb12u{1/1261} usrmerge
utf8proc 2.8.0-1 libutf8proc2@p
util-linux 2.38.1-5+deb12u{!3/420} bsdextrautils bsdutils=1:* eject@G fdisk libblkid-dev@q libblkid1 libfdisk1 libmount-dev@q libmount1 libsmartcols1 libuuid1 mount util-linux util-linux-extra util-linux-locales uuid-dev@q uuid-runtime@n
v4l-utils 1.22.1-5 libv4l-0=*+b2@d libv4lconvert0=*+b2@d
valgrind 1:3.19.0-1 valgrind@p
varnish 7.1.1-2+deb12u{!1/1261} libvarnishapi3@h varnish@h
vdeplug4 4.0.1-4 libvdeplug2@o
vim 2:9.0.1378-2+deb12u{2/630} vim-common vim-runtime@l vim-tiny vim@l
vips 8.14.1-3+deb12u{!3/420} libvips-tools@x libvips42@x
virt-manager 1:4.1.0-2 virtinst@o
vlan 2.0.5 vlan@m
vte2.91 0.70.6-2~deb12u{1/1261} libvte-2.91-0@d libvte-2.91-common@d
vulkan-loader 1.3.239.0-1 libvulkan1@x
wagon 3.5.3-1 libwagon-file-java@v libwagon-http-shaded-java@v libwagon-provider-api-java@v
wavpack 5.6.0-1 libwavpack1@d
wayland 1.21.0-1 libwayland-client0@dxE libwayland-cursor0@dxE libwayland-egl1@dxE libwayland-server0@dox
webkit2gtk 2.50.6-1~deb12u{!2/630} gir1.2-javascriptcoregtk-4.1@d gir1.2-webkit2-4.1@d libjavascriptcoregtk-4.1-0@d libwebkit2gtk-4.1-0@d
webp-pixbuf-loader 0.2.1-1 webp-pixbuf-loader@dE
webrtc-audio-processing 0.3-1 libwebrtc-audio-processing1=*+b1@d
websocket-client 1.2.3-1 python3-websocket@rF
wget 1.21.3-1+deb12u{1/1261} wget
wheel 0.38.4-2 python3-wheel-whl@r python3-wheel@r
whois 5.5.17 whois@m
wireguard 1.0.20210914-1 wireguard-tools=*+b1@m
wireplumber 0.4.13-1 libwireplumber-0.4-0@d wireplumber@d
woff2 1.0.2-2 libwoff1@d
x11-apps 7.7+9 x11-apps@E
x11-utils 7.7+5 x11-utils@E
x11-xkb-utils 7.7+7 x11-xkb-utils@d
x11-xserver-utils 7.7+9 x11-xserver-utils=*+b1@d
x264 2:0.164.3095+gitbaee400-3 libx264-164@x
x265 3.5-2 libx265-199=*+b1@dex
xauth 1:1.1.2-1 xauth@E
xbitmaps 1.1.1-2.2 xbitmaps@E
xcb-util 0.4.0-1 libxcb-util1=*+b1@d
xdg-dbus-proxy 0.1.4-3+deb12u{!2/630} xdg-dbus-proxy@d
xdg-desktop-portal 1.16.0-2 xdg-desktop-portal@d
xdg-desktop-portal-gnome 43.1-2 xdg-desktop-portal-gnome@d
xdg-desktop-portal-gtk 1.14.1-1 xdg-desktop-portal-gtk@d
xdg-utils 1.1.3-4.1 xdg-utils@y
xfonts-encodings 1:1.0.4-2.2 xfonts-encodings@wE
xfonts-utils 1:7.7+6 xfonts-utils@wE
xfsprogs 6.1.0-1 xfsprogs@n
xft 2.3.6-1 libxft2@dE
xkeyboard-config 2.35.1-1 xkb-data
xml-core 0.18+nmu1 xml-core
xmlsec1 1.2.37-2 libxmlsec1-nss@E libxmlsec1-openssl@G libxmlsec1@EG
xorg 1:7.7+23 x11-common@dwxyE
xorg-server 2:21.1.7-3+deb12u{!13/97} xserver-common@d xserver-xorg-core@d
xterm 379-1 xterm@E
xvidcore 2:1.3.7-1 libxvidcore4@x
xwayland 2:22.1.9-1 xwayland@d
xxhash 0.8.1-1 libxxhash0
xz-utils 5.4.1-1+deb12u{!2/630} liblzma-dev@q liblzma5 xz-utils
yajl 2.1.0-3+deb12u{2/630} libyajl2@oE
z3 4.8.12-3.1 libz3-4@bdpxE
zeromq3 4.3.4-6 libzmq5@x
zimg 3.0.4+ds1-1 libzimg2@x
zlib 1:1.2.13.dfsg-1 zlib1g zlib1g-dev@qr
zsh 5.9-4 zsh-common@l zsh=*+b15@l
zvbi 0.2.41-1+deb12u{1/1261} libzvbi-common@x libzvbi0@x
zxing-cpp 1.4.0-3 libzxing2=*+b1@E
zziplib 0.13.72+dfsg.1-1.1 libzzip-0-13@y
`,
};
