// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/typing/schema.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// The rows of a table by their values in some columns. Largest group first, equal ones by their
/// values; groups beyond a maximum are one, the last.
struct RowGroups
{
    struct Group
    {
        /// One for each column; nothing for a missing value. Empty: several groups together.
        std::vector<std::optional<std::string>> values;
        std::int64_t merged = 0; ///< number of groups put together as this one; 0 if there is none
    };
    std::vector<std::string> columns;
    std::vector<Group> groups;
    std::vector<std::int32_t> ofRow; ///< index into groups
};

/// "train.slice_column" if the table lacks a column of a slice.
Result<void> checkSlices(const spec::Experiment& experiment, const data::TableSchema& schema);

/// The groups of each slice of the eval_spec. Reads the evaluation rows once more, if there are
/// slices: those of `files` (paths or globs), or the experiment's own. `rows`: their number when
/// they were encoded. Errors: those of reading, and "train.slice_rows".
Result<std::vector<RowGroups>> readSlices(const spec::Experiment& experiment,
                                          const std::string& folder,
                                          const std::vector<std::string>& files, std::int64_t rows,
                                          const LentThreads& threads);

} // namespace cannery::train
