// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cannery::advice {

/// The names of raw features and feature columns in a new experiment. A column of the table keeps
/// its name unless TensorFlow could not tell it from another one's, or would make nothing but
/// underscores of it: "size [m]" beside "size (m)", names in other scripts, with line breaks or of
/// many bytes.
class FeatureNames
{
public:
    /// `columns`: of the table, in their order.
    explicit FeatureNames(const std::vector<std::string>& columns);

    /// The raw feature that a column of the table is read as.
    const std::string& featureOf(const std::string& column) const;
    bool isRenamed(const std::string& column) const { return featureOf(column) != column; }

    /// A name for a feature column that nothing else has: the wanted one, or one with a number.
    std::string columnName(const std::string& wanted);

private:
    bool isFree(const std::string& name) const;
    void take(const std::string& column, const std::string& name);
    std::string otherName(const std::string& column, std::size_t number) const;

    std::map<std::string, std::string> m_features; ///< by column
    std::set<std::string> m_taken;                 ///< as TensorFlow names variables
    std::set<std::string> m_columnNames;
};

} // namespace cannery::advice
