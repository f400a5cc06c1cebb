// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::spec {
class Data;
} // namespace cannery::spec

namespace cannery::features {

/// Which rows are left out; the first of any others is an error.
struct RowPolicy
{
    bool skipsBad = false;        ///< whatever makes a row unusable
    bool skipsUnlabelled = false; ///< rows without a label

    static RowPolicy of(const spec::Data& data);
    bool skipsAny() const { return skipsBad || skipsUnlabelled; }
};

/// What encodeUsable() has left out of a batch, as rows of the batch that it was given.
struct LeftOutRows
{
    std::vector<data::UnusableRow> bad;   ///< ascending
    std::vector<std::int64_t> unlabelled; ///< ascending
};

/// The rows of a batch that cannot be encoded, ascending, with what is wrong with each. Takes a few
/// times as long as encoding it. Errors: those that do not depend on a row, such as a feature of
/// the wrong type.
Result<std::vector<data::UnusableRow>> findUnusable(const FeatureEncoder& encoder,
                                                    const data::FeatureBatch& batch, Labels labels,
                                                    std::span<const std::string> files);

/// Encodes the rows that can be used and removes all others from the batch. Errors: of
/// FeatureEncoder::encode(), for rows that the policy does not leave out.
Result<LeftOutRows> encodeUsable(const FeatureEncoder& encoder, const RowPolicy& policy,
                                 data::FeatureBatch& batch, Labels labels,
                                 std::span<const std::string> files, EncodedRows& out);

} // namespace cannery::features
