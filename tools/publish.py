"""The documentation of each version lies in a folder of its own on the branch ``gh-pages``.

``python -m tools.publish site 1.2 https://example.org/palio`` puts what was built there, and writes
the list from which a page's reader chooses; pushing the branch is left to the caller.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BRANCH = "gh-pages"
DEVELOPMENT = "dev"


def in_order(versions: list[str]) -> list[str]:
    """Return releases, the newest first, and what is being developed.

    Examples
    --------
    >>> in_order(["1.9", "dev", "1.10"])
    ['1.10', '1.9', 'dev']
    """
    released = [version for version in versions if version != DEVELOPMENT]
    released.sort(key=lambda version: [int(part) for part in version.split(".")], reverse=True)
    return released + [version for version in versions if version == DEVELOPMENT]


def switcher(versions: list[str], url: str) -> list[dict[str, object]]:
    """Return the list that the documentation's theme reads; the first version is the preferred.

    Examples
    --------
    >>> switcher(["1.0"], "https://example.org")
    [{'name': '1.0', 'version': '1.0', 'url': 'https://example.org/1.0/', 'preferred': True}]
    """
    return [
        {
            "name": version,
            "version": version,
            "url": f"{url}/{version}/",
            "preferred": place == 0,
        }
        for place, version in enumerate(in_order(versions))
    ]


def lay_out(root: Path, site: Path, version: str, url: str) -> None:
    """Put a version's pages below ``root``, and what leads to all of them."""
    shutil.rmtree(root / version, ignore_errors=True)
    shutil.copytree(site, root / version)
    versions = [path.parent.name for path in root.glob("*/index.html")]
    listed = json.dumps(switcher(versions, url), indent=2)
    (root / "switcher.json").write_text(f"{listed}\n", "utf-8")
    first = in_order(versions)[0]
    page = (
        f'<!doctype html><title>Palio</title><meta http-equiv="refresh" content="0; url={first}/">'
    )
    (root / "index.html").write_text(f"{page}\n", "utf-8")
    (root / ".nojekyll").touch()  # names with an underscore are served as they are


def commit(site: Path, version: str, url: str) -> None:
    """Commit a version's pages to the branch, which is made if there is none."""
    known = subprocess.run(["git", "rev-parse", "--verify", "--quiet", BRANCH], check=False)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "pages")
        if known.returncode == 0:
            _git("worktree", "add", str(root), BRANCH)
        else:
            _git("worktree", "add", "--detach", str(root))
            _git("-C", str(root), "switch", "--orphan", BRANCH)
        try:
            lay_out(root, site, version, url)
            _git("-C", str(root), "add", "--all")
            _git("-C", str(root), "commit", "--allow-empty", "--message", f"Pages of {version}")
        finally:
            _git("worktree", "remove", "--force", str(root))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


if __name__ == "__main__":
    commit(Path(sys.argv[1]), sys.argv[2], sys.argv[3].rstrip("/"))
