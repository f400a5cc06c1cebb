# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the processor; features are encoded once, before training. Eager and torch.compile,
batches gathered from shuffled rows and batches made before, one and all threads are tried, and the
fastest counts."""
import itertools
import sys

import common

import torch

NAME = "PyTorch %s" % torch.__version__
torch.manual_seed(1)


def adagrad(parameters):
    parameters = list(parameters)
    try:
        return torch.optim.Adagrad(parameters, 0.05, initial_accumulator_value=0.1, fused=True)
    except (TypeError, RuntimeError):
        return torch.optim.Adagrad(parameters, 0.05, initial_accumulator_value=0.1)


def network(inputs, hidden):
    layers = []
    for units in hidden:
        layers += [torch.nn.Linear(inputs, units), torch.nn.ReLU()]
        inputs = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(inputs, 1))


def gathered(tensors, batch):
    """Batches of rows that are shuffled anew in every epoch, gathered in every step."""
    while True:
        order = torch.randperm(len(tensors[0]))
        for place in range(0, len(order) - batch + 1, batch):
            rows = order[place:place + batch]
            yield [t[rows] for t in tensors]


def made_before(tensors, batch):
    """Batches cut once from shuffled rows, in another order in every epoch."""
    order = torch.randperm(len(tensors[0]))
    cut = [[t[order[place:place + batch]].contiguous() for t in tensors]
           for place in range(0, len(order) - batch + 1, batch)]
    while True:
        for number in torch.randperm(len(cut)).tolist():
            yield cut[number]


def race(make, inputs, labels, arguments):
    """make() gives (logits of a batch of inputs, optimizers)."""
    tensors = [torch.from_numpy(i) for i in [*inputs, labels]]
    loss_of = torch.nn.BCEWithLogitsLoss()
    results = {}
    ways = list(itertools.product(sorted({1, common.threads(arguments)}), (False, True),
                                  (made_before, gathered)))
    for batch in arguments["batches"]:
        best = None
        for threads, compiles, feed in ways:
            torch.set_num_threads(threads)
            logits_of, optimizers = make()

            def loss(*parts):
                return loss_of(logits_of(*parts[:-1]).squeeze(1), parts[-1])

            step_loss = torch.compile(loss) if compiles else loss
            fed = feed(tensors, batch)

            def steps(count):
                for _ in range(count):
                    for optimizer in optimizers:
                        optimizer.zero_grad(set_to_none=True)
                    step_loss(*next(fed)).backward()
                    for optimizer in optimizers:
                        optimizer.step()

            try:
                found = common.timed(steps, arguments["seconds"] / len(ways))
            except Exception as problem:  # what cannot be compiled here is raced eagerly alone
                if not compiles:
                    raise
                print("torch.compile: %s" % str(problem).split("\n")[0], file=sys.stderr)
                continue
            found["way"] = "%s, %d threads%s" % (feed.__name__, threads,
                                                 ", torch.compile" if compiles else "")
            best = common.better(best, found)
        results[str(batch)] = best
    return results, NAME


def census_dnn(arguments):
    floats, countries, labels = common.census_encoded(arguments["census"])

    def make():
        table = torch.nn.Embedding(100, 8)
        net = network(floats.shape[1] + 8, [100, 50])
        optimizer = adagrad([*table.parameters(), *net.parameters()])
        return lambda x, c: net(torch.cat([x, table(c)], 1)), [optimizer]
    return race(make, [floats, countries], labels, arguments)


def wide_dnn(arguments):
    counts, ids, labels = common.criteo(arguments["criteo_ids"])
    ids = ids + [c * common.ID_BUCKETS for c in range(common.CATEGORIES)]

    def make():
        table = torch.nn.Embedding(common.CATEGORIES * common.ID_BUCKETS, 16, sparse=True)
        net = network(common.COUNTS + common.CATEGORIES * 16, [1024, 512, 256])
        sparse = torch.optim.Adagrad(table.parameters(), 0.05, initial_accumulator_value=0.1)
        return (lambda x, c: net(torch.cat([x, table(c).flatten(1)], 1)),
                [adagrad(net.parameters()), sparse])
    return race(make, [counts, ids], labels, arguments)


def dense_dnn(arguments):
    floats, labels = common.higgs(arguments["dense_floats"], arguments["columns"])

    def make():
        net = network(arguments["columns"], [1024, 512, 256])
        return net, [adagrad(net.parameters())]
    return race(make, [floats], labels, arguments)


if __name__ == "__main__":
    common.start({f.__name__: f for f in [census_dnn, wide_dnn, dense_dnn]})
