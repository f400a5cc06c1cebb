// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "storage/runs/run_record.h"

#include <vector>

namespace cannery::train {

/// Every field of an experiment that is set, one entry each, in the schema's order, e.g.
/// `estimator.dnn_classifier.dnn_hidden_units` = `[64, 32]`. Lists of plain values are one entry;
/// messages in lists are named by their `name`, else by their index. For comparing runs.
std::vector<storage::RunParameter> flatParameters(const spec::Experiment& experiment);

} // namespace cannery::train
