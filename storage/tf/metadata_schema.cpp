// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/metadata_schema.h"

#include "core/base/memory_guard.h"
#include "storage/io/files.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/metadata_schema.pb.h"

#include <algorithm>
#include <limits>
#include <set>

namespace cannery::storage {

namespace {

namespace meta = tensorflow::metadata::v0;

constexpr ErrorKind kNoSchema{
    "tf.no_schema", "{} is not a schema of tensorflow.metadata as text. TFX writes one as "
                    "schema.pbtxt, in the output of SchemaGen or ImportSchemaGen."};
constexpr ErrorKind kUnnamedFeature{"tf.schema_unnamed",
                                    "{}: feature {} has no name. Give it the name of a feature."};
constexpr ErrorKind kFeatureTwice{"tf.schema_twice",
                                  "{} describes feature \"{}\" twice. Remove one of them."};
constexpr ErrorKind kUnknownDomain{
    "tf.schema_domain",
    "{}: feature \"{}\" has the domain \"{}\", which the schema does not define."};
constexpr ErrorKind kStructFeature{
    "tf.schema_struct", "{}: feature \"{}\" is a STRUCT; only BYTES, INT and FLOAT are read."};
constexpr ErrorKind kBadShape{"tf.schema_shape",
                              "{}: the shape of feature \"{}\" has a dimension of {}. Dimensions "
                              "are at least 1."};
constexpr std::size_t kMostSchemaBytes = std::size_t{64} << 20U;

void take(const meta::IntDomain& domain, MetadataFeature& feature)
{
    if (domain.has_min()) {
        feature.min = static_cast<double>(domain.min());
    }
    if (domain.has_max()) {
        feature.max = static_cast<double>(domain.max());
    }
    feature.isCategorical = domain.is_categorical();
}

void take(const meta::FloatDomain& domain, MetadataFeature& feature)
{
    if (domain.has_min()) {
        feature.min = domain.min();
    }
    if (domain.has_max()) {
        feature.max = domain.max();
    }
    feature.disallowNan = domain.disallow_nan();
    feature.disallowInfinity = domain.disallow_inf();
}

void take(const meta::StringDomain& domain, MetadataFeature& feature)
{
    feature.hasDomain = true;
    feature.domain.assign(domain.value().begin(), domain.value().end());
}

template <typename Domains>
bool takeNamed(const Domains& domains, const std::string& name, MetadataFeature& feature)
{
    const auto found = std::find_if(domains.begin(), domains.end(),
                                    [&](const auto& domain) { return domain.name() == name; });
    if (found == domains.end()) {
        return false;
    }
    take(*found, feature);
    return true;
}

Result<void> takeDomain(const std::string& path, const meta::Schema& schema,
                        const meta::Feature& from, MetadataFeature& feature)
{
    if (from.has_int_domain()) {
        take(from.int_domain(), feature);
    } else if (from.has_float_domain()) {
        take(from.float_domain(), feature);
    } else if (from.has_string_domain()) {
        take(from.string_domain(), feature);
        // A bool is a text or a number, depending on the type: the names of its values, or 0 and 1.
    } else if (from.has_bool_domain() && feature.type == MetadataType::Bytes) {
        feature.hasDomain = true;
        feature.domain = {from.bool_domain().true_value(), from.bool_domain().false_value()};
    } else if (from.has_bool_domain()) {
        feature.min = 0;
        feature.max = 1;
    } else if (from.has_domain() && !takeNamed(schema.string_domain(), from.domain(), feature) &&
               !takeNamed(schema.int_domain(), from.domain(), feature) &&
               !takeNamed(schema.float_domain(), from.domain(), feature)) {
        // A domain that the schema defines once, of any kind, for the features that name it.
        return fail(ErrorCode::InvalidArgument, kUnknownDomain, path, feature.name, from.domain());
    }
    return {};
}

Result<void> takeShape(const std::string& path, const meta::Feature& from, MetadataFeature& feature)
{
    if (from.has_shape()) {
        std::int64_t count = 1;
        for (const meta::FixedShape::Dim& dim : from.shape().dim()) {
            // The quotient keeps the product within int32 before it is computed.
            if (dim.size() < 1 || count > std::numeric_limits<std::int32_t>::max() / dim.size()) {
                return fail(ErrorCode::InvalidArgument, kBadShape, path, feature.name, dim.size());
            }
            count *= dim.size();
        }
        feature.fixedCount = count;
    }
    if (from.value_count().has_min()) {
        feature.fewestValues = from.value_count().min();
    }
    if (from.value_count().has_max()) {
        feature.mostValues = from.value_count().max();
    }
    return {};
}

void takeComparators(const meta::Feature& from, MetadataFeature& feature)
{
    const auto infinity = [](const meta::FeatureComparator& comparator) {
        return comparator.has_infinity_norm()
                   ? std::optional(comparator.infinity_norm().threshold())
                   : std::nullopt;
    };
    const auto jensen = [](const meta::FeatureComparator& comparator) {
        return comparator.has_jensen_shannon_divergence()
                   ? std::optional(comparator.jensen_shannon_divergence().threshold())
                   : std::nullopt;
    };
    feature.driftInfinityNorm = infinity(from.drift_comparator());
    feature.driftJensenShannon = jensen(from.drift_comparator());
    feature.skewInfinityNorm = infinity(from.skew_comparator());
    feature.skewJensenShannon = jensen(from.skew_comparator());
}

MetadataType typeOf(meta::FeatureType type)
{
    return type == meta::BYTES   ? MetadataType::Bytes
           : type == meta::INT   ? MetadataType::Integer
           : type == meta::FLOAT ? MetadataType::Float
                                 : MetadataType::Unknown;
}

Result<MetadataSchema> read(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path, kMostSchemaBytes));
    google::protobuf::Arena arena;
    meta::Schema& proto = detail::onArena<meta::Schema>(arena);
    std::vector<std::size_t> lines;
    CANNERY_TRY_ASSIGN(const bool isParsed, detail::parseText(text, proto, "feature", lines));
    // Text format accepts an empty text as an empty message: without a feature it is not a schema.
    if (!isParsed || proto.feature_size() == 0) {
        return fail(ErrorCode::InvalidArgument, kNoSchema, path);
    }
    MetadataSchema schema;
    schema.defaultEnvironments.assign(proto.default_environment().begin(),
                                      proto.default_environment().end());
    std::set<std::string> seen;
    for (const meta::Feature& from : proto.feature()) {
        MetadataFeature feature{.name = from.name(), .type = typeOf(from.type())};
        if (feature.name.empty()) {
            return fail(ErrorCode::InvalidArgument, kUnnamedFeature, path,
                        schema.features.size() + 1);
        }
        if (!seen.insert(feature.name).second) {
            return fail(ErrorCode::InvalidArgument, kFeatureTwice, path, feature.name);
        }
        if (from.type() == meta::STRUCT) {
            return fail(ErrorCode::Unimplemented, kStructFeature, path, feature.name);
        }
        feature.line = lines[schema.features.size()];
        feature.isDeprecated = from.deprecated();
        CANNERY_TRY(takeDomain(path, proto, from, feature));
        CANNERY_TRY(takeShape(path, from, feature));
        takeComparators(from, feature);
        feature.minFraction = from.presence().min_fraction();
        feature.minCount = from.presence().min_count();
        feature.inEnvironments.assign(from.in_environment().begin(), from.in_environment().end());
        feature.notInEnvironments.assign(from.not_in_environment().begin(),
                                         from.not_in_environment().end());
        schema.features.push_back(std::move(feature));
    }
    return schema;
}

