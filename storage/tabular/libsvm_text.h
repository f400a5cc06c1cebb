// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/record_conversion.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Files of LIBSVM and SVMlight:
///
///   line = label ["qid:" number] { index ":" number } ["#" comment]
///
/// A value that a line does not have is 0. Indices count from 1, in some files from 0.
namespace cannery::storage {

/// What lines of such a file hold.
struct LibsvmShape
{
    static constexpr std::uint64_t kMostFeatures = 1'000'000;

    std::uint64_t largest = 0; ///< index
    bool hasZero = false;      ///< an index 0
    bool hasQuery = false;     ///< a qid
};

/// Whether the lines of a text, up to the first twenty, are such lines.
bool beginsAsLibsvm(std::string_view text);

/// Adds what a line holds; false if it is no such line.
bool addToShape(std::string_view line, LibsvmShape& shape);

/// The columns: "label", "qid" if there is one, and "f1", "f2" and so on.
std::vector<std::string> libsvmColumns(const LibsvmShape& shape);

/// Converts lines to records with these columns; larger indices are left out.
std::unique_ptr<RecordConverter> makeLibsvmConverter(const LibsvmShape& shape);

} // namespace cannery::storage
