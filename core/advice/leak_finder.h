// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::advice {

/// A column that predicts the label almost without error: it was probably derived from the label,
/// or became known after it.
struct Leak
{
    std::string column;
    double share = 0; ///< of the rows whose label the column alone predicts, or |correlation|
    bool isCorrelation = false;
};

/// Looks for leaks in up to 100,000 rows, fewer if there are very many columns: with a class as the
/// label, by the majority class of each value; with a number, by the correlation with it.
class LeakFinder
{
public:
    LeakFinder(std::string label, bool classification, std::vector<std::string> columns);
    ~LeakFinder();
    LeakFinder(LeakFinder&&) noexcept;
    LeakFinder& operator=(LeakFinder&&) noexcept;

    /// The chunk has these columns and the label.
    void add(const storage::TableChunk& chunk);
    bool isFull() const;
    std::vector<Leak> leaks() const;

private:
    struct Evidence;

    std::string m_label;
    bool m_classification;
    std::vector<std::string> m_columns;
    std::uint64_t m_mostRows; ///< looked at
    std::vector<Evidence> m_evidence;
    std::uint64_t m_rows = 0;
};

/// The leaks among `columns` of a table.
Result<std::vector<Leak>> findLeaks(const data::DataSource& source, const std::string& label,
                                    bool classification, const std::vector<std::string>& columns);

} // namespace cannery::advice
