// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/loop/training_observer.h"

#include <optional>
#include <string_view>

namespace cannery::app {

/// How far a metric may be from what more rows of the same kind would show: half the width of its
/// interval of 95 %, from the number of evaluated rows and the metrics alone. For accuracy (Agresti
/// and Coull, 1998), auc of two classes (Hanley and McNeil, 1982), R² and the root mean squared
/// error (both for normal errors); nothing for others.
std::optional<double> uncertaintyOf(const train::EvaluationResult& result, std::string_view metric);

} // namespace cannery::app
