// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cannery::storage {

/// One feature of a tf.Example: bytes, floats or integers; std::monostate is a feature without a
/// kind, which parsers treat as missing.
using FeatureValues = std::variant<std::monostate, std::vector<std::string>, std::vector<float>,
                                   std::vector<std::int64_t>>;

/// A tf.Example. A missing value is a missing feature: an empty list means something else to
/// parsers.
struct Example
{
    std::map<std::string, FeatureValues> features;

    bool operator==(const Example&) const = default;
};

/// A tf.SequenceExample.
struct SequenceExample
{
    std::map<std::string, FeatureValues> context;
    std::map<std::string, std::vector<FeatureValues>> featureLists; ///< one per step

    bool operator==(const SequenceExample&) const = default;
};

/// Features are sorted by name, so equal examples give equal bytes.
std::string serializeExample(const Example& example);
Result<Example> parseExample(std::string_view bytes);
std::string serializeSequenceExample(const SequenceExample& example);
Result<SequenceExample> parseSequenceExample(std::string_view bytes);

} // namespace cannery::storage
