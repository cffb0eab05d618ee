import type { TableText } from '../table.ts';

/** Names and versions as on a server of January 2026, and what other servers have beside them. */
export const UBUNTU_24_04: TableText = {
  date: '2026-01-20',
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
accountsservice 22.08.8-6 accountsservice@d
acl 2.3.2-1build1.1 acl@d libacl1
adcli 0.9.1-2 adcli@C
adduser 3.137ubuntu1 adduser
adwaita-icon-theme 46.0-1 adwaita-icon-theme@dE
aide 0.18.3-1 aide@B
alsa-lib 1.2.11-1ubuntu0.{1/640} libasound2-data@adovxE+libvirtd libasound2t64@adovxE
alsa-topology-conf 1.2.5.1-2 alsa-topology-conf@dE
alsa-ucm-conf 1.2.10-1ubuntu5.{7/91} alsa-ucm-conf@dE
ansible-core 2.16.3-0ubuntu2 ansible-core@z
ant 1.10.13-1 ant@v
aom 3.8.2-2ubuntu0.{!1/640} libaom3@dex
apache-pom 29-2 libapache-pom-java@v
apache2 2.4.58-1ubuntu8.{!8/80} apache2-bin@+apache2 apache2-data@+apache2 apache2-utils@fg+apache2 apache2@+apache2
apg 2.2.3.dfsg.1-5 apg@d
apparmor 4.0.1really4.0.1-0ubuntu0.24.04.{5/128} apparmor-utils@B apparmor@B libapparmor1 python3-apparmor@B python3-libapparmor@B
appconfig 1.71-2.2 libappconfig-perl@s
apport 2.28.1-0ubuntu3.{8/80} apport apport-core-dump-handler apport-symptoms=0.25 python3-apport python3-problem-report
appstream 1.0.2-1build6 appstream@dE
apt 2.8.3 apt apt-transport-https apt-utils libapt-pkg6.0t64
argon2 0~20190702+dfsg-4build1 libargon2-1
at-spi2-core 2.52.0-1build1 at-spi2-common@dE at-spi2-core@d libatk-bridge2.0-0t64@dE libatk1.0-0t64@dE libatspi2.0-0t64@dE
atinject-jsr330 1.0+ds1-5 libatinject-jsr330-api-java@v
attr 1:2.5.2-1build1.1 libattr1
audit 1:3.1.2-2.1build1.1 auditd@+auditd libaudit-common libaudit1
augeas 1.14.0-1 augeas-lenses@+puppet
autoconf 2.71-3 autoconf@p
autofs 5.1.8-2 autofs@+autofs
automake-1.16 1:1.16.5-1.3ubuntu1 automake@p
automat 22.10.0-2 python3-automat
autotools-dev 20220109.1 autotools-dev@p
avahi 0.8-13ubuntu6 libavahi-client3@adivwCE+cups+smbd libavahi-common-data@adivwCE+cups+smbd libavahi-common3@adivwCE+cups+smbd
babeltrace 1.5.11-3build3 libbabeltrace1@p
bacula 9.6.7-7 bacula-common@+bacula-fd bacula-fd@+bacula-fd
base-files 13ubuntu10.{3/213} base-files
base-passwd 3.6.3build1 base-passwd
bash 5.2.21-2ubuntu4 bash
bash-completion 1:2.11-8 bash-completion
bc 1.07.1-3ubuntu4 bc@+cups
bind9 1:9.18.39-0ubuntu0.24.04.{!2/320} bind9-dnsutils bind9-host bind9-libs dnsutils
binutils 2.42-4ubuntu2.{8/80} binutils binutils-common binutils-x86-64-linux-gnu libbinutils libctf-nobfd0 libctf0 libgprofng0
bison 2:3.8.2+dfsg-1 bison@p
blinker 1.7.0-1 python3-blinker
bluez 5.72-0ubuntu5.{4/160} bluez@d
borgbackup 1.2.8-1 borgbackup@A
bridge-utils 1.7.1-1 bridge-utils@m
brotli 1.1.0-2build2 libbrotli-dev@q libbrotli1
bsd-mailx 8.1.2-0.20220412cvs-1 bsd-mailx@D
btrfs-progs 6.6.3-1.1build2 btrfs-progs
bubblewrap 0.8.0-2 bubblewrap@dE
build-essential 12.10ubuntu1 build-essential@cp
busybox 1:1.35.0-4 busybox
byobu 6.11-0ubuntu1 byobu
bzip2 1.0.8-5.1build0.1 bzip2 libbz2-1.0 libbz2-dev@q
ca-certificates 20240203 ca-certificates
ca-certificates-java 20230710 ca-certificates-java@av
cairo 1.18.0-3build1 libcairo-gobject2@dxE libcairo2@dwxyE+cups
ccache 4.8+really4.7.5-1 ccache@p
cdebconf 0.271ubuntu3 libdebconfclient0
cdi-api 1.2-3 libcdi-api-java@v
chardet 5.2.0+dfsg-1 python3-chardet
chrony 4.5-1ubuntu4.2 chrony@+chrony
cifs-utils 2:7.0-2 cifs-utils@i
clamav 1.4.3+dfsg-0ubuntu0.24.04.{!1/640} clamav-base@+clamav-daemon clamav-daemon@+clamav-daemon clamav-freshclam@+clamav-daemon
cloud-init 25.2-0ubuntu1~24.04.{1/640} cloud-init
cloud-utils 0.33-1 cloud-guest-utils
clp 1.17.6-3 coinor-libclp1@E
cmake 3.28.3-1build7 cmake-data@p cmake@p
coinmp 1.8.3-3 coinor-libcoinmp1v5@E
coinor-cbc 2.10.8+ds1-1 coinor-libcbc3@E
coinor-cgl 0.60.3+repack1-4 coinor-libcgl1@E
coinor-osi 0.108.6+repack1-2 coinor-libosi1v5@E
coinutils 2.11.4+repack1-2 coinor-libcoinutils3v5@E
colord 1.4.7-1build2 colord-data@d colord@d libcolord2@dE
command-not-found 23.04.0 command-not-found
commons-io 2.11.0-2 libcommons-io-java@v
commons-parent 56-1 libcommons-parent-java@v
composer 2.5.5-1 composer@e
configobj 5.0.8-3 python3-configobj
conmon 2.1.6+ds1-1 conmon@F
console-setup 1.226ubuntu1 console-setup console-setup-linux keyboard-configuration
constantly 23.10.4-1 python3-constantly
containerd 1.7.28-0ubuntu1~24.04.{!1/640} containerd@c+docker
coreutils 9.4-3ubuntu6.{1/640} coreutils
cpio 2.13+dfsg-7.1 cpio
cpp-13-x86-64-linux-gnu 13.3.0-6ubuntu2~24.04 cpp-13-x86-64-linux-gnu@cp
cpp-x86-64-linux-gnu 4:13.2.0-7ubuntu1 cpp-x86-64-linux-gnu@cp
cron 3.0pl1-184ubuntu2 cron cron-daemon-common
cryptsetup 2:2.7.0-1ubuntu4.{2/320} cryptsetup cryptsetup-bin cryptsetup-initramfs libcryptsetup12
cups 2.4.7-1.2ubuntu7.{!9/71} cups-client@w+cups cups-common@w+cups cups-core-drivers@+cups cups-daemon@+cups cups-ipp-utils@+cups cups-ppdc@+cups cups-server-common@+cups cups@+cups libcups2t64@adivwE
cups-filters 1.28.17-3 cups-filters-core-drivers@+cups cups-filters@+cups
curl 8.5.0-2ubuntu10.{!6/107} curl libcurl3t64-gnutls libcurl4-openssl-dev@q libcurl4t64
cyrus-sasl2 2.1.28+dfsg1-5ubuntu3.{!1/640} libsasl2-2 libsasl2-modules-db libsasl2-modules@C
dash 0.5.12-6ubuntu5 dash
db5.3 5.3.28+dfsg2-7 libdb5.3t64
dbus 1.14.10-4ubuntu4.{1/640} dbus dbus-bin dbus-daemon dbus-session-bus-common dbus-system-bus-common dbus-user-session@doE dbus-x11@dE libdbus-1-3
dbus-python 1.3.2-5build3 python3-dbus
dconf 0.40.0-4ubuntu0.{1/640} dconf-cli@d dconf-gsettings-backend@doE dconf-service@doE libdconf1@doE
debconf 1.5.86ubuntu1 debconf debconf-i18n python3-debconf
debianutils 5.17build1 debianutils
debsums 3.0.2.1 debsums@B
desktop-base 12.0.6+nmu1 desktop-base@d
desktop-file-utils 0.26-1 desktop-file-utils@d
dh-runit 2.15.2 runit-helper
dhcpcd5 1:10.0.6-1ubuntu3.{2/320} dhcpcd-base
diffutils 1:3.10-1build1 diffutils
distlib 0.3.6-1 python3-distlib@r
distro-info 1.7build1 distro-info python3-distro-info
distro-info-data 0.60ubuntu0.{5/128} distro-info-data
dmidecode 3.4-1 dmidecode
dnspython 2.3.0-1 python3-dnspython@iz+smbd
docker-compose 1.29.2-3 docker-compose@F
docker.io 28.2.2-0ubuntu1~24.04.{1/640} docker.io@c+docker
dockerpty 0.4.1-4 python3-dockerpty@F
docopt 0.6.2-4.1 python3-docopt@F
dosfstools 4.2-1 dosfstools@n
dpkg 1.22.6ubuntu6.{5/128} dpkg dpkg-dev@cp libdpkg-perl@cpB
duktape 2.7.0+tests-0ubuntu3 libduktape207
duplicity 0.8.22-1 duplicity@A
e2fsprogs 1.47.0-2.4~exp1ubuntu4.{1/640} comerr-dev@q e2fsprogs e2fsprogs-l10n libcom-err2 libext2fs2t64 libss2 logsave
eclipse-jdt-core 4.26-2 libeclipse-jdt-core-java@a
ed 1.20.1-1 ed
edk2 2022.11-6 ovmf@o
elfutils 0.190-1.1ubuntu0.{1/640} libdebuginfod-common@p libdebuginfod1t64@p libdw1t64@dopE libelf1t64
emacsen-common 3.0.5 emacsen-common@dE
eog 43.2-1 eog@E
error-prone-java 2.18.0-1 liberror-prone-java@v
etckeeper 1.18.20-1 etckeeper@z
ethtool 1:6.7-1build1 ethtool@m
evince 43.1-2 evince-common@E evince@E
evolution-data-server 3.52.3-0ubuntu1.{!1/640} evolution-data-server-common@d evolution-data-server@d
expat 2.6.1-2ubuntu0.{!3/213} libexpat1 libexpat1-dev@r
facter 4.3.0-2 facter@+puppet
fail2ban 1.0.2-3ubuntu0.{1/640} fail2ban@+fail2ban
fakeroot 1.33-1 fakeroot@cp libfakeroot
ffmpeg 7:6.1.1-3ubuntu5 ffmpeg@x
file 1:5.45-3build1 file libmagic-mgc libmagic1t64
file-roller 43.0-1 file-roller@E
findutils 4.9.0-5build1 findutils
flex 2.6.4-8.2 flex@p
fontconfig 2.15.0-1.1ubuntu2 fontconfig-config@adevwxyE+cups fontconfig@dxE libfontconfig1@adevwxyE+cups
fonts-dejavu 2.37-8 fonts-dejavu-core@adevwxyE+cups fonts-dejavu-extra@d fonts-dejavu@d
fonts-dejavu-mono 2.37-8 fonts-dejavu-mono@dE
fonts-liberation2 2.1.5-1 fonts-liberation2@E
fonts-quicksand 0.2016-2.1 fonts-quicksand@d
fonts-ubuntu 0.869+git20240321-0ubuntu1 fonts-ubuntu@dE
fonts-urw-base35 20200910-7 fonts-urw-base35@wE+cups
freetype 2.13.2+dfsg-1build3 libfreetype-dev@q libfreetype6
fribidi 1.0.13-3build1 libfribidi0@dxE
fuse 2.9.9-8.1build1 libfuse-dev@cp libfuse2t64
fuse3 3.14.0-5build1 fuse3@d libfuse3-3@doG+libvirtd
fwupd 1.9.31-0ubuntu1~24.04.{1/640} fwupd libfwupd2
g++-13-x86-64-linux-gnu 13.3.0-6ubuntu2~24.04 g++-13-x86-64-linux-gnu@cp
g++-x86-64-linux-gnu 4:13.2.0-7ubuntu1 g++-x86-64-linux-gnu@cp
gawk 1:5.2.1-2build3 gawk
gcc-13 13.3.0-6ubuntu2~24.04 cpp-13@cdhp g++-13@cp gcc-13-base gcc-13@chp libgcc-13-dev@chp libobjc-12-dev@p libstdc++-13-dev@cp
gcc-13-x86-64-linux-gnu 13.3.0-6ubuntu2~24.04 gcc-13-x86-64-linux-gnu@cp
gcc-14 14.2.0-4ubuntu2~24.04 gcc-14-base libasan8@chp+varnish libatomic1@acdhp+varnish libcc1-0@chp+varnish libgcc-s1 libgomp1@chpxA+varnish libhwasan0@cp libitm1@chp+varnish liblsan0@chp+varnish libquadmath0@chprxE+varnish libstdc++6 libtsan2@chp+varnish libubsan1@chp+varnish
gcc-defaults 4:13.2.0-7ubuntu1 cpp@cdhp+varnish g++@cp gcc@chp+varnish
gcc-x86-64-linux-gnu 4:13.2.0-7ubuntu1 gcc-x86-64-linux-gnu@cp
gcr 3.41.1-1 gcr@d
gdb 15.0.50.20240403-0ubuntu1 gdb@p
gdbm 1.23-5.1build1 libgdbm-compat4t64 libgdbm6t64
gdisk 1.0.10-1build1 gdisk@dnG
gdk-pixbuf 2.42.10+dfsg-3ubuntu3.{!2/320} libgdk-pixbuf-2.0-0@dxE libgdk-pixbuf2.0-bin@dE libgdk-pixbuf2.0-common@dxE
gdm3 46.2-1ubuntu1~24.04.{6/107} gdm3@d
gedit 44.2-1 gedit-common@E gedit@E
geocode-glib 3.26.3-6 geocode-glib-common@d
geronimo-annotation-1.3-spec 1.3-1 libgeronimo-annotation-1.3-spec-java@v
geronimo-interceptor-3.0-spec 1.0.1-4 libgeronimo-interceptor-3.0-spec-java@v
gettext 0.21-14ubuntu2 gettext-base gettext@p
ghostscript 10.0.0~dfsg-11 ghostscript@w+cups
gir1.2-girepository-2.0 1.80.1-1 gir1.2-girepository-2.0
git 1:2.43.0-1ubuntu7.{!3/213} git git-man
git-lfs 3.3.0-1 git-lfs@p
glib-networking 2.74.0-4 glib-networking-common@doE glib-networking-services@doE glib-networking@doE
glib2.0 2.80.0-6ubuntu3.{!6/107} libglib2.0-0t64 libglib2.0-bin@dq+packagekit libglib2.0-data@dq+packagekit libglib2.0-dev-bin@q libglib2.0-dev@q
glibc 2.39-0ubuntu8.{!6/107} libc-bin libc-dev-bin@chpqr+varnish libc-devtools@cp libc6 libc6-dbg@p libc6-dev@chpqr+varnish locales
gmp 2:6.3.0+dfsg-2ubuntu6.{1/640} libgmp-dev@qt libgmp10
gnome-backgrounds 43.1-1 gnome-backgrounds@d
gnome-bluetooth3 42.5-3 gnome-bluetooth-3-common@d
gnome-calculator 1:43.0.1-2 gnome-calculator@E
gnome-control-center 1:43.6-2 gnome-control-center@d
gnome-desktop 43.2-2 gnome-desktop3-data@dE
gnome-keyring 42.1-1 gnome-keyring@d
gnome-session 43.0-1 gnome-session-bin@d gnome-session-common@d gnome-session@d
gnome-settings-daemon 46.0-1ubuntu1.24.04.{1/640} gnome-settings-daemon-common@d gnome-settings-daemon@d
gnome-shell 46.0-0ubuntu6~24.04.{10/64} gnome-shell-common@d gnome-shell@d
gnome-terminal 3.52.0-1ubuntu2 gnome-terminal-data@d gnome-terminal@d
gnupg2 2.4.4-2ubuntu17.{4/160} dirmngr@ADEF+fwupd gnupg-l10n@ADEF+fwupd gnupg-utils@ADEF+fwupd gnupg@ADEF+fwupd gpg-agent@ADEF+fwupd gpg-wks-client@ADEF+fwupd gpg-wks-server@ADEF+fwupd gpg@ADEF+fwupd gpgconf@ADEF+fwupd gpgsm@ADEF+fwupd gpgv
gnutls28 3.8.3-1.1ubuntu3.{!4/160} gnutls-bin@o libgnutls30t64
gobject-introspection 2.80.0-6ubuntu3.{6/107} gir1.2-glib-2.0 libgirepository-1.0-1=1.80.1-1
golang-github-containernetworking-plugins 1.1.1+ds1-3 containernetworking-plugins@F
golang-github-containers-buildah 1.28.2+ds1-3 buildah@F
golang-github-containers-common 0.50.1+ds1-4 golang-github-containers-common@F
golang-github-containers-image 5.23.1-4 golang-github-containers-image@F
gperf 3.1-1build1 gperf@cp
gpgme1.0 1.18.0-4.1ubuntu4 libgpgme11t64@DEF python3-gpg
gpm 1.20.7-11 libgpm2@dl
graphite2 1.3.14-2build1 libgraphite2-3@advxyE
graphviz 2.42.2-9ubuntu0.{1/640} graphviz@x
grep 3.11-4build1 grep
groff 1.23.0-3build2 groff-base
grub2 2.12-1ubuntu7.{!3/213} grub-common grub-gfxpayload-lists grub-pc grub-pc-bin grub2-common
gsettings-desktop-schemas 46.1-0ubuntu1 gsettings-desktop-schemas@doE
gst-plugins-base1.0 1.22.0-3 gstreamer1.0-plugins-base@dE
gst-plugins-good1.0 1.22.0-5 gstreamer1.0-plugins-good@d
gstreamer1.0 1.24.2-1ubuntu0.{!1/640} libgstreamer1.0-0@doE+libvirtd+packagekit
gtk+3.0 3.24.41-4ubuntu1.{3/213} gtk-update-icon-cache@dE libgtk-3-0t64@dE libgtk-3-bin@dE libgtk-3-common@dE
guava-libraries 31.1-1 libguava-java@v
guice 4.2.3-2 libguice-java@v
gvfs 1.54.4-0ubuntu1~24.04.{1/640} gvfs-common@d gvfs-daemons@d gvfs-fuse@d gvfs-libs@d gvfs@d
gzip 1.12-1ubuntu3.{1/640} gzip
haproxy 2.8.5-1ubuntu3.{!4/160} haproxy@+haproxy
harfbuzz 8.3.0-2build2 libharfbuzz0b@advxyE
hdparm 9.65+ds-1 hdparm@n
help2man 1.49.3 help2man@cp
hicolor-icon-theme 0.17-2 hicolor-icon-theme@dxE
hiera 3.10.0-1 hiera@+puppet
hostname 3.23+nmu2ubuntu2 hostname
htop 3.3.0-4build1 htop
humanity-icon-theme 0.6.16 humanity-icon-theme@dE
hyperlink 21.0.0-5 python3-hyperlink
icu 72.1-3 icu-devtools@q libicu-dev@q
ieee-data 20220827.1 ieee-data@z
imagemagick 8:6.9.12.98+dfsg1-5.2build2 imagemagick-6-common@x imagemagick-6.q16@x imagemagick@x
incremental 22.10.0-1 python3-incremental
inetutils 2:2.5-3ubuntu4 inetutils-telnet telnet=0.17+2.5-3ubuntu4
init-system-helpers 1.66ubuntu1 init init-system-helpers
initramfs-tools 0.142ubuntu25.{5/128} initramfs-tools initramfs-tools-bin initramfs-tools-core
intel-processor-trace 2.0.6-1build1 libipt2@p
io-stringy 2.111-3 libio-stringy-perl@D
iperf3 3.16-1build2 iperf3@m libiperf0@m
iproute2 6.1.0-1ubuntu6.{2/320} iproute2
iptables 1.8.10-3ubuntu2 iptables@coBF+docker+libvirtd libxtables12
iputils 3:20240117-1ubuntu0.{1/640} iputils-ping
ipxe 1.0.0+git-20190125.36a4c85-5.1 ipxe-qemu@o+libvirtd
irqbalance 1.9.3-2ubuntu5.{1/640} irqbalance@+irqbalance
isl 0.26-3build1.1 libisl23@cdhp+varnish
iso-codes 4.16.0-1 iso-codes@doE+libvirtd
jansi 2.4.0-2 libjansi-java@v
jansson 2.14-2build2 libjansson4
java-common 2:1.17-74 default-jdk-headless@v default-jre-headless@av java-common@av
javascript-common 11+nmu1 javascript-common@dE
jbigkit 2.1-6.1ubuntu2 libjbig0@dewxE+cups
jinja2 3.1.2-1ubuntu1.{3/213} python3-jinja2
jq 1.7.1-3ubuntu0.24.04.{!1/640} jq@l libjq1@l
json-c 0.17-1build1 libjson-c5
jsonlint 1.9.0-1 jsonlint@e
kbd 2.6.4-2ubuntu2 kbd
keyboxd 2.4.4-2ubuntu17.{4/160} keyboxd
keyutils 1.6.3-3build1 keyutils@+nfs-mountd+rpcbind libkeyutils1
klibc 2.0.12-1 klibc-utils
kmod 31+20240202-2ubuntu7.{1/640} kmod libkmod2
krb5 1.20.1-6ubuntu2.{!6/107} krb5-locales krb5-multidev@q krb5-user@C libgssapi-krb5-2 libk5crypto3 libkrb5-3 libkrb5-dev@q libkrb5support0
landscape 24.02-0ubuntu5.{7/91} landscape-client landscape-common
lazr.restfulclient 0.14.6-1 python3-lazr.restfulclient
lazr.uri 1.0.6-3 python3-lazr.uri
lcms2 2.14-2build1 liblcms2-2@advwxE+cups
lerc 4.0.0+ds-4ubuntu2 liblerc4@dewxE+cups
less 590-2ubuntu2.{!1/640} less
libalgorithm-c3-perl 0.11-2 libalgorithm-c3-perl@s
libalgorithm-diff-perl 1.201-1 libalgorithm-diff-perl@s
libalgorithm-diff-xs-perl 0.04-8build3 libalgorithm-diff-xs-perl@s
libalgorithm-merge-perl 0.08-5 libalgorithm-merge-perl@s
libaopalliance-java 20070526-7 libaopalliance-java@v
libappindicator3-1 12.10.1+20.10.20200706.1-0ubuntu5 libappindicator3-1@dE
libappstream5 1.0.2-1build6 libappstream5
libarchive 3.7.2-2ubuntu0.{!5/128} libarchive13t64@dipE
libassuan 2.5.6-1build1 libassuan0@dADEF+fwupd
libauthen-sasl-perl 2.1700-1 libauthen-sasl-perl@s
libb-hooks-endofscope-perl 0.26-1 libb-hooks-endofscope-perl@s
libb-hooks-op-check-perl 0.22-2 libb-hooks-op-check-perl@sD
libbpf 1:1.3.0-2build2 libbpf1
libbsd 0.12.1-1build1.1 libbsd0
libcap-ng 0.8.4-2build2 libcap-ng0
libcap2 1:2.66-5ubuntu2.{2/320} libcap2 libcap2-bin libpam-cap
libcbor0.10 0.10.2-1.2ubuntu2 libcbor0.10
libclass-c3-perl 0.35-2 libclass-c3-perl@s
libclass-data-inheritable-perl 0.08-3 libclass-data-inheritable-perl@s
libclass-inspector-perl 1.36-3 libclass-inspector-perl@s
libclass-load-perl 0.25-2 libclass-load-perl@s
libclass-load-xs-perl 0.10-2 libclass-load-xs-perl@s
libclass-method-modifiers-perl 2.14-1 libclass-method-modifiers-perl@s
libclass-singleton-perl 1.6-2 libclass-singleton-perl@s
libclone-perl 0.46-1build3 libclone-perl@sD
libcommons-cli-java 1.5.0-1 libcommons-cli-java@v
libcommons-lang3-java 3.12.0-2 libcommons-lang3-java@v
libconfig-inifiles-perl 3.000003-2 libconfig-inifiles-perl@b
libcrypt-openssl-bignum-perl 0.09-2 libcrypt-openssl-bignum-perl@D
libcrypt-openssl-random-perl 0.15-3 libcrypt-openssl-random-perl@D
libcrypt-openssl-rsa-perl 0.33-3 libcrypt-openssl-rsa-perl@D
libdata-dump-perl 1.25-1 libdata-dump-perl@s
libdata-optlist-perl 0.113-1 libdata-optlist-perl@sD
libdatetime-locale-perl 1:1.37-1 libdatetime-locale-perl@s
libdatetime-perl 2:1.59-1 libdatetime-perl@s
libdatetime-timezone-perl 1:2.60-1+2026f libdatetime-timezone-perl@s
libdatrie 0.2.13-3build1 libdatrie1@dxE
libdbd-mysql-perl 4.050-5 libdbd-mysql-perl@s
libdbd-pg-perl 3.16.0-2 libdbd-pg-perl@s
libdbi 0.9.0-6.1build1 libdbi1t64@k
libdbi-perl 1.643-4 libdbi-perl@bhs+squid
libdbusmenu 18.10.20180917~bzr492+repack1-3.1ubuntu5 libdbusmenu-glib4@dE libdbusmenu-gtk3-4@dE
libde265 1.0.15-1build3 libde265-0@dex
libdecor-0 0.2.2-1build2 libdecor-0-0@x
libdecor-0-plugin-1-gtk 0.2.2-1build2 libdecor-0-plugin-1-gtk@dE
libdeflate 1.19-1build1.1 libdeflate0@dewxE+cups
libdevel-callchecker-perl 0.008-2 libdevel-callchecker-perl@sD
libdevel-globaldestruction-perl 0.14-4 libdevel-globaldestruction-perl@s
libdevel-overloadinfo-perl 0.007-1 libdevel-overloadinfo-perl@s
libdevel-stacktrace-perl 2.0400-2 libdevel-stacktrace-perl@s
libdigest-hmac-perl 1.04+dfsg-2 libdigest-hmac-perl@D
libdist-checkconflicts-perl 0.11-2 libdist-checkconflicts-perl@s
libdrm 2.4.122-1~ubuntu0.24.04.{2/320} libdrm-amdgpu1@dxE+fwupd libdrm-common@doxEG+fwupd+libvirtd libdrm-intel1@dxE libdrm-nouveau2@dxE libdrm-radeon1@dxE libdrm2@doxEG+fwupd+libvirtd
libdynaloader-functions-perl 0.003-3 libdynaloader-functions-perl@sD
libeatmydata 131-1ubuntu1 eatmydata libeatmydata1
libedit 3.1-20230828-1build1 libedit2
libencode-locale-perl 1.05-3 libencode-locale-perl@s
libepoxy 1.5.10-1build1 libepoxy0@doxE+libvirtd
liberror-perl 0.17029-2 liberror-perl@cpzD
libestr 0.1.11-1build1 libestr0
libeval-closure-perl 0.14-3 libeval-closure-perl@s
libevent 2.1.12-stable-9ubuntu2 libevent-core-2.1-7t64@jl
libexception-class-perl 1.45-1 libexception-class-perl@s
libfastjson 1.2304.0-1build1 libfastjson4
libffi 3.4.6-1build1 libffi-dev@q libffi8
libfido2 1.14.0-1build3 libfido2-1
libfile-basedir-perl 0.09-2 libfile-basedir-perl@s
libfile-desktopentry-perl 0.22-3 libfile-desktopentry-perl@s
libfile-fcntllock-perl 0.22-4ubuntu5 libfile-fcntllock-perl@s
libfile-find-rule-perl 0.34-4 libfile-find-rule-perl
libfile-fnmatch-perl 0.02-3 libfile-fnmatch-perl@B
libfile-listing-perl 6.16-1 libfile-listing-perl@s
libfile-mimeinfo-perl 0.34-1 libfile-mimeinfo-perl@s
libfile-sharedir-perl 1.118-3 libfile-sharedir-perl@s
libfont-afm-perl 1.20-4 libfont-afm-perl@s
libgcrypt20 1.10.3-2build1 libgcrypt20 libgcrypt20-dev@q
libgd2 2.3.3-9ubuntu5 libgd3@dex
libgetopt-long-descriptive-perl 0.111-1 libgetopt-long-descriptive-perl@D
libgirepository-2.0-0 2.80.0-6ubuntu3.{6/107} libgirepository-2.0-0
libgl1-amber-dri 21.3.9-0ubuntu3~24.04.{1/640} libgl1-amber-dri@dE
libglapi-amber 21.3.9-0ubuntu3~24.04.{1/640} libglapi-amber@dE
libglvnd 1.7.0-1build1 libegl1@d libgl1@dxE libgles2@d libglvnd0@dxE libglx0@dxE
libgpg-error 1.47-3build2.1 libgpg-error-dev@q libgpg-error-l10n libgpg-error0
libheif 1.17.6-1ubuntu4.{!2/320} libheif1@dex
libheif-plugin-aomdec 1.17.6-1ubuntu4.{2/320} libheif-plugin-aomdec@dE
libheif-plugin-aomenc 1.17.6-1ubuntu4.{2/320} libheif-plugin-aomenc@dE
libheif-plugin-libde265 1.17.6-1ubuntu4.{2/320} libheif-plugin-libde265@dE
libhtml-form-perl 6.11-1 libhtml-form-perl@s
libhtml-format-perl 2.16-2 libhtml-format-perl@s
libhtml-parser-perl 3.81-1build3 libhtml-parser-perl@sD
libhtml-tagset-perl 3.20-6 libhtml-tagset-perl@sD
libhtml-tree-perl 5.07-3 libhtml-tree-perl@s
libhttp-cookies-perl 6.11-1 libhttp-cookies-perl@s
libhttp-daemon-perl 6.16-1 libhttp-daemon-perl@s
libhttp-date-perl 6.06-1 libhttp-date-perl@sD
libhttp-message-perl 6.45-1ubuntu1 libhttp-message-perl@s
libhttp-negotiate-perl 6.01-2 libhttp-negotiate-perl@s
libice 2:1.0.10-1build3 libice6@dwxyE+cups
libicu74 74.2-1ubuntu3.{1/640} libicu74
libidn2 2.3.7-2build1.1 libidn2-0
libimage-exiftool-perl 12.57+dfsg-1 libimage-exiftool-perl@x
libinput 1.22.1-1 libinput-bin@d
libintl-perl 1.33-1 libintl-perl
libio-html-perl 1.004-3 libio-html-perl@s
libio-socket-ssl-perl 2.085-1 libio-socket-ssl-perl@sD
libio-string-perl 1.08-4 libio-string-perl@D
libipc-system-simple-perl 1.30-2 libipc-system-simple-perl@s
libisoburn 1.5.4-4 xorriso@o
libjpeg-turbo 1:2.1.5-2 libjpeg-dev@q libjpeg62-turbo-dev@q
libjpeg-turbo8 2.1.5-2ubuntu2 libjpeg-turbo8@dE
libjpeg8 8c-2ubuntu11 libjpeg8@dE
libjson-perl 4.10000-1 libjson-perl@bsD
libjsoncpp 1.9.5-6build1 libjsoncpp25@p
libjsr305-java 0.1~+svn49-11 libjsr305-java@v
libksba 1.6.6-1build1 libksba8@ADEF+fwupd
liblchown-perl 1.01-4 liblchown-perl@A
libldap2 2.6.7+dfsg-1~exp1ubuntu8.{2/320} libldap2
liblocale-gettext-perl 1.07-6ubuntu5 liblocale-gettext-perl
liblockfile 1.17-1 liblockfile-bin
liblwp-mediatypes-perl 6.04-2 liblwp-mediatypes-perl@s
liblwp-protocol-https-perl 6.13-1 liblwp-protocol-https-perl@s
libmail-authenticationresults-perl 2.20230112-1 libmail-authenticationresults-perl@D
libmail-dkim-perl 1.20230212-2 libmail-dkim-perl@D
libmail-sendmail-perl 0.80-3 libmail-sendmail-perl@s
libmailtools-perl 2.21-2 libmailtools-perl@D
libmaxminddb 1.9.1-1build1 libmaxminddb0
libmd 1.1.0-2build1.1 libmd0
libmnl 1.0.5-2build1 libmnl0
libmodule-find-perl 0.16-2 libmodule-find-perl
libmodule-implementation-perl 0.09-2 libmodule-implementation-perl@sD
libmodule-runtime-conflicts-perl 0.003-2 libmodule-runtime-conflicts-perl@s
libmodule-runtime-perl 0.016-2 libmodule-runtime-perl@sD
libmoose-perl 2.2203-1 libmoose-perl@s
libmro-compat-perl 0.15-2 libmro-compat-perl@s
libnamespace-autoclean-perl 0.29-2 libnamespace-autoclean-perl@s
libnamespace-clean-perl 0.27-2 libnamespace-clean-perl@s
libnet-dbus-perl 1.2.0-2build3 libnet-dbus-perl@s
libnet-dns-perl 1.36-1 libnet-dns-perl@D
libnet-http-perl 6.23-1 libnet-http-perl@s
libnet-smtp-ssl-perl 1.04-2 libnet-smtp-ssl-perl@D
libnet-snmp-perl 6.0.1-7 libnet-snmp-perl@s
libnet-ssleay-perl 1.94-1build4 libnet-ssleay-perl@sD
libnetaddr-ip-perl 4.079+dfsg-2 libnetaddr-ip-perl@D
libnl3 3.7.0-0.3build1.1 libnl-3-200@lmoC+keepalived+libvirtd libnl-genl-3-200@lm+keepalived
libnotify 0.8.3-1build2 libnotify4@d
libnsl 1.3.0-2 libnsl-dev@chpqr+varnish
libnumber-compare-perl 0.03-3 libnumber-compare-perl
libonig 6.9.9-1build1 libonig5@el
libpackage-deprecationmanager-perl 0.18-1 libpackage-deprecationmanager-perl@s
libpackage-stash-perl 0.40-1 libpackage-stash-perl@s
libpackage-stash-xs-perl 0.30-1 libpackage-stash-xs-perl@s
libpaper 1.1.29 libpaper-utils@y
libparams-classify-perl 0.015-2 libparams-classify-perl@sD
libparams-util-perl 1.102-2 libparams-util-perl@sD
libparams-validate-perl 1.31-1 libparams-validate-perl@D
libparams-validationcompiler-perl 0.31-1 libparams-validationcompiler-perl@s
libpciaccess 0.17-3ubuntu0.24.04.{2/320} libpciaccess0@doxE+libvirtd
libpipeline 1.5.7-2 libpipeline1
libpng1.6 1.6.39-2 libpng-dev@q
libpng16-16t64 1.6.43-5ubuntu0.{1/640} libpng16-16t64
libpod 4.3.1+ds1-8 podman@F
libproc-processtable-perl 0.634-1 libproc-processtable-perl
libpsl 0.21.2-1.1build1 libpsl5t64
libregexp-ipv6-perl 0.03-3 libregexp-ipv6-perl@sD
libreoffice 4:24.2.7-0ubuntu0.24.04.{!4/160} fonts-opensymbol@E uno-libs-private@E ure@E
librole-tiny-perl 2.002004-1 librole-tiny-perl@s
librsvg 2.58.0+dfsg-1build1 librsvg2-2@dxE librsvg2-common@dE
libseccomp 2.5.5-1ubuntu3.{1/640} libseccomp2
libsecret 0.21.4-1build3 libsecret-1-0@dE libsecret-common@dE
libselinux 3.5-2ubuntu2.{1/640} libselinux1 libselinux1-dev@q
libsemanage 3.5-1build5 libsemanage-common libsemanage2
libsepol 3.5-2build1 libsepol-dev@q libsepol2
libsframe1 2.42-4ubuntu2.{8/80} libsframe1
libsharpyuv0 1.3.2-0.4build3 libsharpyuv0@dE
libsigsegv 2.14-1ubuntu2 libsigsegv2
libslf4j-java 1.7.32-1 libslf4j-java@v
libsm 2:1.2.3-1build3 libsm6@dwxyE+cups
libsmbclient0 2:4.19.5+dfsg-4ubuntu9.{4/160} libsmbclient0@i
libsocket6-perl 0.29-3 libsocket6-perl@D
libsodium 1.0.18-1ubuntu0.24.04.{!1/640} libsodium23@aeflrx+apache2
libsort-naturally-perl 1.03-4 libsort-naturally-perl
libsource-highlight4t64 3.1.9-4.3build1 libsource-highlight4t64@cp
libspecio-perl 0.48-1 libspecio-perl@s
libssh 0.10.6-2ubuntu0.{!2/320} libssh-4@o+libvirtd
libssh2 1.11.0-4.1build2 libssh2-1t64
libsub-exporter-perl 0.989-1 libsub-exporter-perl@sD
libsub-exporter-progressive-perl 0.001013-3 libsub-exporter-progressive-perl@s
libsub-identify-perl 0.14-3 libsub-identify-perl@s
libsub-install-perl 0.929-1 libsub-install-perl@sD
libsub-name-perl 0.26-2 libsub-name-perl@s
libsub-quote-perl 2.006008-1 libsub-quote-perl@s
libsys-hostname-long-perl 1.5-3 libsys-hostname-long-perl@sD
libtasn1-6 4.19.0-3ubuntu0.24.04.{!2/320} libtasn1-6
libtemplate-perl 2.27-1 libtemplate-perl@s
libterm-readkey-perl 2.38-2 libterm-readkey-perl
libtest-simple-perl 1.302198-1 libtest-simple-perl@s
libtext-charwidth-perl 0.04-11build3 libtext-charwidth-perl
libtext-csv-perl 2.02-2 libtext-csv-perl@s
libtext-glob-perl 0.11-3 libtext-glob-perl
libtext-iconv-perl 1.7-8build3 libtext-iconv-perl
libtext-wrapi18n-perl 0.06-10 libtext-wrapi18n-perl
libthai 0.1.29-2build1 libthai-data@dxE libthai0@dxE
libtie-ixhash-perl 1.23-4 libtie-ixhash-perl@s
libtimedate-perl 2.3300-2 libtimedate-perl@sD
libtirpc 1.3.4+ds-1.1build1 libtirpc-common libtirpc-dev@chpqr+varnish libtirpc3t64
libtool 2.4.7-7build1 libltdl-dev@cp libltdl7@dhxE+squid libtool@p
libtry-tiny-perl 0.31-2 libtry-tiny-perl@sD
libunistring5 1.1-2build1.1 libunistring5
libunwind 1.6.2-3build1.1 libunwind8@dopE+libvirtd+packagekit
liburi-perl 5.27-1 liburi-perl@sD
libutempter 1.2.1-3build1 libutempter0
libuv1 1.48.0-1.1build1 libuv1-dev@u libuv1t64
libvariable-magic-perl 0.63-1 libvariable-magic-perl@s
libvirt-python 9.0.0-1 python3-libvirt@o
libwebp 1.3.2-0.4build3 libwebp7@dewxE+cups
libwww-perl 6.76-1 libwww-perl@s
libwww-robotrules-perl 6.02-1 libwww-robotrules-perl@s
libx11 2:1.8.7-1build1 libx11-6@dewxyE+cups libx11-data@dewxyE+cups libx11-xcb1@dxE
libx11-protocol-perl 0.56-9 libx11-protocol-perl@dE
libxau 1:1.0.9-1build6 libxau6@dewxyE+cups
libxaw 2:1.0.14-1build2 libxaw7@dxyE
libxcb 1.15-1ubuntu2 libxcb-dri2-0@dxE libxcb-dri3-0@dxE libxcb-glx0@dxE libxcb-present0@dxE libxcb-randr0@dxE libxcb-render0@dwxyE+cups libxcb-shape0@xE libxcb-shm0@dwxyE+cups libxcb-sync1@dxE libxcb-xfixes0@dxE libxcb-xkb1@d libxcb1@dewxyE+cups
libxcomposite 1:0.4.5-1build3 libxcomposite1@dE
libxcrypt 1:4.4.36-4build1 libcrypt-dev@chpqr+varnish libcrypt1
libxcursor 1:1.2.1-1build1 libxcursor1@dxE
libxdamage 1:1.1.6-1build1 libxdamage1@dE
libxdmcp 1:1.1.3-0ubuntu6 libxdmcp6@dewxyE+cups
libxext 2:1.3.4-1build2 libxext6@dwxyE+cups
libxfixes 1:6.0.0-2build1 libxfixes3@dxE
libxi 2:1.8.1-1build1 libxi6@dxyE
libxinerama 2:1.1.4-3build1 libxinerama1@dE
libxkbcommon 1.6.0-1build1 libxkbcommon-x11-0@d libxkbcommon0@dxE
libxkbfile 1:1.1.0-1build4 libxkbfile1@dE
libxml-libxml-perl 2.0207+dfsg+really+2.0134-1 libxml-libxml-perl@s
libxml-namespacesupport-perl 1.12-2 libxml-namespacesupport-perl@s
libxml-parser-perl 2.47-1build3 libxml-parser-perl@s
libxml-sax-base-perl 1.09-3 libxml-sax-base-perl@s
libxml-sax-perl 1.02+dfsg-3 libxml-sax-perl@s
libxml-twig-perl 1:3.52-2 libxml-twig-perl@s
libxml-xpathengine-perl 0.14-2 libxml-xpathengine-perl@s
libxml2 2.9.14+dfsg-1.3ubuntu3.{!6/107} libxml2 libxml2-dev@q python3-libxml2@o
libxmlb 0.3.18-1 libxmlb2
libxmu 2:1.1.3-3build2 libxmu6@dxyE libxmuu1@dE
libxpm 1:3.5.17-1build2 libxpm4@dexyE
libxrandr 2:1.5.2-2build1 libxrandr2@dxE
libxrender 1:0.9.10-1.1build1 libxrender1@dwxyE+cups
libxshmfence 1.3-1build5 libxshmfence1@dxE
libxss 1:1.2.3-1build3 libxss1@x
libxstring-perl 0.005-2 libxstring-perl@s
libxt 1:1.2.1-1.2build1 libxt6t64@dwxyE
libxtst 2:1.2.3-1.1build1 libxtst6@dE
libxv 2:1.0.11-1.1build1 libxv1@xE
libxxf86dga 2:1.1.5-1build1 libxxf86dga1@E
libxxf86vm 1:1.1.4-1build4 libxxf86vm1@dxE
libyaml 0.2.5-1build1 libyaml-0-2@qrtyzAFG+packagekit+puppet libyaml-dev@q
libzstd 1.5.5+dfsg2-2build1.1 libzstd1 zstd
linux 6.8.0-90.91 linux-libc-dev@chpqr+varnish
linux-atm 1:2.5.1-5.1build1 libatm1t64
lksctp-tools 1.0.19+dfsg-2build1 libsctp1@m
llvm-toolchain-14 1:14.0.6-12 libclang-common-14-dev@p
llvm-toolchain-19 1:19.1.1-1ubuntu1~24.04.{2/320} libllvm19@lE
lm-sensors 1:3.6.0-9build1 libsensors-config@dkxE+keepalived+lldpd+snmpd libsensors5@dkxE+keepalived+lldpd+snmpd lm-sensors@k
lmdb 0.9.31-1build1 liblmdb0
lmodern 2.005-1 fonts-lmodern@y
logrotate 3.21.0-2build1 logrotate
lp-solve 5.5.2.5-2 lp-solve@E
lsb-release-minimal 12.0-2 lsb-release
lshw 02.19.git.2021.06.19.996aaad9c7-2build3 lshw
lsof 4.95.0-1build3 lsof
lto-disabled-list 47 lto-disabled-list
ltrace 0.7.3-6.4 ltrace@p
lua-lpeg 1.0.2-2 lua-lpeg@m
lvm2 2:1.02.185-3ubuntu3.{2/320} dmeventd@n dmsetup libdevmapper-event1.02.1 libdevmapper1.02.1 liblvm2cmd2.03 lvm2
lxml 4.9.2-1 python3-lxml@r
lz4 1.9.4-1build1.1 liblz4-1
lzo2 2.10-2build4 liblzo2-2@dmnAE+bacula-fd
m4 1.4.19-4build1 m4@p
mailcap 3.70+nmu1ubuntu1 mailcap
make-dfsg 4.3-4.1build2 make@cp
man-db 2.12.0-4build2 man-db
manpages 6.7-2 manpages manpages-dev@cp
mariadb 1:10.11.19-0 libmariadb-dev@q
markdown-it-py 3.0.0-2 python3-markdown-it
markupsafe 2.1.5-1build2 python3-markupsafe
maven 3.8.7-1 libmaven3-core-java@v maven@v
maven-parent 35-1 libmaven-parent-java@v
maven-resolver 1.6.3-1 libmaven-resolver-java@v
maven-shared-utils 3.3.4-1 libmaven-shared-utils-java@v
mawk 1.3.4.20240123-1build1 mawk
mc 3:4.8.30-1ubuntu0.{1/640} mc-data@l mc@l
mdadm 4.3-1ubuntu2.{1/640} mdadm
mdurl 0.1.2-1 python3-mdurl
media-types 10.1.0 media-types
memcached 1.6.24-1build3 memcached@+memcached
mesa 25.0.7-0ubuntu0.24.04.{2/320} libegl-mesa0@d libgbm1@dox+libvirtd libgl1-mesa-dri@dxE libglx-mesa0@dxE mesa-vulkan-drivers@dE
mesa-demos 9.0.0-2 mesa-utils-bin@dE mesa-utils@dE
mesa-libgallium 25.0.7-0ubuntu0.24.04.{2/320} mesa-libgallium@dE
mime-support 3.66 mime-support
modemmanager 1.23.4-0ubuntu2 libmm-glib0 modemmanager
monitoring-plugins 2.3.5-1ubuntu3 monitoring-plugins-basic@k monitoring-plugins-common@k monitoring-plugins-standard@k monitoring-plugins@k
motd-news-config 13ubuntu10.{3/213} motd-news-config
mpclib3 1.3.1-1build1.1 libmpc3@cdhpE+varnish
mpfr4 4.2.1-1build1.1 libmpfr6
mtr 0.95-1.1ubuntu0.{1/640} mtr mtr-tiny@m
multipath-tools 0.9.4-5ubuntu8.{1/640} kpartx multipath-tools
mutt 2.2.12-0.1ubuntu3 mutt@D
mutter 43.8-0 mutter-common@d
mysql-8.0 8.0.44-0ubuntu0.24.04.{2/320} libmysqlclient21@bq mysql-client-8.0@bq mysql-client-core-8.0@bq mysql-client@bq mysql-server-8.0@b mysql-server-core-8.0@b mysql-server@b
mysql-defaults 5.8+1.1.0build1 mysql-common@bqs
nagios-nrpe 4.1.0-1 nagios-nrpe-server@+nagios-nrpe-server
nano 7.2-2ubuntu0.{1/640} nano
nautilus 1:46.4-0ubuntu0.{2/320} nautilus-data@d nautilus@d
ncdu 1.18-0.2 ncdu@l
ncurses 6.4+20240113-1ubuntu2 libncurses-dev@q libncurses6@bdimqtzD+clamav-daemon+puppet+smbd libncursesw6 libtinfo6 ncurses-base ncurses-bin ncurses-term
needrestart 3.6-7ubuntu4.{!5/128} needrestart
net-snmp 5.9.4+dfsg-1.1ubuntu3.{!2/320} libsnmp-base@dk+keepalived+lldpd+snmpd libsnmp40t64@dk snmp@k snmpd@+snmpd
net-tools 2.10-0.1ubuntu4.{!4/160} net-tools@mB
netbase 6.4 netbase
netcat 1.10-47 netcat-traditional
netcat-openbsd 1.226-1ubuntu2 netcat-openbsd
netifaces 0.11.0-2build3 python3-netifaces
netplan.io 1.1.2-8ubuntu1~24.04.{1/640} libnetplan1 netplan-generator netplan.io python3-netplan
nettle 3.9.1-2.2build1.1 libhogweed6t64 libnettle8t64
network-manager 1.46.0-1ubuntu2.{5/128} network-manager@d
networkd-dispatcher 2.2.4-1 networkd-dispatcher
newt 0.52.24-2ubuntu2 libnewt0.52 python3-newt whiptail
nfs-utils 1:2.6.4-3ubuntu5.{1/640} nfs-common@+rpcbind nfs-kernel-server@+nfs-mountd
nftables 1.0.6-2 nftables
nghttp2 1.59.0-1ubuntu0.{!2/320} libnghttp2-14
nginx 1.24.0-2ubuntu7.{!5/128} nginx-common@a nginx@a
ninja-build 1.11.1-2 ninja-build@p
nmap 7.94+git20230807.3be01efb1+dfsg-3build2 nmap-common@m nmap@m
node-jquery 3.6.1+dfsg+~3.5.14-1 libjs-jquery@r
nodejs 18.19.1+dfsg-6ubuntu5 libnode-dev@u libnode109@u nodejs@u
npth 1.6-3.1build1 libnpth0t64@ADEF
nspr 2:4.35-1.1build1 libnspr4@adovwxE+cups+libvirtd
nss 2:3.98-1build1 libnss3@adovwxE+cups+libvirtd
numpy 1:1.24.2-1 python3-numpy@r
nvme-cli 2.8-1ubuntu0.{1/640} nvme-cli@n
ocl-icd 2.3.1-1 ocl-icd-libopencl1@x
open-iscsi 2.1.9-3ubuntu5.{4/160} libopeniscsiusr open-iscsi
open-vm-tools 2:12.5.0-1~ubuntu0.24.04.{!2/320} open-vm-tools@G
openitcockpit-agent 3.6.1 openitcockpit-agent
openjdk-21 21.0.{!9/91}+10-1~24.04 openjdk-21-jdk-headless@v openjdk-21-jre-headless@av
openldap 2.6.7+dfsg-1~exp1ubuntu8.{2/320} ldap-utils@C libldap-common libldap-dev@q
openssh 1:9.6p1-3ubuntu13.{!14/46} openssh-client openssh-server openssh-sftp-server
openssl 3.0.13-0ubuntu3.{!6/107} libssl-dev@qu libssl3t64 openssl
openvpn 2.6.14-0ubuntu0.24.04.{!3/213} openvpn@m
osinfo-db 0.20221130-2 osinfo-db@do
p11-kit 0.25.3-4ubuntu2.{1/640} libp11-kit0 p11-kit-modules@d p11-kit@d
p7zip 16.02+really26.02+dfsg-0 p7zip-full@E p7zip@E
packagekit 1.2.8-2ubuntu1.{4/160} libpackagekit-glib2-18 packagekit packagekit-tools
pam 1.5.3-5ubuntu5.{5/128} libpam-modules libpam-modules-bin libpam-runtime libpam0g
pandoc 2.17.1.1-2 pandoc-data@y pandoc@y
pango1.0 1.52.1+ds-1build1 libpango-1.0-0@dxE libpangocairo-1.0-0@dxE libpangoft2-1.0-0@dxE
paramiko 2.12.0-2 python3-paramiko@r
parsedatetime 2.6-3 python3-parsedatetime@g
parted 3.5-3 parted@dn
pastebinit 1.6.2-1 pastebinit
patch 2.7.6-7build3 patch@cp
pci.ids 0.0~2024.03.31-1ubuntu0.{1/640} pci.ids
pciutils 1:3.10.0-2build1 libpci3 pciutils
pcre2 10.42-4ubuntu2.{!1/640} libpcre2-16-0@q libpcre2-32-0@q libpcre2-8-0 libpcre2-dev@q libpcre2-posix3@q
perl 5.38.2-3.2ubuntu0.{!2/320} libperl5.38t64 perl perl-base perl-modules-5.38
perl-openssl-defaults 7build3 perl-openssl-defaults@sD
php-composer-ca-bundle 1.3.5-1 php-composer-ca-bundle@e
php-composer-class-map-generator 1.0.0-2 php-composer-class-map-generator@e
php-composer-metadata-minifier 1.0.0-2 php-composer-metadata-minifier@e
php-composer-pcre 3.1.0-1 php-composer-pcre@e
php-composer-semver 3.3.2-1 php-composer-semver@e
php-composer-spdx-licenses 1.5.7-1 php-composer-spdx-licenses@e
php-composer-xdebug-handler 3.0.3-2 php-composer-xdebug-handler@e
php-defaults 2:8.3+93ubuntu2 php-cli@e php-common=2:93ubuntu2@aef+apache2
php-json-schema 5.2.12-2 php-json-schema@e
php-psr-container 1.1.2-1 php-psr-container@e
php-psr-log 1.1.4-2 php-psr-log@e
php-react-promise 2.9.0-3 php-react-promise@e
php-seld-signal-handler 2.0.1-2 php-seld-signal-handler@e
php-symfony-contracts 2.5.5-0 php-symfony-deprecation-contracts@e php-symfony-service-contracts@e
php8.3 8.3.6-0ubuntu0.24.04.{!6/107} php8.3-bcmath@e php8.3-cli@aef php8.3-common@aef php8.3-curl@e php8.3-fpm@a php8.3-gd@e php8.3-intl@e php8.3-mbstring@e php8.3-mysql@e php8.3-opcache@aef php8.3-pgsql@e php8.3-readline@aef php8.3-soap@e php8.3-xml@e php8.3-zip@e
pinentry 1.2.1-3ubuntu5 pinentry-curses@ADEF+fwupd pinentry-gnome3@d
pipewire 1.0.5-1ubuntu3.{1/640} gstreamer1.0-pipewire@d pipewire-alsa@d pipewire-audio@d pipewire-bin@d pipewire-pulse@d pipewire@d
pixman 0.42.2-1build1 libpixman-1-0@dowxyE+cups+libvirtd
pkgconf 1.8.1-2build1 libpkgconf3@pq pkg-config@pq pkgconf-bin@pq pkgconf@pq
platformdirs 2.6.0-1 python3-platformdirs@r
plexus-cipher 2.0-1 libplexus-cipher-java@v
plexus-classworlds 2.7.0-1 libplexus-classworlds-java@v
plexus-containers 2.1.1-1 libplexus-component-annotations-java@v
plexus-interpolation 1.26-1 libplexus-interpolation-java@v
plexus-sec-dispatcher 2.0-3 libplexus-sec-dispatcher-java@v
plexus-utils2 3.4.2-1 libplexus-utils2-java@v
plymouth 24.004.60-1ubuntu7.{1/640} libplymouth5 plymouth plymouth-theme-ubuntu-text
policykit-1 124-2ubuntu1.24.04.{2/320} libpolkit-agent-1-0 libpolkit-gobject-1-0 polkitd
poppler 22.12.0-2 poppler-utils@w+cups
poppler-data 0.4.12-1 poppler-data@wE+cups
popt 1.19+dfsg-1build1 libpopt0
postgresql-16 16.11-0ubuntu0.24.04.{1/640} libpq-dev@q libpq5@beqrs postgresql-16@b postgresql-client-16@b
postgresql-common 248 postgresql-client-common@b postgresql-common@b
procps 2:4.0.4-4ubuntu3.{2/320} libproc2-0 procps
psmisc 23.7-1build1 psmisc@abefE+apache2
psycopg2 2.9.5-1 python3-psycopg2@r
publicsuffix 20231001.0357-0.1 publicsuffix
puppet-agent 7.23.0-1 puppet-agent@+puppet
pwgen 2.08-2build2 pwgen@lE
pyasn1 0.4.8-4 python3-pyasn1
pycairo 1.20.1-5 python3-cairo@E
pycurl 7.45.3-1build2 python3-pycurl
pygments 2.17.2+dfsg-1 python3-pygments
pygobject 3.48.2-1 python3-gi python3-gi-cairo@E
pyhamcrest 2.1.0-1 python3-hamcrest
pyjwt 2.7.0-1 python3-jwt
pyopenssl 23.2.0-1 python3-openssl
pyparsing 3.1.1-1 python3-pyparsing
pyrfc3339 1.1-4 python3-rfc3339@g
pyrsistent 0.20.0-1build2 python3-pyrsistent
pyserial 3.5-2 python3-serial
pysimplesoap 1.16.2-5 python3-pysimplesoap
python-acme 2.1.0-1 python3-acme@g
python-apt 2.7.7ubuntu5.{1/640} python-apt-common python3-apt
python-async-timeout 4.0.2-1 python3-async-timeout@r
python-attrs 23.2.0-2 python3-attr
python-augeas 0.5.0-1.1 python3-augeas@g
python-babel 2.10.3-3build1 python-babel-localedata python3-babel
python-bcrypt 3.2.2-1build1 python3-bcrypt
python-boto3 1.26.27+dfsg-1 python3-boto3@r
python-botocore 1.29.27+repack-1 python3-botocore@r
python-certbot 2.1.0-4 certbot@g python3-certbot@g
python-certbot-apache 2.1.0-2
python-certbot-nginx 2.1.0-2
python-certifi 2023.11.17-1 python3-certifi
python-cffi 1.16.0-2build1 python3-cffi-backend
python-charset-normalizer 3.0.1-2 python3-charset-normalizer
python-click 8.1.6-2 python3-click
python-colorama 0.4.6-4 python3-colorama
python-configargparse 1.5.3-1 python3-configargparse@g
python-cryptography 41.0.7-4ubuntu0.{!1/640} python3-cryptography
python-dateutil 2.8.2-2 python3-dateutil@r
python-debian 0.1.49 python3-debian
python-debianbts 4.0.1 python3-debianbts
python-deprecated 1.2.13-3 python3-deprecated@r
python-distro 1.9.0-1 python3-distro
python-docker 5.0.3-1 python3-docker@rF
python-dotenv 0.21.0-1 python3-dotenv@F
python-fasteners 0.17.3-2 python3-fasteners@A
python-filelock 3.9.0-1 python3-filelock@r
python-future 0.18.2-6 python3-future@A
python-httplib2 0.20.4-3 python3-httplib2
python-idna 3.6-2ubuntu0.{1/640} python3-idna
python-jmespath 1.0.1-1 python3-jmespath@r
python-josepy 1.13.0-1 python3-josepy@g
python-json-patch 1.32-3 python3-jsonpatch
python-json-pointer 2.0-0ubuntu1 python3-json-pointer
python-jsonschema 4.10.3-2ubuntu1 python3-jsonschema
python-launchpadlib 1.11.0-6 python3-launchpadlib
python-lockfile 1:0.12.2-2.2 python3-lockfile@A
python-markdown 3.5.2-1 python3-markdown
python-monotonic 1.6-2 python3-monotonic@A
python-msgpack 1.0.3-2 python3-msgpack@A
python-nacl 1.5.0-2 python3-nacl@r
python-netaddr 0.8.0-2 python3-netaddr@z
python-oauthlib 3.2.2-1 python3-oauthlib
python-packaging 24.0-1 python3-packaging
python-pip 24.0+dfsg-1ubuntu1.{3/213} python3-pip python3-pip-whl@r
python-pyasn1-modules 0.2.8-1 python3-pyasn1-modules
python-pymysql 1.0.2-2 python3-pymysql@r
python-redis 4.3.4-3 python3-redis@r
python-resolvelib 0.9.0-2 python3-resolvelib@z
python-s3transfer 0.6.0-1 python3-s3transfer@r
python-service-identity 24.1.0-1 python3-service-identity
python-systemd 235-1build4 python3-systemd
python-typing-extensions 4.10.0-1 python3-typing-extensions
python-tz 2024.1-2 python3-tz
python-urllib3 2.0.7-1ubuntu0.{!5/128} python3-urllib3
python-virtualenv 20.17.1+ds-1 python3-virtualenv@r virtualenv@r
python-wadllib 1.3.6-5 python3-wadllib
python-wrapt 1.14.1-2 python3-wrapt@r
python3-commandnotfound 23.04.0 python3-commandnotfound
python3-defaults 3.12.3-0ubuntu2.{1/640} libpython3-dev@r libpython3-stdlib python3 python3-dev python3-minimal python3-venv@r
python3-distupgrade 1:24.04.27 python3-distupgrade
python3-stdlib-extensions 3.12.3-0ubuntu1 python3-distutils@qrzAF python3-gdbm python3-lib2to3@qrzAF
python3-update-manager 1:24.04.12 python3-update-manager
python3.12 3.12.3-1ubuntu0.{10/64} libpython3.12-dev@r libpython3.12-minimal libpython3.12-stdlib libpython3.12t64@iprE python3.12 python3.12-dev python3.12-minimal
pyyaml 6.0.1-2build2 python3-yaml
qemu 1:8.2.2+ds-0ubuntu1.{!11/58} qemu-guest-agent@+qemu-guest-agent qemu-system-common@o+libvirtd qemu-system-data@o+libvirtd qemu-system-x86@o+libvirtd qemu-utils@o
rake 13.0.6-3 rake@tz+puppet
rdiff-backup 2.2.2-1 rdiff-backup@A
readline 8.2-4build1 libreadline-dev@q libreadline8t64 readline-common
realmd 0.17.1-1 realmd@C
redis 5:7.0.15-1ubuntu0.24.04.{!2/320} redis-server@a redis-tools@a
reportbug 12.0.0 python3-reportbug
requests 2.31.0+dfsg-1ubuntu1.{1/640} python3-requests
restic 0.16.4-1ubuntu0.24.04.{1/640} restic@A
rhash 1.4.3-3build1 librhash0@p
rich 13.7.1-1 python3-rich
rpcbind 1.2.6-7ubuntu2 rpcbind@+rpcbind
rpcsvc-proto 1.4.2-0ubuntu7 rpcsvc-proto@chpqr+varnish
rsnapshot 1.4.5-1 rsnapshot@A
rsync 3.2.7-1ubuntu1.{!2/320} rsync
rsyslog 8.2312.0-3ubuntu9.{!1/640} rsyslog
rtkit 0.13-5 rtkit@d
rtmpdump 2.4+20151223.gitfa8646d.1-2build7 librtmp1
ruby-augeas 1:0.5.0+gem-1 ruby-augeas@+puppet
ruby-concurrent 1.1.6+dfsg-5 ruby-concurrent@+puppet
ruby-deep-merge 1.1.1-2 ruby-deep-merge@+puppet
ruby-defaults 1:3.1 ruby-dev@t ruby@tz+puppet
ruby-hocon 1.3.1-2 ruby-hocon@+puppet
ruby-net-telnet 0.2.0-1 ruby-net-telnet@tz+puppet
ruby-rbtree 0.4.6-1 ruby-rbtree@+puppet
ruby-sdbm 1.0.0-5 ruby-sdbm@tz+puppet
ruby-semantic-puppet 1.0.4-1 ruby-semantic-puppet@+puppet
ruby-shadow 2.5.1-1 ruby-shadow@+puppet
ruby-sorted-set 1.0.3-3 ruby-sorted-set@+puppet
ruby-thor 1.2.1-2 ruby-thor@+puppet
ruby-webrick 1.8.1-1 ruby-webrick@tz+puppet
ruby-xmlrpc 0.3.2-2 ruby-xmlrpc@tz+puppet
ruby3.2 3.2.3-1ubuntu0.24.04.{!6/107} libruby3.2@t ruby3.2@t
rubygems 2.3.15-2 bundler@t ruby-bundler@t ruby-rubygems@tz+puppet
rubygems-integration 1.18 rubygems-integration@tz+puppet
run-one 1.17-0ubuntu2 run-one
runc 1.3.3-0ubuntu1~24.04.{!3/213} runc@c+docker
rust-ripgrep 13.0.0-4 ripgrep@l
samba 2:4.19.5+dfsg-4ubuntu9.{!4/160} libldb2=2:2.8.0+samba4.19.5+dfsg-4ubuntu9.4@diC+smbd libwbclient0@diC+smbd python3-ldb=2:2.8.0+samba4.19.5+dfsg-4ubuntu9.4 python3-samba samba-common-bin@+smbd samba-common@i+smbd samba-dsdb-modules@i samba-libs@diC+smbd samba@+smbd smbclient@i winbind@+smbd
scowl 2020.12.07-2 hunspell-en-us@dE
screen 4.9.1-1build1 screen
seabios 1.16.2-1 seabios@o+libvirtd
sed 4.9-2build1 sed
sensible-utils 0.0.22 sensible-utils
session-migration 0.3.9build1 session-migration
setuptools 68.1.2-2ubuntu1.{2/320} python3-pkg-resources python3-setuptools python3-setuptools-whl@r
sg3-utils 1.46-3 sg3-utils-udev@n sg3-utils@n
sgml-base 1.31 sgml-base
shadow 1:4.13+dfsg1-4ubuntu3.{2/320} login passwd uidmap@F
shared-mime-info 2.4-4 shared-mime-info@dxE+fwupd
show-motd 3.12 show-motd
sisu-inject 0.3.4-2 libsisu-inject-java@v
sisu-plexus 0.3.4-3 libsisu-plexus-java@v
six 1.16.0-4 python3-six
skopeo 1.9.3+ds1-1 skopeo@F
slang2 2.3.3-3build2 libslang2
smartmontools 7.4-2build1 smartmontools@+smartmontools
snapd 2.72+ubuntu24.{04/160} snapd
snowball 2.2.0-4build1 libstemmer0d@d+packagekit
socat 1.7.4.4-2 socat@bm
software-properties 0.99.49.3 python3-software-properties software-properties-common
sound-theme-freedesktop 0.8-2 sound-theme-freedesktop@d
source-highlight 3.1.9-4.3build1 libsource-highlight-common@p
spamassassin 4.0.1-1 spamassassin@D
sphinx 7.2.6-6 libjs-sphinxdoc@r
sqlite3 3.45.1-1ubuntu2.{5/128} libsqlite3-0 libsqlite3-dev@q
squashfs-tools 1:4.6.1-1build1 squashfs-tools
squid 6.13-0ubuntu0.24.04.{!3/213} squid-common@+squid squid@+squid
squid-langpack 20220130-1 squid-langpack@+squid
ssl-cert 1.1.2 ssl-cert@abw+cups
sssd 2.9.4-1.1ubuntu6.{2/320} python3-sss@C sssd-ad-common@C sssd-ad@C sssd-common@C sssd-ipa@C sssd-krb5-common@C sssd-krb5@C sssd-ldap@C sssd-proxy@C sssd-tools@C sssd@C
strace 6.8-0ubuntu2 strace@p
subversion 1.14.3-1build4 subversion@p
sudo 1.9.15p5-3ubuntu5.24.04.{!1/640} sudo
swaks 20201014.0-2 swaks@D
swtpm 0.7.1-1.3 swtpm-libs@o swtpm-tools@o swtpm@o
symfony 5.4.53+dfsg-0 php-symfony-console@e php-symfony-filesystem@e php-symfony-finder@e php-symfony-process@e php-symfony-string@e
sysstat 12.6.1-2 sysstat
systemd 255.4-1ubuntu8.{!12/53} libnss-systemd libpam-systemd libsystemd-dev@q libsystemd-shared libsystemd0 libudev1 systemd systemd-container@+libvirtd systemd-resolved systemd-sysv systemd-timesyncd@+systemd-timesyncd udev
systemd-dev 255.4-1ubuntu8.{12/53} systemd-dev
systemd-hwe-hwdb 255.1.6 systemd-hwe-hwdb
sysvinit 3.08-6ubuntu3 sysvinit-utils
t1utils 1.41-4 t1utils@y
talloc 2.4.2-1build2 libtalloc2@diC+smbd python3-talloc
tar 1.35+dfsg-3build1 tar
tasksel 3.73 tasksel tasksel-data
tcp-wrappers 7.6.q-33 libwrap0
tcpdump 4.99.4-3ubuntu4.24.04.{1/640} tcpdump@m
tdb 1.4.10-1build1 libtdb1@dhiC+smbd+squid python3-tdb tdb-tools@+smbd
tevent 0.16.1-2build1 libtevent0t64@diC
tex-common 6.18 tex-common@y
texinfo 7.1-3build2 info install-info
texttable 1.6.7-1 python3-texttable@F
tiff 4.5.1+git230720-4ubuntu2.{!4/160} libtiff6@dewxE+cups
time 1.9-0.2build1 time
tini 0.19.0-1 tini@cF+docker
tmux 3.4-1ubuntu0.{1/640} tmux
tomcat10 10.1.16-{1/640} libtomcat10-java@a tomcat10-common@a tomcat10@a
traceroute 1:2.1.2-1 traceroute
tracker 3.4.2-1 tracker@d
tracker-miners 3.4.3-1 tracker-extract@d tracker-miner-fs@d
tree 2.1.0-1 tree@l
twisted 24.3.0-1ubuntu0.{1/640} python3-twisted
tzdata 2025b-0ubuntu0.24.04.{!1/640} tzdata
ubuntu-keyring 2023.11.28.1 ubuntu-keyring
ubuntu-minimal 1.539.2 ubuntu-minimal
ubuntu-mono 24.04-0ubuntu1 ubuntu-mono@dE
ubuntu-pro-client 37.1ubuntu0~24.04 ubuntu-pro-client
ubuntu-pro-client-l10n 37.1ubuntu0~24.04 ubuntu-pro-client-l10n
ubuntu-release-upgrader-core 1:24.04.27 ubuntu-release-upgrader-core
ucf 3.0043+nmu1 ucf
uchardet 0.0.8-1build1 libuchardet0
udisks2 2.10.1-6ubuntu1.{!3/213} libudisks2-0 udisks2
ufw 0.36.2-6 ufw
unattended-upgrades 2.9.1+nmu4ubuntu1 unattended-upgrades@+unattended-upgrades
underscore 1.13.4~dfsg+~1.11.4-3 libjs-underscore@r
unzip 6.0-28ubuntu4.{1/640} unzip
update-manager-core 1:24.04.12 update-manager-core
update-motd 3.12 update-motd
upower 1.90.3-1 libupower-glib3 upower
uriparser 0.9.7+dfsg-2build1 liburiparser1@lE
usb.ids 2024.03.18-1 usb.ids@do
usbutils 1:014-1 usbutils
usrmerge 37 usrmerge
util-linux 2.39.3-9ubuntu6.{!4/160} bsdextrautils bsdutils=1:* eject@G fdisk libblkid-dev@q libblkid1 libfdisk1 libmount-dev@q libmount1 libsmartcols1 libuuid1 mount util-linux util-linux-locales uuid-dev@q uuid-runtime@n
valgrind 1:3.22.0-0ubuntu3 valgrind@p
varnish 7.1.1-1.1 varnish@+varnish
vim 2:9.1.0016-1ubuntu7.{9/71} vim vim-common vim-runtime vim-tiny xxd
virt-manager 1:4.1.0-2 virtinst@o
vlan 2.0.5 vlan@m
vulkan-loader 1.3.275.0-1build1 libvulkan1@x
wagon 3.5.3-1 libwagon-file-java@v libwagon-http-shaded-java@v libwagon-provider-api-java@v
wayland 1.22.0-2.1build1 libwayland-client0@dxE libwayland-cursor0@dxE libwayland-egl1@dxE libwayland-server0@dox+libvirtd
webp-pixbuf-loader 0.2.1-1 webp-pixbuf-loader@dE
websocket-client 1.2.3-1 python3-websocket@rF
wget 1.21.4-1ubuntu4.{1/640} wget
wheel 0.42.0-2 python3-wheel python3-wheel-whl@r
whois 5.5.22 whois@m
wireguard 1.0.20210914-1ubuntu4 wireguard-tools@m
wireplumber 0.4.17-1ubuntu4.1 wireplumber@d
x11-apps 7.7+9 x11-apps@E
x11-utils 7.7+6build2 x11-utils@E
x11-xkb-utils 7.7+7 x11-xkb-utils@d
x11-xserver-utils 7.7+10build2 x11-xserver-utils@d
xauth 1:1.1.2-1build1 xauth@E
xbitmaps 1.1.1-2.2 xbitmaps@E
xdg-dbus-proxy 0.1.4-3 xdg-dbus-proxy@d
xdg-desktop-portal 1.16.0-2 xdg-desktop-portal@d
xdg-desktop-portal-gnome 43.1-2 xdg-desktop-portal-gnome@d
xdg-desktop-portal-gtk 1.14.1-1 xdg-desktop-portal-gtk@d
xdg-user-dirs 0.18-1build1 xdg-user-dirs
xdg-utils 1.1.3-4.1ubuntu3 xdg-utils@y
xfonts-encodings 1:1.0.4-2.2 xfonts-encodings@wE+cups
xfonts-utils 1:7.7+6 xfonts-utils@wE+cups
xfsprogs 6.6.0-1ubuntu2.{1/640} xfsprogs
xft 2.3.6-1build1 libxft2@dE
xkeyboard-config 2.41-2ubuntu1.{1/640} xkb-data
xml-core 0.19 xml-core
xorg 1:7.7+23ubuntu3 x11-common@dwxyE+cups
xorg-server 2:21.1.12-1ubuntu1.{!5/128} xserver-common@d xserver-xorg-core@d
xterm 379-1 xterm@E
xwayland 2:22.1.9-1 xwayland@d
xxhash 0.8.2-2build1 libxxhash0
xz-utils 5.6.1+really5.4.5-1ubuntu0.{!2/320} liblzma-dev@q liblzma5 xz-utils
zip 3.0-13ubuntu0.{2/320} zip
zlib 1:1.3.dfsg-3.1ubuntu2.{1/640} zlib1g zlib1g-dev@qr
zope.interface 6.1-1build1 python3-zope.interface
zsh 5.9-6ubuntu2 zsh-common@l zsh@l
acpid 1:2.0.34-1ubuntu2 acpid@+acpid
at 3.2.5-2.1ubuntu3 at@+atd
keepalived 1:2.2.8-1build2 keepalived@+keepalived
lldpd 1.0.18-1build2 lldpd@+lldpd
prometheus-node-exporter 1.7.0-1ubuntu0.{3/200} prometheus-node-exporter@+prometheus-node-exporter
thermald 2.5.6-2ubuntu0.24.04.{2/180} thermald@+thermald
vnstat 2.12-1 vnstat@+vnstat
libvirt 10.0.0-2ubuntu8.{10/60} libvirt-daemon-system@+libvirtd libvirt-daemon@+libvirtd libvirt-daemon-driver-qemu@+libvirtd libvirt-daemon-system-systemd@+libvirtd libvirt-daemon-config-network@+libvirtd libvirt0@o+libvirtd
zabbix 1:7.0.{22/45}-1+ubuntu24.04 zabbix-agent2@+zabbix-agent2
`,
};
