"""PyTorch on the processor, eager; features are encoded once, before training. One and all threads
are tried, the better one counts."""
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


def race(make, inputs, labels, arguments):
    """make() gives (logits of a batch of inputs, optimizers)."""
    inputs, labels = [torch.from_numpy(i) for i in inputs], torch.from_numpy(labels)
    loss_of = torch.nn.BCEWithLogitsLoss()
    results = {}
    choices = sorted({1, common.threads(arguments)})
    for batch in arguments["batches"]:
        best = None
        for threads in choices:
            torch.set_num_threads(threads)
            logits_of, optimizers = make()
            order = torch.randperm(len(labels))
            place = 0

            def steps(count):
                nonlocal order, place
                for _ in range(count):
                    rows = order[place:place + batch]
                    place += batch
                    if place + batch > len(labels):
                        order, place = torch.randperm(len(labels)), 0
                    for optimizer in optimizers:
                        optimizer.zero_grad(set_to_none=True)
                    loss_of(logits_of(*[i[rows] for i in inputs]).squeeze(1),
                            labels[rows]).backward()
                    for optimizer in optimizers:
                        optimizer.step()

            best = common.better(best, common.timed(steps, arguments["seconds"] / len(choices)))
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
