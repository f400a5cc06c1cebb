// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/random.h"
#include "kernels/ops/sparse_combine.h"

#include <cstdint>
#include <vector>

namespace cannery::tests {

/// Rows of 0 to 4 ids, some missing, some out of range, some weights not positive.
struct IdBatch
{
    IdBatch(std::int64_t rowCount, std::int32_t buckets, bool weighted)
    {
        kernels::RandomStream random(9);
        offsets.push_back(0);
        for (std::int64_t r = 0; r < rowCount; ++r) {
            for (std::uint64_t n = random.nextBelow(5); n > 0; --n) {
                ids.push_back(static_cast<std::int32_t>(
                                  random.nextBelow(static_cast<std::uint64_t>(buckets) + 2)) -
                              1);
                if (weighted) {
                    weights.push_back(random.nextUniform(-0.3F, 1.0F));
                }
            }
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }

    kernels::IdsView view() const { return {offsets, ids, weights}; }
    std::int64_t rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }

    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> ids;
    std::vector<float> weights;
};

} // namespace cannery::tests
