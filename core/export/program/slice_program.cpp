// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/slice_program.h"

#include "core/export/program/python_text.h"
#include "core/spec/strategy_devices.h"

#include <fmt/core.h>

#include <vector>

namespace cannery::exporting {

bool hasSlices(const spec::Experiment& experiment)
{
    const spec::Data& data = experiment.data();
    return experiment.eval_spec().slice_size() > 0 && (data.has_eval() || data.has_split());
}

std::set<std::string> sliceColumns(const spec::Experiment& experiment)
{
    std::set<std::string> columns;
    if (hasSlices(experiment)) {
        for (const spec::Slice& slice : experiment.eval_spec().slice()) {
            columns.insert(slice.columns().begin(), slice.columns().end());
        }
    }
    return columns;
}

/// As core/train/evaluation/row_groups.h forms groups, and core/train/records/summary_recorder.h
/// names them.
std::string sliceFunction(const spec::Experiment& experiment, RefusedFields& refused)
{
    if (!hasSlices(experiment)) {
        return "";
    }
    const spec::EvalSpec& evalSpec = experiment.eval_spec();
    const bool isInOrder = !evalSpec.input().shuffle() && evalSpec.input().num_epochs() <= 1;
    if (evalSpec.input().drop_remainder() || (evalSpec.steps() > 0 && !isInOrder)) {
        refused.add("eval_spec.slice", "a program measures the first rows, which all batches have: "
                                       "remove steps, or shuffle, num_epochs and drop_remainder");
    }
    return R"(

def groups_of(rows, columns, most):
    """Names of the rows with the same values in the columns, the largest group first; the groups
    beyond the most are one."""
    places = collections.defaultdict(list)
    for place, row in enumerate(rows):
        values = []
        for column in columns:
            kind, _, missing = TABLE[column]
            values.append(None if row[column] in missing else kind(row[column]))
        places[tuple(values)].append(place)
    order = sorted(places.items(), key=lambda group: (
        -len(group[1]), [(value is not None, str(value)) for value in group[0]]))
    groups = [(','.join('%s=%s' % (column, '(missing)' if value is None else value)
                        for column, value in zip(columns, values)), found)
              for values, found in order]
    if len(groups) > most:
        small = groups[most - 1:]
        groups[most - 1:] = [('%s=%d small groups' % (','.join(columns), len(small)),
                              sorted(place for _, found in small for place in found))]
    return [(name, [rows[place] for place in found]) for name, found in groups]
)";
}

std::string sliceLoop(const spec::Experiment& experiment, const std::string& input)
{
    if (!hasSlices(experiment)) {
        return "";
    }
    std::vector<std::string> slices;
    for (const spec::Slice& slice : experiment.eval_spec().slice()) {
        std::vector<std::string> columns;
        for (const std::string& column : slice.columns()) {
            columns.push_back(pythonText(column));
        }
        slices.push_back(fmt::format("({}, {})", pythonList(columns), slice.max_groups()));
    }
    const spec::EvalSpec& evalSpec = experiment.eval_spec();
    const std::string evaluated =
        evalSpec.steps() > 0 ? fmt::format("[:{} * {} * {}]", evalSpec.steps(),
                                           spec::batchesPerEvaluationStep(experiment.run_config()),
                                           evalSpec.input().batch_size())
                             : "";
    return fmt::format(R"(    for columns, most in {}:
        for group, rows in groups_of(part(False){}, columns, most):
            metrics = estimator.evaluate(
                {},
                name='slice_' + re.sub(r'\W+', '_', group))
            for name in sorted(metrics):
                print('slice/%s/%s = %.8g' % (group, name, metrics[name]))
)",
                       indented(pythonList(slices)), evaluated,
                       indented(indented(indented(indented(input)))));
}

} // namespace cannery::exporting
