// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/fingerprint128.h"
#include "core/base/result.h"
#include "core/features/raw_rows.h"

#include <string>
#include <vector>

namespace cannery::features {

/// The fingerprint of each row's text in a raw feature, by which SDCA finds the row again. Errors:
/// "features.example_id_type" unless the feature holds one text per row, "features.example_id" for
/// a row without one; features.missing_feature.
Result<void> readExampleIds(const RawRows& rows, const std::string& feature,
                            std::vector<Fingerprint128>& out);

} // namespace cannery::features
