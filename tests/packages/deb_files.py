"""What can be seen of the package without installing it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from packages.artefacts import Artefacts
from packages.parts import ROOT, check_documented_size, run

_COMMANDS = ("run", "status", "why", "check", "config", "completion")

# Of /usr/share/doc only what people are pointed at.
_EXPECTED = {
    "/lib/systemd/system/fedra-rotate@.service",
    "/lib/systemd/system/fedra-rotate@.timer",
    "/lib/systemd/system/fedra.service",
    "/lib/systemd/system/fedra.socket",
    "/usr/bin/fedra",
    "/usr/bin/kubectl-fedra",
    "/usr/bin/kubectl_complete-fedra",
    "/usr/lib/sysusers.d/fedra.conf",
    "/usr/lib/tmpfiles.d/fedra.conf",
    "/usr/share/bash-completion/completions/fedra",
    "/usr/share/doc/fedra/copyright",
    "/usr/share/doc/fedra/examples/fedra.yaml",
    "/usr/share/fish/vendor_completions.d/fedra.fish",
    "/usr/share/man/man1/fedra.1.gz",
    "/usr/share/lintian/overrides/fedra",
    "/usr/share/man/man1/kubectl-fedra.1.gz",
    "/usr/share/man/man1/kubectl_complete-fedra.1.gz",
    "/usr/share/man/man5/fedra.yaml.5.gz",
    "/usr/share/zsh/vendor-completions/_fedra",
    *(f"/usr/share/man/man1/fedra-{command}.1.gz" for command in _COMMANDS),
}


class _Unpacked:
    """The package's files in a folder, for a `with`."""

    def __init__(self, built: Artefacts):
        self._deb = built.deb

    def __enter__(self) -> Path:
        self._folder = Path(tempfile.mkdtemp(prefix="fedra-deb-"))
        run("dpkg-deb", "--extract", self._deb, self._folder)
        return self._folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)


def lintian(built: Artefacts) -> None:
    run("lintian", "--allow-root", "--fail-on=error,warning", "--tag-display-limit=0", built.deb)


def build_dependencies(_: Artefacts) -> None:
    """debian/control and scripts/install_packages.sh name the same packages to build with."""
    control = (ROOT / "debian/control").read_text()
    block = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.MULTILINE)
    assert block is not None, "debian/control has no Build-Depends"
    in_control = {line.strip().split()[0].rstrip(",") for line in block[1].splitlines()}
    script = (ROOT / "scripts/install_packages.sh").read_text()
    wanted = re.search(r"^readonly build=\((.*?)\)", script, re.MULTILINE | re.DOTALL)
    assert wanted is not None, "install_packages.sh has no set `build`"
    # A compiler is on every machine that builds packages; the cache is a convenience.
    in_script = set(wanted[1].split()) - {"g++", "ccache"}
    assert in_control == in_script | {"debhelper-compat"}, sorted(
        in_control ^ (in_script | {"debhelper-compat"})
    )


