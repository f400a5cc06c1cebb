// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// How much the training rows of one class count.
struct ClassWeight
{
    std::int64_t id = 0;
    float weight = 1.0F;
};

/// The weight of each row, or labelled step, in the training loss: that of its class, times its own
/// if `weights` (of the batch) has one per row. Labels are one class id per row; a label between
/// two classes, as a probability is, has the mean of their weights in that proportion. `result` is
/// one per row.
void weighByClass(const features::EncodedRows& batch, std::span<const ClassWeight> classes,
                  std::vector<float>& result);
/// The same; `result` may be `weights`.
void weighByClass(std::span<const float> labels, std::span<const float> weights,
                  std::span<const ClassWeight> classes, std::span<float> result);

} // namespace cannery::plan
