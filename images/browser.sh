#!/usr/bin/env bash
# Installs the Chromium that the tests of the dashboard drive, unless there is one. Run as root.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
take_lock
apt_install chromium
