#!/bin/sh
# Runs the tests of the storage and the journey of several machines on an S3 server that others run in earnest: OpenStack Swift with
# its S3 interface, from Debian's packages. Root installs it; it then runs as Debian's user `swift`, on loopback, in a temporary folder.
set -eu
cd "$(dirname "$0")/.."
here=$PWD

command -v swift-proxy-server memcached >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    swift-proxy swift-account swift-container swift-object memcached
}

dir=$(mktemp -d /tmp/reelay-swift-XXXXXX)
first=${PORT:-8780}
endpoint=http://127.0.0.1:$first
as_swift() { exec setpriv --reuid swift --regid swift --clear-groups "$@"; }
pids=
end() {
  # shellcheck disable=SC2086 # several
  [ -z "$pids" ] || { kill $pids && wait $pids; } 2>/dev/null || true
  rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM

mkdir -p "$dir/devices/one"
common="swift_dir = $dir
bind_ip = 127.0.0.1
devices = $dir/devices
mount_check = false
workers = 1
user = swift
log_level = WARNING"

cd "$dir"
port=$first
for kind in object container account; do
  port=$((port + 1))
  {
    swift-ring-builder $kind.builder create 4 1 1
    swift-ring-builder $kind.builder add "r1z1-127.0.0.1:$port/one" 1
    swift-ring-builder $kind.builder rebalance
  } >/dev/null
  cat >$kind.conf <<END
[DEFAULT]
$common
bind_port = $port
[pipeline:main]
pipeline = $kind-server
[app:$kind-server]
use = egg:swift#$kind
END
done
cat >proxy.conf <<END
[DEFAULT]
$common
bind_port = $first
[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$((first + 4))
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_reelay = secret .admin
[filter:slo]
use = egg:swift#slo
END
chown -R swift: "$dir"
as_swift memcached -l 127.0.0.1 -p $((first + 4)) >>"$dir/log" 2>&1 &
pids="$pids $!"
for kind in object container account proxy; do
  as_swift swift-$kind-server "$dir/$kind.conf" >>"$dir/log" 2>&1 &
  pids="$pids $!"
done
cd "$here"

export S3_ENDPOINT=$endpoint AWS_ACCESS_KEY_ID=test:reelay AWS_SECRET_ACCESS_KEY=secret
node -e '
  const end = Date.now() + 60_000
  const ask = () => fetch(process.env.S3_ENDPOINT).catch((error) => {
    if (Date.now() > end) throw error
    return new Promise((resolve) => setTimeout(resolve, 200)).then(ask)
  })
  ask()' || { cat "$dir/log"; exit 1; }
dpkg-query -W -f '${Package} ${Version}\n' swift-proxy memcached
npx vitest run src/server/storage/s3.test.ts test/journeys/s3.test.ts test/journeys/machines/several-machines.test.ts