def reproducible(built: Artefacts) -> None:
    """Packed again with another umask, time zone and language, after another program, both have the same bytes."""
    folder = Path(tempfile.mkdtemp(prefix="fedra-deb-"))
    try:
        earlier = ROOT / "debian/.debhelper/fedra/dbgsym-root/usr/lib/debug/.build-id/00/11.debug"
        earlier.parent.mkdir(parents=True, exist_ok=True)
        earlier.write_text("of an earlier build\n")
        environment = {**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "LANG": "C"}
        make = ["make", "--no-print-directory", "deb", f"DEB_FOLDER={folder}"]
        subprocess.run(
            ["sh", "-c", 'umask 077; exec "$@"', "sh", *make],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        for package in (built.deb, built.dbgsym):
            same = (folder / package.name).read_bytes() == package.read_bytes()
            assert same, f"another {package.name}"
    finally:
        shutil.rmtree(folder)


def debug_files(built: Artefacts) -> None:
    """Those of the program in the package, and no others."""
    check_documented_size(built.dbgsym)
    listed = run("dpkg-deb", "--contents", built.dbgsym)
    found = re.findall(r"/\.build-id/(\w\w)/(\w+)\.debug$", listed, re.MULTILINE)
    with _Unpacked(built) as folder:
        notes = run("readelf", "--notes", folder / "usr/bin/fedra")
    build_id = re.search(r"Build ID: (\w+)", notes)
    assert build_id is not None, notes
    assert ["".join(each) for each in found] == [build_id[1]], f"{found} for {build_id[1]}"


def contents(built: Artefacts) -> None:
    check_documented_size(built.deb)
    with _Unpacked(built) as folder:
        found = {f"/{path.relative_to(folder)}" for path in folder.rglob("*") if not path.is_dir()}
        assert _EXPECTED <= found, f"missing: {sorted(_EXPECTED - found)}"
        strange = {
            path
            for path in found - _EXPECTED
            if not path.startswith(("/usr/share/doc/fedra/", "/usr/share/man/man1/fedra-"))
        }
        assert not strange, f"unexpected: {sorted(strange)}"
        check_pages(folder / "usr/share/doc/fedra")
        unit = (folder / "lib/systemd/system/fedra.service").read_text()
        assert unit == (ROOT / "deploy/systemd/fedra.service").read_text(), "another unit"
        special = run("find", folder, "-perm", "/7000").split()
        assert not special, f"setuid, setgid or sticky: {special}"
        # The same program under both names.
        assert run(folder / "usr/bin/kubectl-fedra", "version") == run(
            folder / "usr/bin/fedra", "version"
        )
    # Nothing in /etc that dpkg would ask about at an upgrade.
    fields = run("dpkg-deb", "--info", built.deb)
    assert "conffiles" not in fields, fields


def check_pages(folder: Path) -> None:
    """Every link leads somewhere, and lines that are typed there find what they name of deploy/."""
    run(ROOT / "scripts/packed_pages.py", "--check", folder)
    texts = [page.read_text() for page in [folder / "README.md", *(folder / "docs").rglob("*.md")]]
    assert len(texts) > 20 and texts[0].count("](docs/") > 10, "few pages, or few links to them"
    typed = re.findall(r"(?<=-f )deploy/[\w./-]+\.yaml", "\n".join(texts))
    assert len(typed) > 10, typed
    missing = {name for name in typed if not (folder / name).exists()}
    assert not missing, sorted(missing)


def hardening(built: Artefacts) -> None:
    with _Unpacked(built) as folder:
        program = folder / "usr/bin/fedra"
        headers = run(
            "readelf", "--wide", "--file-header", "--program-headers", "--dynamic", program
        )
        assert "DYN (Position-Independent Executable file)" in headers, "no PIE"
        assert "GNU_RELRO" in headers and re.search(r"FLAGS.*\bNOW\b", headers), "no full RELRO"
        stack = re.search(r"GNU_STACK.*", headers)
        assert stack is not None and "RWE" not in stack[0], "executable stack"
        symbols = run("readelf", "--wide", "--dyn-syms", program)
        assert "__stack_chk_fail" in symbols, "no stack protector"
        assert re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols), "no fortified functions"


def manual_pages(built: Artefacts) -> None:
    with _Unpacked(built) as folder:
        pages = [page for page in (folder / "usr/share/man").rglob("*.gz") if not page.is_symlink()]
        for page in pages:
            run("gunzip", page)
            run("mandoc", "-T", "lint", "-W", "warning", page.with_suffix(""))
        # Every command and every option that the program has is in a page.
        fedra = folder / "usr/bin/fedra"
        for command in _commands(run(fedra, "completion", "fish")):
            page = folder / f"usr/share/man/man1/fedra-{command}.1"
            assert page.exists(), f"no page of fedra {command}"
            text = run("mandoc", "-T", "ascii", page)
            plain = re.sub(r".\x08", "", text)
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", run(fedra, command, "--help")):
                assert option in plain or option == "--help", f"{page.name} lacks {option}"


def _commands(fish: str) -> list[str]:
    names = re.findall(r"-n __fish_use_subcommand -a (\S+)", fish)
    assert len(names) >= len(_COMMANDS), fish
    return names


# What comes after `fedra st`, as the shell itself computes it.
_BASH = """source "$1"; COMP_WORDS=(fedra st); COMP_CWORD=1; _fedra; printf '%s\\n' "${COMPREPLY[@]}" """
_FISH = 'source "$argv[1]"; complete -C "fedra st"'
# zsh completes in a terminal only: one of its own, from which the line is read back after a TAB.
_ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
say() { zpty -w shell "$1"; }
say "PROMPT=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; echo rea''dy"
zpty -r -m shell line '*ready*' || exit 1
zpty -w -n shell $'fedra stat\t'
sleep_until=$((SECONDS + 10))
while ((SECONDS < sleep_until)); do
  zpty -r -t shell chunk && all+=$chunk
  [[ $all == *'fedra status'* ]] && { echo status; exit 0; }
done
echo "nothing completed: $all"
"""


def completions(built: Artefacts) -> None:
    with _Unpacked(built) as folder:
        share = folder / "usr/share"
        bash = run("bash", "-c", _BASH, "bash", share / "bash-completion/completions/fedra")
        assert bash.split() == ["status"], f"bash: {bash}"
        fish = run(
            "fish", "--no-config", "-c", _FISH, share / "fish/vendor_completions.d/fedra.fish"
        )
        assert fish.split()[:1] == ["status"], f"fish: {fish}"
        zsh = run("zsh", "-f", "-c", _ZSH, "zsh", share / "zsh/vendor-completions", code=None)
        assert zsh.strip().endswith("status"), f"zsh: {zsh}"
