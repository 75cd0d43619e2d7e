#!/bin/sh
# Installs the C interface: capi/install.sh PREFIX [TARGET], after `cargo build --release -p seidel-capi`. TARGET is the folder with the
# libraries; target/release unless it is given. With DESTDIR files go below that folder.
set -eu
prefix=${1:?the prefix, such as /usr/local}
capi=$(cd "$(dirname "$0")" && pwd)
target=${2:-${CARGO_TARGET_DIR:-$capi/../target}/release}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$capi/../Cargo.toml" | head -n 1)
case $(uname -s) in
    Darwin) shared=libseidel_c.dylib private="-framework CoreFoundation -lm" ;;
    *) shared=libseidel_c.so private="-lm -lpthread -ldl" ;;
esac
to=${DESTDIR:-}$prefix
mkdir -p "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/seidel"
cp "$capi/include/seidel.h" "$capi/include/seidel-cpp.hpp" "$to/include/"
cp "$target/$shared" "$target/libseidel_c.a" "$to/lib/"
fill() {
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" -e "s|@SHARED@|$shared|g" -e "s|@PRIVATE@|$3|g" "$1" >"$2"
}
fill "$capi/seidel.pc.in" "$to/lib/pkgconfig/seidel.pc" "$private"
for name in seidel-config seidel-config-version; do
    fill "$capi/cmake/$name.cmake.in" "$to/lib/cmake/seidel/$name.cmake" "$(echo "$private" | sed 's/-framework CoreFoundation/-Wl,-framework,CoreFoundation/; s/ /;/g')"
done
