"""Each tutorial is followed from its text, in an environment that has nothing but what the text
installs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "docs" / "site" / "tutorials-source"
TUTORIALS = sorted(SOURCE.glob("*.py"))
# Runs blocks as the site does: what the last line of a block is worth is shown.
FOLLOW = """
import ast, sys
space = {"__name__": "__main__"}
for path in sys.argv[1:]:
    block = ast.parse(open(path, encoding="utf-8").read())
    last = block.body.pop() if block.body and isinstance(block.body[-1], ast.Expr) else None
    exec(compile(block, path, "exec"), space)
    if last is not None:
        print(eval(compile(ast.Expression(last.value), path, "eval"), space))
"""


def parts(text: str) -> Iterator[tuple[str, str]]:
    """The text and the code of a tutorial, in turns."""
    head, *blocks = text.split("# %%\n")
    yield "", head
    for block in blocks:
        lines = block.splitlines()
        prose = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        yield "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:prose]), "\n".join(lines[prose:])


def shell_lines(text: str) -> list[str]:
    """What a reader types into a shell."""
    return re.findall(r"^ +\$ (.*)$", text, re.MULTILINE)


def run(script: str, cwd: Path, limit: int) -> str:
    """What a shell prints; this checkout is not in its path."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(  # noqa: S603 - lines of our own pages
        ["/bin/bash", "-e", "-c", script], cwd=cwd, env=env, capture_output=True, text=True, timeout=limit
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_every_tutorial_has_code_and_a_shell(path: Path) -> None:
    found = list(parts(path.read_text("utf-8")))
    assert sum(bool(code.strip()) for _, code in found) >= 4
    assert any(line.startswith("gardner ") for text, _ in found for line in shell_lines(text))


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The line that opens an environment, made as the page of the tutorials says, from a copy of
    the source.
    """
    home = tmp_path_factory.mktemp("clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    for name in filter(None, listed.stdout.split("\0")):
        if name.split("/")[0] in ("src", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes((ROOT / name).read_bytes())
    lines = shell_lines((SOURCE / "GALLERY_HEADER.rst").read_text("utf-8"))
    assert len(lines) == 3
    run("\n".join(lines), home, 900)
    return f". {home / lines[1].split()[1]}"


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_reader_who_follows_it_gets_there(path: Path, shell: str, tmp_path: Path) -> None:
    blocks, said, typed = [], "", []
    for at, (text, code) in enumerate(parts(path.read_text("utf-8"))):
        blocks.append(tmp_path / f"block{at}.py")
        blocks[-1].write_text(code, "utf-8")
        said += text
        typed += shell_lines(text)
        if saved := re.search(r"Save this as ``(\w+\.py)``", text):
            (tmp_path / saved[1]).write_text(code, "utf-8")
    (tmp_path / "follow.py").write_text(FOLLOW, "utf-8")
    printed = run(f"{shell}\npython -W error follow.py {' '.join(one.name for one in blocks)}", tmp_path, 600)
    numbers = {float(number) for number in re.findall(r"\d+\.\d+", printed)}
    for told in re.findall(r"\b0\.\d{3,}", said):  # a result that the text names was printed
        assert any(round(number, len(told) - 2) == float(told) for number in numbers), f"{told} is not in\n{printed}"
    for line in typed:
        run(f"{shell}\n{line}", tmp_path, 600)
    written = re.findall(r"--(?:out|save) (\S+)", "\n".join(typed))
    assert [name for name in written if not (tmp_path / name).exists()] == []
