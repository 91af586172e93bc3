#!/usr/bin/env bash
#
# Installs the Debian packages (Debian 12 and 13, Ubuntu 24.04) that a make target needs and that are missing; says nothing
# when all are there.
#
#   install_packages.sh build|test|lint|clang|format|deb|image|packages|real|site|browser|suites...
#
# As root, or with sudo. On other systems it only names what it would look for: CMake then says what is missing.
set -euo pipefail

readonly build=(
  g++ cmake ninja-build ccache mold pkg-config git
  libcurl4-openssl-dev libssl-dev libboost1.81-dev nlohmann-json3-dev libsqlite3-dev libyaml-cpp-dev
  libfmt-dev libexpected-dev libcli11-dev libre2-dev libutf8proc-dev prometheus-cpp-dev zlib1g-dev
  libjemalloc-dev
  catch2 libbenchmark-dev libnghttp2-dev
)
readonly run=(python3 python3-yaml python3-jsonschema openssl)  # the demo and the scenarios
readonly clang=(clang-19 libclang-rt-19-dev)                    # sanitizers and fuzzers
readonly deb=(debhelper dpkg-dev fakeroot)
readonly image=(binutils ca-certificates dpkg-dev git python3)   # what goes into it is installed, too
# What is tested of a package, of the image, and of what Prometheus reads.
readonly tried=(lintian mmdebstrap mandoc man-db bash-completion zsh fish umoci runc)
readonly site=(python3 mkdocs mkdocs-material)
# What drives the dashboard in a test.
readonly browser=(chromium chromium-driver python3-selenium)
readonly lint=(clang-format-19 clang-tidy-19 black mypy)

packages_of() {
  case "$1" in
    build) echo "${build[@]}" ;;
    test) echo "${build[@]}" "${run[@]}" ;;
    clang) echo "${build[@]}" "${run[@]}" "${clang[@]}" ;;
    lint) echo "${build[@]}" "${run[@]}" "${clang[@]}" "${lint[@]}" ;;
    format) echo git "${lint[@]}" ;;
    deb) echo "${deb[@]}" ;;
    image) echo "${image[@]}" ;;
    packages) echo "${run[@]}" "${tried[@]}" ;;
    site) echo git "${site[@]}" ;;
    browser) echo "${run[@]}" "${browser[@]}" ;;
    suites) echo git mmdebstrap debian-archive-keyring ;;
    real) echo "${build[@]}" "${run[@]}" curl ;;
    *)
      echo "error: no package set is called $1" >&2
      exit 2
      ;;
  esac
}

# Prints the arguments that are not installed.
missing_of() {
  local installed
  installed="$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" {print $1}' || true)"
  printf '%s\n' "$@" | sort -u | grep -vxF -f <(printf '%s\n' "$installed") || true
}

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

wanted=()
for set in "$@"; do
  read -ra packages <<<"$(packages_of "$set")"
  wanted+=("${packages[@]}")
done

# Debian 13 and Ubuntu 24.04 have another version of what carries one in its name.
if grep -qsE '^VERSION_CODENAME=(trixie|noble)$' /etc/os-release; then
  wanted=("${wanted[@]/#libboost1.81-dev/libboost1.83-dev}")
fi
if ! command -v dpkg-query >/dev/null; then
  echo "note: this is no Debian system; needed are the packages that Debian 12 calls: ${wanted[*]}" >&2
  exit 0
fi
mapfile -t missing < <(missing_of "${wanted[@]}")
if [[ ${#missing[@]} -eq 0 || -z "${missing[0]}" ]]; then
  exit 0
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
