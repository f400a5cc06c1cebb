// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/features/row_file.pb.h"

namespace cannery::features {

/// Encoded rows as a file of encoded rows holds them.
RowFileBlock toBlock(const EncodedRows& rows);

/// The rows of a block. False if they cannot be rows of this layout: wrong counts, or ids beyond a
/// slot's buckets.
bool fromBlock(const RowFileBlock& block, const InputLayout& layout, EncodedRows& out);

} // namespace cannery::features
