// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/checkpoints/table_reader.h"

#include <span>
#include <string>

namespace cannery::storage {

/// The bytes of a sorted string table as TensorFlow writes its index files: uncompressed, blocks of
/// 256 KiB. Keys must be strictly ascending; they are compared as bytes.
std::string writeTable(std::span<const TableRow> rows);

} // namespace cannery::storage
