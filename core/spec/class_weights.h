// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/heads.pb.h"

#include <cstdint>
#include <string>

namespace cannery::spec {

/// The class that a `class_weight` of the training calls by this label: the id of a head that tells
/// classes apart. "spec.class_weight_head", "spec.class_weight_class".
Result<std::int64_t> weightedClass(const Head& head, const std::string& label);

} // namespace cannery::spec
