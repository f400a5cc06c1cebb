// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/reports/components.pb.h"
#include "core/reports/report_list.h"
#include "kernels/math/principal_components.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cannery::data {
class Dataset;
} // namespace cannery::data
namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::survey {

/// The principal components of the numeric columns of a table, each column as its distances from
/// the mean in standard deviations, as z_score makes of it: mean and deviation are those of its
/// finite numbers, and a missing cell is what the experiment says it means, otherwise the mean.
struct TableComponents
{
    struct Column
    {
        std::string name;
        double mean = 0;
        double deviation = 0;
        std::uint64_t missing = 0; ///< or not finite, among the rows used
        /// The correlation with each component.
        std::vector<double> loadings;
    };
    std::vector<Column> columns;
    /// Numeric columns that take no part: those that always have the same value, and those beyond
    /// the most that are used.
    std::vector<std::string> constant;
    std::vector<std::string> beyond;
    /// What else the rows have besides their label, and why it takes no part.
    struct Other
    {
        std::string name;
        std::string why;
    };
    std::vector<Other> others;
    std::uint64_t rows = 0;     ///< of the table
    std::uint64_t usedRows = 0; ///< evenly spaced
    kernels::PrincipalComponents components;

    /// Of some of the rows used: along the first three components, and the group of their label.
    std::vector<double> points; ///< [rows, min(3, components)]
    std::vector<std::size_t> groupOfPoint;
    std::string label;               ///< empty if the rows have none
    std::vector<std::string> groups; ///< classes of the label, or ranges of numbers
};

/// One pass over the training rows. Errors: "data.no_numbers_to_compare"; those of reading.
Result<TableComponents> componentsOf(const spec::Experiment& experiment,
                                     const std::filesystem::path& folder,
                                     const data::Dataset& trainData, const LentThreads& threads);

/// The components as the answer has them.
reports::TableComponents componentsReport(const TableComponents& components);

/// The same for people: shares of the variance, and what the first three consist of.
std::vector<std::string> componentsLines(const TableComponents& components);

/// The share of the variance along a component, 0 to 1.
double shareOf(const kernels::PrincipalComponents& components, std::size_t component);
/// All shares, as the answers about a table and about embeddings have them.
reports::ReportList<reports::Component>
componentList(const kernels::PrincipalComponents& components);

} // namespace cannery::survey
