#!/bin/sh
# Unpacks Jena and Virtuoso of Debian's packages into a directory, for make bench-peers,
# and installs nothing into the system. Where that cannot be done it says so, and the
# engines are not asked.
#
#     debian.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/debian"
cd "$1/debian"

skip() {
	echo "SKIPPED: engines of Debian are not measured: $1" >&2
	exit 0
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || skip "this is not a Debian system"
packages="libapache-jena-java virtuoso-opensource-7-bin"
command -v javac >/dev/null || packages="$packages default-jdk-headless"

# What an installation would add is what the system lacks.
missing=$(apt-get install -s --no-install-recommends $packages 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p') || true
[ -n "$missing" ] || skip "the packages are not in its lists, see apt-get update"
rm -rf packages root classes jars && mkdir packages root classes jars
(cd packages && apt-get -o APT::Sandbox::User=root -qq download $missing) || skip "the packages cannot be downloaded"
for package in packages/*.deb; do
	dpkg-deb -x "$package" root
done
rm -rf packages

javac=$(command -v javac || ls "$PWD"/root/usr/lib/jvm/*/bin/javac | head -n 1)
jdk=$(dirname "$(readlink -f "$javac")")
ln -sf "$jdk/java" java
# Debian moved the classes of the xerces in Jena, and not the messages that they read.
(cd classes && "$jdk/jar" xf ../root/usr/share/java/jena-core.jar org/apache/jena/ext/xerces && mv org/apache/jena/ext/xerces . && rm -r org)
ln -sf /usr/share/java/*.jar "$PWD"/root/usr/share/java/*.jar jars
rm -f jars/maven* jars/slf4j-*
ln -sf /usr/share/java/slf4j-api.jar /usr/share/java/slf4j-nop.jar jars
for name in slf4j-api slf4j-nop; do
	[ -e jars/$name.jar ] || ln -sf "$PWD/root/usr/share/java/$name.jar" jars
done
"$javac" -cp 'jars/*' -d classes "$here/Jena.java" || skip "Jena's peer does not compile with this Java"
