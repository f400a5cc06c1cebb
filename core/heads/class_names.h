// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/prediction.h"
#include "kernels/device/tensor_view.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::heads {

/// What the classes are called: the vocabulary's words, or "0", "1", ... for an empty one.
std::vector<std::string> classNames(const std::vector<std::string>& vocabulary,
                                    std::int64_t classes);

/// The first of the largest.
std::int64_t argmax(std::span<const float> values);

/// An output of a head.
struct PredictionShape
{
    std::string_view key;
    DType dtype = DType::Float32;
    std::int64_t width = 1;
    bool isConstant = false; ///< texts that are the same in every row
};
/// Brings `predictions` into shape for `rows` rows of these outputs. Empties their strings but
/// those that are constant and as many as needed.
void shapePredictions(std::span<const PredictionShape> shapes, std::int64_t rows,
                      std::vector<Prediction>& predictions);

void copyRows(kernels::ConstMatrixView src, std::vector<float>& dst);
/// 0, 1, ..., width - 1 for each row.
void fillAllClassIds(Prediction& prediction);
/// Every name for each row, unless they are there already.
void fillAllClasses(std::span<const std::string> names, std::int64_t rows, Prediction& prediction);

} // namespace cannery::heads
