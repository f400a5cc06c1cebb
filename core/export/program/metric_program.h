// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/message_writer.h"
#include "core/export/program/refused_fields.h"
#include "core/spec/experiment.pb.h"

#include <string>

namespace cannery::exporting {

/// The Python function `additional_metrics` of tf.estimator.add_metrics with the metrics of the
/// eval_spec, after the classes that it needs; empty without any. Metrics that Keras lacks, and
/// metrics of a multi_head are refused.
std::string metricProgram(const spec::Experiment& experiment, const MessageWriter& writer,
                          RefusedFields& refused);

} // namespace cannery::exporting
