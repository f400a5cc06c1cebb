// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::exporting {

/// The MetaGraphs of a SavedModel, by TensorFlow's tags.
enum class ExportModes
{
    Serving,    ///< "serve"
    Evaluation, ///< "eval" and "serve"
    All,        ///< "train", "eval" and "serve", as Estimator.experimental_export_all_saved_models
};

inline constexpr const char* kServingTag = "serve";
inline constexpr const char* kEvaluationTag = "eval";
inline constexpr const char* kTrainingTag = "train";

} // namespace cannery::exporting
