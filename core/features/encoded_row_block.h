// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/features/row_file.pb.h"

#include <span>

namespace cannery::features {

/// Encoded rows as a file of encoded rows holds them.
RowFileBlock toBlock(const EncodedRows& rows);

/// The rows of a block. False if they cannot be rows of this layout: wrong counts, ids beyond a
/// slot's buckets, or other numbers of steps in one of the slots `sequences` of a row than in
/// another.
bool fromBlock(const RowFileBlock& block, const InputLayout& layout, std::span<const int> sequences,
               EncodedRows& out);

} // namespace cannery::features
