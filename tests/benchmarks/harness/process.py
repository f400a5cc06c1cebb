# SPDX-License-Identifier: Apache-2.0
"""Runs a program on chosen cores and tells what it cost."""
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass
class Usage:
    wall: float
    cpu: float
    megabytes: float  # greatest resident size
    output: str


class Failed(RuntimeError):
    pass


def run(command, cores, environment=None, timeout=120):
    """Raises Failed with its last words unless the program ends with 0."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=errors, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **(environment or {})},
                                   preexec_fn=lambda: os.sched_setaffinity(0, cores))
        timer = threading.Timer(timeout, process.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            words = (text_of(out) + text_of(errors)).strip().splitlines()[-6:]
            raise Failed("%s ended with %d: %s" % (os.path.basename(command[0]),
                                                   process.returncode, " / ".join(words)))
        return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text_of(out))


def text_of(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")
