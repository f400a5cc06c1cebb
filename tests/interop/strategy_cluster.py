# SPDX-License-Identifier: Apache-2.0
"""Clusters of real TensorFlow on this host: strategy_cluster.py JOBS KIND FOLDER NAME...

JOBS are the cluster's jobs and their sizes, as JSON: {"chief": 1, "ps": 1}. Every named case of
strategy_cases.py is trained under the strategy KIND in FOLDER/NAME by a cluster of its own, whose
tasks are forks of this process: TensorFlow is imported once, and runs in the forks only. (Its
collectives are known by numbers that a process uses once.)
"""
import json
import os
import signal
import socket
import sys
import time
import traceback

import strategy_cases as cases

# Linux gives ports from 32768 to outgoing connections.
PORTS = range(20000, 32000)
LONGEST = 120


def free_ports(count):
    """Ports of this host that nobody listens on."""
    found = []
    start = os.getpid() * 37 % len(PORTS)
    for i in range(len(PORTS)):
        port = PORTS[(start + i) % len(PORTS)]
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError("no free ports")


def tf_configs(jobs):
    """TF_CONFIG of every task, by (type, index): the chief first, parameter servers last."""
    ports = free_ports(sum(jobs.values()))
    cluster = {job: ["127.0.0.1:%d" % ports.pop() for _ in range(size)]
               for job, size in jobs.items()}
    return {(job, index): json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
            for job, size in jobs.items() for index in range(size)}


def fork_task(tf_config, case, model_dir):
    child = os.fork()
    if child == 0:
        os.environ["TF_CONFIG"] = tf_config
        try:
            cases.train_in_cluster(case, model_dir)
            os._exit(0)
        except BaseException:  # the parent's code must not run in the child
            traceback.print_exc()
            os._exit(1)
    return child


def finish(tasks):
    """Waits for all but parameter servers, which end when the others have."""
    training = {child for (job, _), child in tasks.items() if job != "ps"}
    deadline = time.monotonic() + LONGEST
    failed = False
    while training and not failed and time.monotonic() < deadline:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            time.sleep(0.02)
            continue
        training.discard(child)
        tasks = {task: other for task, other in tasks.items() if other != child}
        failed = status != 0
    for child in tasks.values():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return not failed and not training


def main():
    jobs, kind, folder, *names = sys.argv[1:]
    for case in (c for name in names for c in cases.CASES if c["name"] == name):
        case = cases.with_strategy(case, kind, None)
        model_dir = os.path.join(folder, case["name"])
        tasks = {task: fork_task(tf_config, case, model_dir)
                 for task, tf_config in tf_configs(json.loads(jobs)).items()}
        if not finish(tasks):
            sys.exit("%s under %s has not been trained by %s" % (case["name"], kind, jobs))


if __name__ == "__main__":
    main()
