"""``palio submit``: an experiment as an array of jobs of a cluster."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from palio.app.options import AllowOption, flag
from palio.errors import EngineError, ParameterError, require
from palio.extras import need
from palio.words import masked, one_line

_IDS = "submitted"  # a file with the number of each job, in the order of the scripts


def submit(
    experiment: Path,
    /,
    *,
    slurm: Annotated[bool, flag("Submit to Slurm, with sbatch.")] = False,
    array: int = 10,
    cpus: int = 1,
    sbatch: str = "",
    dry_run: Annotated[bool, flag("Only print the scripts.")] = False,
    allow: AllowOption = None,
) -> None:
    """Run an experiment as an array of parts on a cluster, and put them together.

    Each task of the array runs one part of the jobs into a store of its own, and a job that waits
    for all of them merges these. With a store on a PostgreSQL server the tasks share that one, and
    nothing is merged. Requeued, or submitted again, a task goes on where it stopped.

    Example: palio submit experiment.toml --slurm --array 100 --sbatch "time=2:00:00 mem=4G"

    Parameters
    ----------
    experiment
        A TOML file: datasets, algorithms, resampling, store, …
    array
        How many parts.
    cpus
        Processors, and so worker processes, of each part.
    sbatch
        Further options of sbatch for the array, as "time=2:00:00 mem=4G partition=long".
    """
    need("run", "submit")
    from palio.experiment.config import load_experiment
    from palio.words import is_server

    require(array >= 1, "array", "at least 1", array)
    require(cpus >= 1, "cpus", "at least 1", cpus)
    if not slurm:
        whole = shlex.join(["palio", "submit", str(experiment), "--slurm"])
        raise ParameterError("slurm", "say where to", remedy=whole)
    found = load_experiment(experiment, allow=allow or ())
    shared = is_server(found.store)
    parts = None if shared else Path(found.store).resolve().with_suffix("")
    folder = Path(f"{parts or experiment.resolve().with_suffix('')}-parts")
    allowed = [word for each in allow or () for word in ("--allow", each)]
    run = ["run", str(experiment.resolve()), *allowed]
    options = [f"output={folder}/part-%a.log", *shlex.split(sbatch)]
    scripts = {"array.sh": _array(run, None if shared else folder, array, cpus, options)}
    if not shared:
        scripts["merge.sh"] = _merge(found.store, folder)
    if dry_run:
        for name, script in scripts.items():
            sys.stdout.write(f"# {folder / name}\n{script}\n")
        return
    _submit(scripts, folder)
    place = masked(found.store) if shared else str(folder)
    sys.stdout.write(f"follow it: {shlex.join(['palio', 'status', place])}\n")
    if not shared:
        sys.stdout.write(f"when all is done: {shlex.join(['palio', 'order', found.store])}\n")


def _array(
    run: Sequence[str], folder: Path | None, array: int, cpus: int, options: Sequence[str]
) -> str:
    """Write the script of the tasks: each runs a part, or with a shared store what others leave."""
    part = ""
    if folder is not None:
        part = f'--part "$task/{array}" --store {shlex.quote(str(folder))}/part-"$task".db '
    return _script(
        f"array=1-{array}",
        f"cpus-per-task={cpus}",
        "requeue",
        "open-mode=append",
        *options,
        lines=[
            "task=$SLURM_ARRAY_TASK_ID",
            # The shell would not hand signals on: Palio takes its place.
            f'exec {_palio(run)} {part}--n-jobs "${{SLURM_CPUS_PER_TASK:-1}}"',
        ],
    )


def _merge(store: str, folder: Path) -> str:
    """Write the script of the job that puts the parts together."""
    target = shlex.quote(str(Path(store).resolve()))
    return _script(
        "open-mode=append",
        f"output={folder}/merge.log",
        lines=[f"exec {_palio(['merge'])} {target} {shlex.quote(str(folder))}/part-*.db"],
    )


def _script(*options: str, lines: Sequence[str]) -> str:
    head = [f"#SBATCH {shlex.quote(f'--{each}')}" for each in ("job-name=palio", *options)]
    return "\n".join(["#!/bin/sh", *head, "", *lines, ""])


def _palio(words: Sequence[str]) -> str:
    # Of this very installation: a task may not have its folder in the PATH.
    return shlex.join([sys.executable, "-m", "palio", *words])


def _submit(scripts: dict[str, str], folder: Path) -> None:
    """Write the scripts and hand them to Slurm; each but the first waits for the one before."""
    if shutil.which("sbatch") is None:
        raise EngineError(
            "slurm",
            "there is no sbatch on this machine",
            remedy="submit from a machine of the cluster, or see the scripts with --dry-run",
        )
    folder.mkdir(parents=True, exist_ok=True)
    ids: list[str] = []
    for name, script in scripts.items():
        path = folder / name
        path.touch(mode=0o600)  # a store's URL may have a password
        path.write_text(script, encoding="utf-8")
        after = [f"--dependency=afterany:{ids[-1]}"] if ids else []
        done = subprocess.run(
            ["sbatch", "--parsable", *after, str(path)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise EngineError("slurm", f"sbatch refused {path}: {one_line(done.stderr)}")
        ids.append(done.stdout.strip().partition(";")[0])
        (folder / _IDS).write_text("\n".join(ids), encoding="utf-8")
        sys.stdout.write(f"submitted {path} as job {ids[-1]}\n")


def slurm_states(folder: Path) -> str:
    """Say what Slurm does with the jobs of a folder; nothing if it does not know them any more."""
    ids = folder / _IDS
    if not ids.exists() or shutil.which("squeue") is None:
        return ""
    jobs = ",".join(ids.read_text(encoding="utf-8").split())
    command = ["squeue", "--noheader", "--array", "--jobs", jobs, "--format", "%T"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    states = done.stdout.lower().split()
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    return f"Slurm: {', '.join(counts)}" if counts else ""
