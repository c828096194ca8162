#!/bin/sh
# Builds the container image and runs it as the files of deploy/ say. Needs Debian, root and about 4 GB in /var/lib/containers, but no
# registry of images: the base image, PostgreSQL and Caddy are made of Debian's packages. Its images stay, for the next run.
set -eu
cd "$(dirname "$0")/.."

command -v podman-compose >/dev/null && command -v debootstrap >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    podman buildah podman-compose debootstrap runc iptables aardvark-dns curl
}

dir=$(mktemp -d /tmp/reelay-image-XXXXXX)
cp -r Containerfile .npmrc LICENSE package.json package-lock.json tsconfig.base.json deploy migrations scripts src "$dir"
cd "$dir"
# Names of their own: nothing here touches a Reelay that runs on this machine.
sed -i 's/reelay-\(data\|machines\)/reelay-test-\1/; s#localhost/reelay#&-test#
  s#docker.io/library/\(postgres\|caddy\):.*#localhost/reelay-test-\1#' deploy/*.yaml

say() { printf '%s\n' "- $*"; }
fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}
quietly() { "$@" >"$dir/said" 2>&1 || { cat "$dir/said"; fail "$*"; }; }
compose() { file=$1 && shift && quietly podman-compose -p reelay-test -f "deploy/$file.yaml" "$@"; }
build() { quietly podman build --format docker --isolation chroot --network host "$@"; }
end() {
  for file in compose machines; do podman-compose -p reelay-test -f deploy/$file.yaml down -t 0 -v; done >/dev/null 2>&1 || true
  rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM
is_answered() { curl -fsS --max-time 10 "$1" >/dev/null 2>"$dir/said"; }
wait_for() { # ADDRESS CONTAINER
  i=0
  until is_answered "$1"; do
    i=$((i + 1)) && [ "$i" -lt 120 ] || { cat "$dir/said" && podman logs "$2"; fail "$1 does not answer"; }
    sleep 1
  done
}
ada='"email":"ada@example.com","password":"a pass of ada"'
sign_up() { # ADDRESS
  quietly curl -fsS --json "{$ada,\"nickname\":\"Ada\",\"timezone\":\"Europe/Lisbon\"}" "$1/api/v1/users"
}
log_in() { # ADDRESS
  curl -fsS --json "{$ada,\"returnSecureToken\":true}" "$1/identity/v1/accounts:signInWithPassword?key=reelay" |
    grep -q idToken || fail 'the user cannot log in'
}
# What all programs of Reelay have in common: they end in time, and with 0.
stop() { # CONTAINER
  began=$(date +%s)
  quietly podman stop -t 30 "$1"
  took=$(($(date +%s) - began))
  [ "$(podman inspect "$1" --format '{{.State.ExitCode}}')" = 0 ] || fail "$1 ended with another status than 0"
  [ "$took" -lt 25 ] || fail "$1 took $took s to end"
  say "$1 ended with 0 after $took s"
}

# Node comes from the package registry, as for a checkout; its certificates are those of this machine.
podman image exists localhost/reelay-test-node || {
  say 'making a base image of Debian'
  quietly debootstrap --variant=minbase --include=ca-certificates bookworm base
  node=$(node -e 'import("./scripts/install.mjs").then(({ nodePackages }) => {
    const { name, version } = nodePackages[`linux-${process.arch}`]
    console.log(`${name}@${version}`)
  })')
  quietly npm install --global --prefix base/usr/local "$node" npm@11
  chroot base useradd --uid 1000 node
  cp /etc/ssl/certs/ca-certificates.crt base/etc/ssl/certs/
  tar -C base -c . | quietly podman import --change ENV=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt - localhost/reelay-test-node
  rm -rf base
}

say 'building the image'
build --build-arg BASE=localhost/reelay-test-node -t localhost/reelay-test .

