"""Slurm on this machine, of one's own, for as long as the tests run: one node, three processes."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CONFIGURATION = """
ClusterName=palio
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
MailProg=/bin/true
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000
PartitionName=all Nodes={host} Default=YES
"""


@contextlib.contextmanager
def cluster() -> Iterator[Path]:
    """Start Slurm in a folder of its own, and end it; `SLURM_CONF` names its configuration."""
    lacking = [each for each in ("munged", "slurmctld", "slurmd") if shutil.which(each) is None]
    if lacking:
        pytest.skip(f"{', '.join(lacking)}: not installed (apt-get install slurmctld slurmd munge)")
    if os.geteuid() != 0:
        pytest.skip("Slurm starts jobs as others, for which it has to be root")
    folder = Path(tempfile.mkdtemp(prefix="palio-slurm-"))
    processes: list[subprocess.Popen[bytes]] = []
    before = os.environ.get("SLURM_CONF")
    try:
        _lay_out(folder)
        munge = folder / "munge"
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log",
                 "seed-file": "seed"}  # fmt: skip
        options = [f"--{name}={munge / file}" for name, file in files.items()]
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        with (folder / "log").open("wb") as log:
            processes.append(subprocess.Popen(["munged", "-F", *options], stdout=log, stderr=log))
            wait_until((munge / "socket").exists)
            for command in (["slurmctld", "-D", "-c"], ["slurmd", "-D"]):
                processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        wait_until(lambda: slurm("sinfo", "-h", "-o", "%t").strip() == "idle")
        yield folder
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()
        if before is None:
            os.environ.pop("SLURM_CONF", None)
        else:
            os.environ["SLURM_CONF"] = before
        shutil.rmtree(folder, ignore_errors=True)


def _lay_out(folder: Path) -> None:
    folder.chmod(0o755)
    for name in ("munge", "state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge" / "key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    host = socket.gethostname().partition(".")[0]
    with contextlib.ExitStack() as open_, (folder / "slurm.conf").open("w") as file:
        ports = []
        for _ in range(2):
            each = open_.enter_context(socket.socket())
            each.bind(("127.0.0.1", 0))
            ports.append(each.getsockname()[1])
        file.write(
            CONFIGURATION.format(host=host, folder=folder, controller=ports[0], node=ports[1])
        )


def slurm(*command: str) -> str:
    """Run a command of Slurm; return what it prints."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def wait_until(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.2)
