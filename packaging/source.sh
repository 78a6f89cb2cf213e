#!/usr/bin/env bash
# Makes two archives of this commit's sources:
#   pg_text2sql-VERSION.tar.gz    with all crates, so that it builds without a network
#   pg_text2sql-VERSION.zip       as PGXN wants it; crates are fetched when it is built
# The same commit gives the same archives.
#   source.sh [DIRECTORY]      in target/packages, if no directory is given
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"

output=${1:-target/packages}
git rev-parse --verify -q HEAD >/dev/null 2>&1 ||
  fail "this is no git repository, and the archives are made of a commit" "unpacked archives can be copied as they are"
[ -z "$(git status --porcelain)" ] || say "note: the archives hold the last commit, without the changes since"
version=$(git show HEAD:Cargo.toml | sed -n '/^\[workspace\.package\]/,/^$/s/^version = "\(.*\)"/\1/p')
name=$extension-$version
mkdir -p "$output"
output=$(cd "$output" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
umask 022

git archive --format=tar --prefix="$name/" HEAD | tar -x -C "$work"
cd "$work/$name"
# rustup would fetch the tools that only tests need.
sed -i '/^components = /d' rust-toolchain.toml
mkdir .cargo
# Quiet, it would not print the configuration.
cargo vendor --locked vendor >.cargo/config.toml 2>"$work/log" ||
  fail "cargo vendor failed: $(grep -v Vendoring "$work/log" | tail -n 5)" \
    "it needs a network, or all crates in cargo's cache"

# Crates for other systems are needed only by name, for Cargo.lock, and are most of the size. What Linux needs for
# building and testing is kept.
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu; do
  cargo tree --quiet --locked --offline --workspace --all-features --edges normal,build,dev --prefix none \
    --no-dedupe --target "$target" --format '{p}'
done | sed -E 's/^([^ ]+) v([^ ]+).*/\1 \2/' | sort -u >"$work/needed"
for crate in vendor/*; do
  read -r -d '' id < <(awk -F'"' '/^\[package\]/ { found = 1 }
    found && /^name = / { name = $2 } found && /^version = / { print name, $2; exit }' "$crate/Cargo.toml") || true
  if grep -qxF "${id%$'\n'}" "$work/needed"; then continue; fi
  checksum=$(sed -n 's/.*"package":"\([0-9a-f]*\)".*/\1/p' "$crate/.cargo-checksum.json")
  sources=$(sed -n '/^\[lib\]/,/^$/s/^path = "\(.*\)"/\1/p' "$crate/Cargo.toml")
  find "$crate" -mindepth 1 ! -path "$crate/Cargo.toml" -delete
  sources=${sources:-src/lib.rs}
  mkdir -p "$crate/$(dirname "$sources")"
  touch "$crate/$sources"
  printf '{"files":{},"package":"%s"}' "$checksum" >"$crate/.cargo-checksum.json"
done
CARGO_HOME=$work/cargo cargo metadata --quiet --locked --offline --format-version 1 >/dev/null || fail "the vendored crates are not complete"

cd "$work"
tar --sort=name --format=gnu --mtime="@$(git -C "$project" log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner \
  --mode=u=rwX,go=rX -cf - "$name" | gzip -9n >"$name.tar.gz"
mv "$name.tar.gz" "$output/"
git -C "$project" archive --format=zip -9 --prefix="$name/" HEAD >"$name.zip"
mv "$name.zip" "$output/"
say "$output/$name.tar.gz"
say "$output/$name.zip"
