// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_fingerprint.h"
#include "core/data/sources/data_source.h"
#include "core/data/sources/image_table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// A column to fill.
struct ImageColumnRequest
{
    ImageColumn column = ImageColumn::Image;
    std::string as; ///< name in the chunks
    DType dtype = DType::String;
    std::vector<std::string> missingTokens;
    storage::NumberNotation notation;

    /// The values of the picture, not a text about it.
    bool isPixels() const { return column == ImageColumn::Image && dtype == DType::Float32; }
};

/// Adds a file to the fingerprint: its path below the folder, which says its label, and its bytes.
void addToFingerprint(const ImageTable& table, std::size_t index, const std::string& bytes,
                      DataFingerprint& fingerprint);

/// The pictures as rows, a chunk each, decoded on the lent threads, in order: the same for any
/// number of threads. A picture that cannot be read is a bad row. The table must outlive it.
std::unique_ptr<ChunkStream> streamImages(const ImageTable& table,
                                          std::vector<ImageColumnRequest> columns,
                                          const ChunkRequest& request);

} // namespace cannery::data
