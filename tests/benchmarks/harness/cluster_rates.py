#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers of a cluster on this host, one process of one thread each: their sums, or their training
steps beside the same steps without sums. Prints one JSON object.

  cluster_rates.py CANNERY_BENCHMARK sums [--workers 2,4] [--order exact|fast|ring] [BYTES …]
  cluster_rates.py CANNERY_BENCHMARK steps EXPERIMENT [--batch N] [--steps N] [--rounds N]
                   [--strategy TEXT] [--options TEXT]
  cluster_rates.py PYTHON keras [--batch N] [--steps N] [--rounds N] [--hidden 1024,512,256]

With --rate 1gbit every worker has a network namespace of its own, whose link sends and receives at
that rate (tc's token bucket); needs root, iproute2, and a kernel with veth and tbf."""
import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys

SIZES = [4, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20]
TIMEOUT = 900
KERAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers", "keras_workers.py")


def run(*words):
    subprocess.run(words, check=True)


class Loopback:
    def __init__(self, workers):
        sockets = [socket.socket() for _ in range(workers)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        self.addresses = ["127.0.0.1:%d" % one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()

    def command(self, _worker, words):
        return words

    def close(self):
        pass


class Namespaces:
    """10.77.0.1 … behind one bridge."""

    def __init__(self, workers, rate):
        self.bridge = "cb%d" % (os.getpid() % 100000)
        self.names = ["%sn%d" % (self.bridge, worker) for worker in range(workers)]
        self.addresses = ["10.77.0.%d:4000" % (worker + 1) for worker in range(workers)]
        try:
            run("ip", "link", "add", self.bridge, "type", "bridge")
            run("ip", "link", "set", self.bridge, "up")
            for worker, name in enumerate(self.names):
                self.connect(worker, name, rate)
        except BaseException:
            self.close()
            raise

    def connect(self, worker, name, rate):
        outer = "%sv%d" % (self.bridge, worker)
        bucket = ["root", "tbf", "rate", rate, "burst", "256kb", "limit", "4mb"]
        run("ip", "netns", "add", name)
        run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", outer, "master", self.bridge, "up")
        run("tc", "qdisc", "add", "dev", outer, *bucket)
        inside = ["ip", "-n", name]
        run(*inside, "address", "add", self.addresses[worker].split(":")[0] + "/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")
        run("tc", "-n", name, "qdisc", "add", "dev", "eth0", *bucket)

    def command(self, worker, words):
        return ["ip", "netns", "exec", self.names[worker]] + words

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["ip", "link", "del", self.bridge], stderr=subprocess.DEVNULL, check=False)


def network(workers, rate):
    return contextlib.closing(Namespaces(workers, rate) if rate else Loopback(workers))


def tf_config(addresses, worker):
    cluster = {"chief": addresses[:1], "worker": addresses[1:]}
    task = {"type": "worker", "index": worker - 1} if worker else {"type": "chief", "index": 0}
    return json.dumps({"cluster": cluster, "task": task})


def measure(workers, rate, words):
    """What the chief prints. Each worker has a core, as it would have a machine."""
    cores = sorted(os.sched_getaffinity(0))
    with network(workers, rate) as net:
        processes = []
        try:
            for worker in range(workers):
                environment = dict(os.environ, TF_CONFIG=tf_config(net.addresses, worker))
                processes.append(subprocess.Popen(
                    net.command(worker, words), env=environment, text=True,
                    stdout=subprocess.DEVNULL if worker else subprocess.PIPE))
                os.sched_setaffinity(processes[-1].pid, {cores[worker % len(cores)]})
            out, _ = processes[0].communicate(timeout=TIMEOUT)
            for process in processes[1:]:
                process.wait(timeout=TIMEOUT)
        finally:
            for process in processes:
                process.kill()
        if any(process.returncode for process in processes):
            sys.exit("A worker failed.")
    return json.loads(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--workers", default="2", help="numbers of workers, with commas")
    parser.add_argument("--rate", default="", help="of each worker's link, as tc reads it")
    kinds = parser.add_subparsers(dest="kind", required=True)
    sums = kinds.add_parser("sums")
    sums.add_argument("--order", choices=["exact", "fast", "ring"], default="exact")
    sums.add_argument("--seconds", default="1")
    sums.add_argument("sizes", nargs="*", type=int, metavar="BYTES", default=SIZES)
    steps = kinds.add_parser("steps")
    keras = kinds.add_parser("keras", help="the same of Keras, in a Python that has TensorFlow")
    steps.add_argument("experiment")
    for kind in (steps, keras):
        kind.add_argument("--batch", default="256")
        kind.add_argument("--steps", default="20", help="of a slice")
        kind.add_argument("--rounds", default="15")
    keras.add_argument("--hidden", default="1024,512,256")
    steps.add_argument("--strategy", default="", help='such as "reduce: fast"')
    steps.add_argument("--options", default="", help="fields of communication_options")
    wanted = parser.parse_args()
    if wanted.kind == "sums":
        words = ["allreduce", wanted.order, wanted.seconds] + [str(size) for size in wanted.sizes]
    elif wanted.kind == "keras":
        words = [KERAS, wanted.batch, wanted.steps, wanted.rounds, wanted.hidden]
    else:
        words = ["worker", wanted.experiment, wanted.batch, wanted.steps, wanted.rounds,
                 wanted.strategy, wanted.options]
    results = {"rate": wanted.rate or "loopback", "kind": wanted.kind, "results": []}
    for workers in [int(number) for number in wanted.workers.split(",")]:
        results["results"].append({
            "workers": workers, "measured": measure(workers, wanted.rate,
                                                    [wanted.program] + words)})
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
