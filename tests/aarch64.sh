#!/bin/sh
# Run tests on AArch64 that QEMU emulates:   sudo sh tests/aarch64.sh FOLDER [arguments of pytest]
#
# Needs Debian's packages qemu-user-static and debootstrap. FOLDER gets a Debian of 700 MB, in which
# wheels for AArch64 are installed; it is used again by the next run. Emulated code runs 10 to 30
# times slower than native code.
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
handlers=/proc/sys/fs/binfmt_misc

[ -e $handlers/register ] || mount -t binfmt_misc none $handlers
if [ ! -e $handlers/qemu-aarch64 ]; then # runs programs of that machine by its emulator
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    printf '%s' ":qemu-aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" > $handlers/register
fi
if [ ! -e "$folder/ready" ]; then
    debootstrap --arch=arm64 --variant=minbase --include=python3,libgomp1 bookworm "$folder"
    ln -s /allograph "$folder/mnt/allograph" # the name under which the package is imported
    touch "$folder/ready"
fi
python3 -m pip install --quiet --no-warn-conflicts --upgrade --target "$folder/opt/packages" --python-version 3.11 \
    --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --only-binary=:all: \
    gast astunparse numpy llvmlite scipy platformdirs threadpoolctl \
    attrs click cloudpickle coverage hypothesis joblib mpmath numba pillow pytest pytest-xdist rich
rm -rf "$folder/allograph"
mkdir "$folder/allograph"
(cd "$here" && git ls-files -z | xargs -0 tar c) | tar x -C "$folder/allograph"
mountpoint -q "$folder/proc" || mount -t proc none "$folder/proc"
trap 'umount "$folder/proc"' EXIT
export PYTHONPATH=/mnt:/opt/packages
chroot "$folder" sh -c 'cd /allograph && exec python3 -m pytest "$@"' sh "$@"
