// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Folders of TFRecord files as TFX and TensorFlow Datasets write them: `Split-train/` and
/// `Split-eval/` with any number of files, or files named `name-train.tfrecord-00000-of-00001`.

/// The files of the one data set in a folder, sorted: those in it and in its `Split-` folders, or
/// else those of the nearest folder below. Event files are not data. Errors: none, or several data
/// sets.
Result<std::vector<std::string>> recordsBelow(const std::string& folder);

/// Whether a folder holds a data set, or several.
bool hasRecordsBelow(const std::string& folder);

/// The split that a file belongs to, by its folder or its name; empty if there is none.
std::string splitOf(const std::string& file);

/// The `files` that belong to a split; all of them if it is empty. Error: the split has no files.
Result<std::vector<std::string>> filesOfSplit(const std::vector<std::string>& files,
                                              const std::string& split);

/// The splits to train and to evaluate on.
struct SplitPair
{
    std::string train;
    std::string eval;
};

/// Nothing unless the files have a split "train" and one that is usually evaluated on.
std::optional<SplitPair> splitPairOf(const std::vector<std::string>& files);

/// The schema.pbtxt in the folder that describes these files of it: of transformed examples, the
/// one in `transformed_metadata`. Nothing if there is none. Error: several at the same depth.
Result<std::optional<std::string>> schemaBelow(const std::string& folder,
                                               const std::vector<std::string>& files);

} // namespace cannery::data
