// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cannery::train {

using EvalMetrics = std::map<std::string, double, std::less<>>;
/// Evaluations by global step, ascending.
using EvalHistory = std::map<std::int64_t, EvalMetrics>;

/// What the tags of slices begin with: "slice/sex=male/auc". They are not metrics of the
/// evaluation.
inline constexpr std::string_view kSliceTags = "slice/";

/// The scalars in the event files of an evaluation folder, all files merged; the last value of a
/// step counts. A missing or empty folder is an empty history; a damaged file is read up to the
/// damage, as TensorFlow does.
Result<EvalHistory> readEvalHistory(const std::string& evalDir);

/// Calls back for every evaluation in the order in which the files contain them.
Result<void> forEachEvaluation(const std::string& evalDir,
                               const std::function<void(std::int64_t, const EvalMetrics&)>& visit);

/// The evaluations in `eval` and every `eval_<name>` of a model_dir combined; the unnamed one wins.
Result<EvalHistory> readAllEvaluations(const std::string& modelDir);

/// The known evaluations of one eval_spec: those in the event files and, in full precision, those
/// in the run's own list.
Result<EvalHistory> readRunEvaluations(const std::string& modelDir, const std::string& evalName);

/// "<model_dir>/eval" or "<model_dir>/eval_<name>".
std::string evalFolder(const std::string& modelDir, const std::string& evalName);

} // namespace cannery::train