bool holds(const std::vector<std::string>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void print(const MetadataFeature& feature, meta::Feature& to)
{
    to.set_name(feature.name);
    to.set_type(feature.type == MetadataType::Bytes     ? meta::BYTES
                : feature.type == MetadataType::Integer ? meta::INT
                                                        : meta::FLOAT);
    if (feature.minFraction > 0) {
        to.mutable_presence()->set_min_fraction(feature.minFraction);
    }
    if (feature.minCount > 0) {
        to.mutable_presence()->set_min_count(feature.minCount);
    }
    if (feature.fixedCount == 1) {
        to.mutable_shape()->add_dim()->set_size(1);
    } else if (feature.fewestValues || feature.mostValues) {
        to.mutable_value_count()->set_min(feature.fewestValues.value_or(0));
        if (feature.mostValues) {
            to.mutable_value_count()->set_max(*feature.mostValues);
        }
    }
    if (feature.hasDomain) {
        for (const std::string& value : feature.domain) {
            to.mutable_string_domain()->add_value(value);
        }
    }
}

} // namespace

bool MetadataFeature::saysCount() const
{
    return fixedCount || fewestValues || mostValues;
}

bool MetadataFeature::isList() const
{
    // One value in each example is a scalar. Without an upper limit it can be a list.
    return fixedCount ? *fixedCount > 1 : saysCount() && mostValues.value_or(2) > 1;
}

const MetadataFeature* MetadataSchema::find(std::string_view name) const
{
    const auto found =
        std::find_if(features.begin(), features.end(),
                     [&](const MetadataFeature& feature) { return feature.name == name; });
    return found == features.end() ? nullptr : &*found;
}

bool MetadataSchema::expects(const MetadataFeature& feature, std::string_view environment) const
{
    // As tensorflow.metadata defines it: a feature belongs to the default environments and those it
    // names, but for those that it excludes. Without an environment every feature is expected.
    return environment.empty() || (!holds(feature.notInEnvironments, environment) &&
                                   (holds(feature.inEnvironments, environment) ||
                                    holds(defaultEnvironments, environment)));
}

bool MetadataSchema::mayLack(const MetadataFeature& feature) const
{
    // The label, as a rule: the environment of serving excludes it.
    const std::vector<std::string> all = environments();
    return std::any_of(all.begin(), all.end(), [&](const std::string& environment) {
        return !expects(feature, environment);
    });
}

std::vector<std::string> MetadataSchema::environments() const
{
    std::set<std::string> names(defaultEnvironments.begin(), defaultEnvironments.end());
    for (const MetadataFeature& feature : features) {
        names.insert(feature.inEnvironments.begin(), feature.inEnvironments.end());
        names.insert(feature.notInEnvironments.begin(), feature.notInEnvironments.end());
    }
    return {names.begin(), names.end()};
}

Result<MetadataSchema> readMetadataSchema(const std::string& path)
{
    return guardMemory(path, [&] { return read(path); });
}

std::string printMetadataSchema(const MetadataSchema& schema)
{
    meta::Schema proto;
    for (const MetadataFeature& feature : schema.features) {
        print(feature, *proto.add_feature());
    }
    return detail::printText(proto);
}

} // namespace cannery::storage
