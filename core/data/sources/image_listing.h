// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/record_folder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// The pictures of a folder, by their names: none of them is opened.
struct ImageListing
{
    std::string folder;               ///< paths begin with it and a slash
    std::vector<std::string> paths;   ///< folder by folder, by the bytes of their names
    std::vector<std::string> classes; ///< folders with pictures, sorted; empty: there are no labels
    std::vector<std::uint32_t> classOf; ///< of each path, unless there are no labels
    std::vector<std::string> warnings;  ///< about what is left out

    /// The path below the folder.
    std::string relative(std::size_t index) const { return paths[index].substr(folder.size() + 1); }
};

/// Lists a folder whose folders are the classes, with all pictures below each; or one of `split`
/// folders that have the classes, all of them if it is empty; or one with nothing but pictures,
/// which have no label. Hidden names are left out. Links to pictures and to class folders are
/// followed, deeper ones to folders are not. Errors: an unreadable folder, no picture.
Result<ImageListing> listImages(const std::string& folder, const std::string& split);

/// Whether a folder that is no project holds pictures, directly or a few folders below.
bool hasImagesBelow(const std::string& folder);

/// The folders to train and to evaluate on; nothing if the classes are in the folder itself.
std::optional<SplitPair> imageSplitsOf(const std::string& folder);

} // namespace cannery::data
