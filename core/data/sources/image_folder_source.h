// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "core/data/sources/record_folder.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// Opens a folder of pictures (see listImages()) as a table with a row for each, in order of their
/// names. Columns: "image", a text about the picture, or, read as float32, its height · width ·
/// channels values; "label", the name of its folder, unless the pictures are in none; "path", below
/// the folder. Opening lists names and decodes nothing. A picture that cannot be decoded is a bad
/// row. Errors: those of listImages().
Result<std::unique_ptr<DataSource>> openImageFolderSource(const spec::DataSource& source,
                                                          const SourceOptions& options);

/// The first of `files` is the folder.
void setImageFolder(spec::DataSource& source, const std::vector<std::string>& files);

/// Sets height, width and channels that the message lacks: those of some pictures of the folder if
/// they are alike, otherwise 160 × 160 and 3 channels; and the range of values that suits networks.
void describeImages(spec::DataSource& source);

/// What the cells of a column are, without opening the folder: nothing unless the source is an
/// image folder, and the column its pictures.
std::optional<DenseCells> pictureCells(const spec::DataSource& source, std::string_view column);

/// The splits of the folder of the message; see imageSplitsOf().
std::optional<SplitPair> imageFolderSplits(const spec::DataSource& source);

} // namespace cannery::data