say 'running it alone'
printf 'PUBLIC_URL=http://localhost:4400\nMAIL_FROM=Reelay <reelay@example.com>\n' >reelay.env
compose compose up -d
alone=reelay-test_reelay_1
wait_for http://localhost:4400/healthz "$alone"
[ "$(podman exec "$alone" id -u)" = 1000 ] || fail 'it runs as another user'
! podman exec "$alone" touch /reelay/x 2>/dev/null || fail 'its root file system can be written'
! podman exec "$alone" test -e node_modules/vite || fail 'it has packages that only build'
quietly podman healthcheck run "$alone"
sign_up http://localhost:4400
for command in 'operator -- grant ada@example.com' 'backup -- /data/backups' doctor; do
  # shellcheck disable=SC2086 # words
  quietly podman exec "$alone" npm run $command
done
stop "$alone"

say 'updating it: a new image, the same volume'
next=$(printf '%04d_next.sql' $(($(find migrations -name '*.sql' | wc -l) + 1)))
printf 'FROM localhost/reelay-test\nCOPY next.sql migrations/%s\n' "$next" >Update
echo 'create table update_test (n int);' >next.sql
build -f Update -t localhost/reelay-test .
compose compose down
compose compose up -d
wait_for http://localhost:4400/healthz "$alone"
podman logs "$alone" 2>&1 | grep "up to date: $next" || fail 'another image than the new one runs'
log_in http://localhost:4400
compose compose down -v

say 'running several machines'
# Stand-ins for the images of PostgreSQL and Caddy: the same programs, as Debian has them.
cat >Postgres <<'END'
FROM localhost/reelay-test-node
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql && rm -rf /var/lib/postgresql/15
USER postgres
ENV PATH=/usr/lib/postgresql/15/bin:$PATH
CMD cd /var/lib/postgresql && { [ -d all ] || { echo "$POSTGRES_PASSWORD" >/tmp/password && \
  initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 all && \
  echo 'host all all all scram-sha-256' >>all/pg_hba.conf && \
  echo 'create database reelay' | postgres --single -D all postgres; }; } && \
  exec postgres -D all -c listen_addresses='*' -c unix_socket_directories=/tmp
END
cat >Caddy <<'END'
FROM localhost/reelay-test-node
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends caddy
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
END
build -f Postgres -t localhost/reelay-test-postgres .
build -f Caddy -t localhost/reelay-test-caddy .
export PUBLIC_URL=http://localhost POSTGRES_PASSWORD=abcdefgh12345678
cat >reelay.env <<END
PUBLIC_URL=$PUBLIC_URL
POSTGRES_PASSWORD=$POSTGRES_PASSWORD
SECRET_KEY=$(head -c 24 /dev/urandom | base64)
STORAGE_URL=file:///data/media
END
compose machines up -d
wait_for "$PUBLIC_URL/readyz" reelay-test_web-1_1
sign_up "$PUBLIC_URL"
log_in "$PUBLIC_URL"
query() { podman exec reelay-test_postgres_1 psql "postgres://reelay:$POSTGRES_PASSWORD@127.0.0.1/reelay" -Atc "$1"; }
i=0
until [ "$(query 'select count(*) from server_processes')" = 4 ]; do
  i=$((i + 1)) && [ "$i" -lt 60 ] || fail 'two web servers and two workers do not all run'
  sleep 1
done
quietly podman exec reelay-test_worker-2_1 npm run doctor
quietly podman healthcheck run reelay-test_worker-1_1
# A web server ends while requests come in, and none of them fails.
(until [ -e "$dir/ended" ]; do is_answered "$PUBLIC_URL/api/v1/settings" || touch "$dir/unanswered"; done) &
asking=$!
stop reelay-test_web-1_1
sleep 3
touch "$dir/ended"
wait "$asking"
[ ! -e "$dir/unanswered" ] || fail 'a request failed while a web server was stopped'
for name in web-2 worker-1 worker-2; do stop "reelay-test_${name}_1"; done
say 'all passed'
