// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/prediction/prediction_input.h"
#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/data/pipeline/feature_stream.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source.h"
#include "core/features/feature_encoder.h"
#include "core/serving/unpredicted_row.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// Finds the rows to predict that have no prediction, each in its place: those that are not in the
/// chunks because they could not be read, and those that cannot be encoded. One thread.
class UnpredictedRows
{
public:
    /// All must outlive it. `source`: of the stream's rows.
    UnpredictedRows(const PredictionInput& input, const features::FeatureEncoder& encoder,
                    const std::vector<std::string>& keyColumns, const data::DataSource& source)
        : m_input(input), m_encoder(encoder), m_keyColumns(keyColumns), m_source(source)
    {}

    /// Those that the stream's last chunk lacks, and those of which some feature could not be made,
    /// which are removed from it; in order.
    std::vector<serving::UnpredictedRow> separate(data::FeatureBatch& chunk,
                                                  const data::FeatureStream& stream);
    /// Also removes the rows that cannot be encoded, and adds them; false if there are none.
    /// Errors: those that do not depend on a row.
    Result<bool> sift(data::FeatureBatch& chunk, std::vector<serving::UnpredictedRow>& separated);
    /// Those behind the last chunk.
    std::vector<serving::UnpredictedRow> rest(const data::FeatureStream& stream);

    std::int64_t count() const { return m_count; }

private:
    struct Place
    {
        std::int32_t file = 0;
        std::int64_t line = 0;
        auto operator<=>(const Place&) const = default;
    };
    struct Refused
    {
        Place place;
        std::string sentence;
        std::optional<std::uint64_t> offset; ///< in the text of the table; none: not in there
    };

    std::vector<std::optional<std::string>> readableKeys(const Refused& row);
    void take(const data::FeatureStream& stream);
    std::optional<Refused> nextBefore(const std::optional<Place>& place);
    serving::UnpredictedRow unreadable(std::int64_t before, const Refused& row);
    void remove(data::FeatureBatch& chunk, const std::vector<data::UnusableRow>& unusable,
                std::vector<serving::UnpredictedRow>& separated);

    const PredictionInput& m_input;
    const features::FeatureEncoder& m_encoder;
    const std::vector<std::string>& m_keyColumns;
    const data::DataSource& m_source;
    std::unique_ptr<data::RowReader> m_reader; ///< of refused rows, once there are some
    std::vector<Refused> m_refused;            ///< by the reader, that are still to be placed
    std::size_t m_next = 0;                    ///< in m_refused
    std::size_t m_taken = 0;                   ///< of the stream's
    std::int64_t m_count = 0;
};

} // namespace cannery::app
