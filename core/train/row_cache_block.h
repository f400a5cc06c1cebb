// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/train/row_cache.pb.h"

namespace cannery::train {

/// Encoded rows as a file of encoded rows holds them.
RowCacheBlock toBlock(const features::EncodedRows& rows);

/// The rows of a block. False when they cannot be rows of this layout: wrong counts, or ids beyond
/// a slot's buckets.
bool fromBlock(const RowCacheBlock& block, const features::InputLayout& layout,
               features::EncodedRows& out);

} // namespace cannery::train
