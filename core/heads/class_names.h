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

/// The names of the classes: the vocabulary's words, or "0", "1", ... if it is empty.
std::vector<std::string> classNames(const std::vector<std::string>& vocabulary,
                                    std::int64_t classes);

/// The index of the largest, the first one on ties.
std::int64_t argmax(std::span<const float> values);

/// An output of a head.
struct PredictionShape
{
    std::string_view key;
    DType dtype = DType::Float32;
    std::int64_t width = 1;
    bool isConstant = false; ///< the same in every row
};
/// Resizes `predictions` for these outputs: constant ones for `rows` rows, the others for each of
/// the logits. Clears their strings except constant ones with enough rows.
void shapePredictions(std::span<const PredictionShape> shapes, std::int64_t logits,
                      std::int64_t rows, std::vector<Prediction>& predictions);

void copyRows(kernels::ConstMatrixView src, std::vector<float>& dst);
/// 0, 1, ..., width - 1 for each row.
void fillAllClassIds(Prediction& prediction);
/// Every name for each row, unless already present.
void fillAllClasses(std::span<const std::string> names, std::int64_t rows, Prediction& prediction);

} // namespace cannery::heads
