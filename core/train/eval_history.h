// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace cannery::train {

using EvalMetrics = std::map<std::string, double, std::less<>>;
/// Evaluations by global step, rising.
using EvalHistory = std::map<std::int64_t, EvalMetrics>;

/// The scalars in the event files of an evaluation folder, all files merged; the last word about a
/// step counts. A missing or empty folder is an empty history, a damaged file is read up to the
/// damage, as TensorFlow does.
Result<EvalHistory> readEvalHistory(const std::string& evalDir);

/// Calls for every evaluation in the order in which it stands in the files.
Result<void> forEachEvaluation(const std::string& evalDir,
                               const std::function<void(std::int64_t, const EvalMetrics&)>& visit);

/// Those of `eval` and of every `eval_<name>` of a model_dir together; the unnamed one wins.
Result<EvalHistory> readAllEvaluations(const std::string& modelDir);

/// What is known of the evaluations of one eval_spec: those in the event files, and, to the last
/// digit, those that the run's own list holds.
Result<EvalHistory> readRunEvaluations(const std::string& modelDir, const std::string& evalName);

/// "<model_dir>/eval" or "<model_dir>/eval_<name>".
std::string evalFolder(const std::string& modelDir, const std::string& evalName);

} // namespace cannery::train
