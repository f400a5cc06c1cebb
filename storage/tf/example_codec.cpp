// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/example_codec.h"

#include "core/base/memory_guard.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/example.pb.h"

namespace cannery::storage {

namespace {

constexpr ErrorKind kNoExample{
    "tf.no_example",
    "These {} bytes are not a valid {}; they were not serialised by tf.train, or are damaged."};

void toProto(const FeatureValues& values, tensorflow::Feature& proto)
{
    if (const auto* bytes = std::get_if<std::vector<std::string>>(&values)) {
        proto.mutable_bytes_list()->mutable_value()->Add(bytes->begin(), bytes->end());
    } else if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
        proto.mutable_float_list()->mutable_value()->Add(floats->begin(), floats->end());
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&values)) {
        proto.mutable_int64_list()->mutable_value()->Add(integers->begin(), integers->end());
    }
}

FeatureValues fromProto(const tensorflow::Feature& proto)
{
    switch (proto.kind_case()) {
    case tensorflow::Feature::kBytesList:
        return std::vector<std::string>(proto.bytes_list().value().begin(),
                                        proto.bytes_list().value().end());
    case tensorflow::Feature::kFloatList:
        return std::vector<float>(proto.float_list().value().begin(),
                                  proto.float_list().value().end());
    case tensorflow::Feature::kInt64List:
        return std::vector<std::int64_t>(proto.int64_list().value().begin(),
                                         proto.int64_list().value().end());
    default:
        // A feature without a kind is an empty one of any kind.
        return {};
    }
}

void toProto(const std::map<std::string, FeatureValues>& features, tensorflow::Features& proto)
{
    for (const auto& [name, values] : features) {
        toProto(values, (*proto.mutable_feature())[name]);
    }
}

std::map<std::string, FeatureValues> fromProto(const tensorflow::Features& proto)
{
    std::map<std::string, FeatureValues> features;
    for (const auto& [name, values] : proto.feature()) {
        features.emplace(name, fromProto(values));
    }
    return features;
}

} // namespace

std::string serializeExample(const Example& example)
{
    tensorflow::Example proto;
    toProto(example.features, *proto.mutable_features());
    // Deterministically: a map's entries would otherwise be in another order in each process.
    return detail::serializeDeterministically(proto);
}

Result<Example> parseExample(std::string_view bytes)
{
    return guardMemory("a tf.train.Example", [&]() -> Result<Example> {
        // An Example is a tree of small messages: an arena releases them at once.
        google::protobuf::Arena arena;
        tensorflow::Example& proto = detail::onArena<tensorflow::Example>(arena);
        CANNERY_TRY_ASSIGN(const bool parsed, detail::parseMessage(bytes, proto));
        if (!parsed) {
            return fail(ErrorCode::InvalidArgument, kNoExample, bytes.size(), "tf.train.Example");
        }
        return Example{fromProto(proto.features())};
    });
}

std::string serializeSequenceExample(const SequenceExample& example)
{
    tensorflow::SequenceExample proto;
    toProto(example.context, *proto.mutable_context());
    for (const auto& [name, steps] : example.featureLists) {
        tensorflow::FeatureList& list =
            (*proto.mutable_feature_lists()->mutable_feature_list())[name];
        for (const FeatureValues& step : steps) {
            toProto(step, *list.add_feature());
        }
    }
    return detail::serializeDeterministically(proto);
}

Result<SequenceExample> parseSequenceExample(std::string_view bytes)
{
    return guardMemory("a tf.train.SequenceExample", [&]() -> Result<SequenceExample> {
        google::protobuf::Arena arena;
        tensorflow::SequenceExample& proto = detail::onArena<tensorflow::SequenceExample>(arena);
        CANNERY_TRY_ASSIGN(const bool parsed, detail::parseMessage(bytes, proto));
        if (!parsed) {
            return fail(ErrorCode::InvalidArgument, kNoExample, bytes.size(),
                        "tf.train.SequenceExample");
        }
        SequenceExample example{fromProto(proto.context()), {}};
        for (const auto& [name, list] : proto.feature_lists().feature_list()) {
            std::vector<FeatureValues>& steps = example.featureLists[name];
            for (const tensorflow::Feature& step : list.feature()) {
                steps.push_back(fromProto(step));
            }
        }
        return example;
    });
}

} // namespace cannery::storage
