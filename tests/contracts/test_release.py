"""A release: its version stands in one place, and what is built can be installed and run."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

import gardner

ROOT = Path(__file__).resolve().parents[2]
# with these a stranger can run `make test`, and a page can be made
IN_SOURCE = {"Makefile", "LICENSE", "CITATION.cff", "constraints.txt", "tests/conftest.py", "tools/house.py"}
IN_WHEEL = {"gardner/py.typed", "gardner/report/page.css", "gardner/report/page.html.j2", "gardner/report/page.js"}


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert (ROOT / project["tool"]["hatch"]["version"]["path"]).samefile(gardner.__file__)


def test_the_citation_and_the_changelog_know_the_version() -> None:
    """A release is named in both; between two releases they name the last one, below what is new."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    new = list(itertools.takewhile(lambda heading: heading.startswith("Unreleased: "), headings))
    releases = headings[len(new) :]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", one) for one in releases)
    assert releases[0] == cited
    version = gardner.__version__.removesuffix(".dev0")
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    if gardner.__version__.endswith(".dev0"):
        assert new
        assert _numbers(version) > _numbers(cited)
    else:
        assert not new
        assert version == cited


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the source archive, built as a release is."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)  # noqa: S603 - our own
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return {"wheel": wheel, "source": source}


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; this checkout is not in its path."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)  # noqa: S603 - our own
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_what_is_built_is_complete(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        assert set(wheel.namelist()) >= IN_WHEEL
        assert not [name for name in wheel.namelist() if name.startswith(("tests/", "tools/"))]
    with tarfile.open(built["source"]) as source:
        assert {name.partition("/")[2] for name in source.getnames()} >= IN_SOURCE


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_what_is_built_can_be_installed_and_run(built: dict[str, Path], kind: str, tmp_path: Path) -> None:
    """In an environment that has what Gardner needs, by a path, and not Gardner."""
    home = tmp_path / "env"
    venv.create(home, with_pip=True, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    # a folder named in a .pth file is searched, but its own .pth files, such as that of this
    # checkout, are not read
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = home / "bin" / "python"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")
    run(python, "-m", "pip", "install", "--ignore-installed", *quiet, built[kind], cwd=tmp_path)
    assert run(home / "bin" / "gardner", "--version", cwd=tmp_path) == f"gardner {gardner.__version__}\n"
    place = run(python, "-c", "import gardner.cli; print(gardner.__file__)", cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(packages)
    assert '"halving"' in run(home / "bin" / "gardner", *["bounds", "-a", "3", "-n", "0.6", "--json"], cwd=tmp_path)


def test_the_workflow_runs_what_the_makefile_has() -> None:
    """On every Python that is supported; and nothing is fetched but the forge's own actions."""
    text = (ROOT / ".github/workflows/test.yml").read_text()
    assert "://" not in text
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert {step["uses"].partition("@")[0] for step in steps if "uses" in step} == {
        "actions/checkout",
        "actions/setup-python",
    }
    targets = {target for step in steps if "run" in step for target in step["run"].removeprefix("make ").split()}
    assert "test" in targets
    rules = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets <= set(rules)
