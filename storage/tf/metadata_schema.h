// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

enum class MetadataType
{
    Unknown,
    Bytes,
    Integer,
    Float,
};

/// What a schema.pbtxt says about one feature.
struct MetadataFeature
{
    std::string name;
    MetadataType type = MetadataType::Unknown;
    std::size_t line = 0; ///< of the file, from 1, where it begins; not written
    bool isDeprecated = false;
    /// Values of every example: the product of the fixed shape.
    std::optional<std::int64_t> fixedCount;
    std::optional<std::int64_t> fewestValues; ///< of an example that has the feature
    std::optional<std::int64_t> mostValues;
    double minFraction = 0; ///< of the examples that have the feature, at least
    std::int64_t minCount = 0;

    bool hasDomain = false;          ///< the allowed texts are known
    std::vector<std::string> domain; ///< those
    std::optional<double> min;       ///< inclusive
    std::optional<double> max;
    bool isCategorical = false; ///< integers that are ids
    bool disallowNan = false;
    bool disallowInfinity = false;

    std::optional<double> driftInfinityNorm; ///< the largest allowed
    std::optional<double> driftJensenShannon;
    std::optional<double> skewInfinityNorm;
    std::optional<double> skewJensenShannon;

    std::vector<std::string> inEnvironments; ///< besides the schema's default ones
    std::vector<std::string> notInEnvironments;

    /// Whether the schema says how many values an example has.
    bool saysCount() const;
    /// Whether an example may have several values, or other than one.
    bool isList() const;

    bool operator==(const MetadataFeature&) const = default;
};

/// A schema of tensorflow.metadata v0, as TFX writes it.
struct MetadataSchema
{
    std::vector<MetadataFeature> features; ///< in file order
    std::vector<std::string> defaultEnvironments;

    /// Whether the schema is about a feature of examples in an environment, such as "SERVING": if
    /// that is one of the feature's own or of the default ones, and the feature does not exclude
    /// it, as TensorFlow Data Validation has it. Of no environment (an empty name): always.
    bool expects(const MetadataFeature& feature, std::string_view environment) const;
    /// Whether examples of some environment are without the feature, as those to be predicted are
    /// without a label.
    bool mayLack(const MetadataFeature& feature) const;
    /// All environments that the schema names, sorted.
    std::vector<std::string> environments() const;
    const MetadataFeature* find(std::string_view name) const;
};

/// Reads a schema.pbtxt. Fields that are not used here are skipped. Errors: a text that is no
/// Schema, a feature without a name or named twice, with an unknown domain, of type STRUCT.
Result<MetadataSchema> readMetadataSchema(const std::string& path);

/// The same as text; names and values are escaped as protobuf does it.
std::string printMetadataSchema(const MetadataSchema& schema);

} // namespace cannery::storage
