// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/batch_places.h"
#include "core/features/encoded_rows.h"

#include <cstddef>

/// Where the columns of rows go, in one kind of batch as in the other; nowhere if null.
namespace cannery::features {

inline float* denseOf(EncodedRows& out, std::size_t block)
{
    return out.dense[block].values.data();
}

inline float* denseOf(const BatchPlaces& out, std::size_t block)
{
    return block < out.dense.size() ? out.dense[block] : nullptr;
}

inline float* labelsOf(EncodedRows& out)
{
    return out.labels.data();
}

inline float* labelsOf(const BatchPlaces& out)
{
    return out.labels;
}

inline float* weightsOf(EncodedRows& out)
{
    return out.weights.data();
}

inline float* weightsOf(const BatchPlaces& out)
{
    return out.weights;
}

inline Fingerprint128* exampleIdsOf(EncodedRows& out)
{
    return out.exampleIds.data();
}

inline Fingerprint128* exampleIdsOf(const BatchPlaces& /*out*/)
{
    return nullptr;
}

/// Of the ids from a row on.
inline BatchPlaces::Ids idsFrom(EncodedRows& out, std::size_t block, std::size_t row)
{
    IdBlock& ids = out.ids[block];
    const std::int64_t place = ids.rowOffsets[row];
    return {.ids = ids.ids.data() + place,
            .weights = ids.weights.empty() ? nullptr : ids.weights.data() + place};
}

inline BatchPlaces::Ids idsFrom(const BatchPlaces& out, std::size_t block, std::size_t row)
{
    if (block >= out.ids.size() || out.ids[block].ids == nullptr) {
        return {};
    }
    const BatchPlaces::Ids& ids = out.ids[block];
    return {.ids = ids.ids + row, .weights = ids.weights == nullptr ? nullptr : ids.weights + row};
}

} // namespace cannery::features
