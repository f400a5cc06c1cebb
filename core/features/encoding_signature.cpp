// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoding_signature.h"

#include "core/features/feature_column_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/spec/canned_head.h"
#include "core/spec/example_id.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/histogram_growth.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/token_catalog.h"
#include "core/spec/text/text_format.h"

#include <fmt/core.h>

#include <cstddef>

namespace cannery::features {

namespace {

/// Increase it when a change of the engine encodes the same rows differently.
constexpr int kEncodingVersion = 1;

/// Wrappers (embeddings, indicators) read the slots of other columns.
bool hasSlot(const spec::FeatureColumn& column)
{
    const FeatureColumnRow* row = findFeatureColumnRow(column.kind_case());
    return row != nullptr && row->lookup == nullptr;
}

void addFiles(const google::protobuf::Message& message, std::vector<std::string>& files)
{
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    // Found by the schema's option, so that a new column with a file needs no line here.
    for (const google::protobuf::FieldDescriptor* field : fields) {
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int i = 0; i < count; ++i) {
            if (spec::infoOf(*field).names() == spec::FieldInfo::FILE) {
                files.push_back(field->is_repeated()
                                    ? reflection.GetRepeatedString(message, field, i)
                                    : reflection.GetString(message, field));
            } else if (spec::isMessage(*field)) {
                addFiles(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                              : reflection.GetMessage(message, field),
                         files);
            }
        }
    }
}

} // namespace

std::string encodingSignature(const FeatureEncoder& encoder)
{
    const spec::Experiment& experiment = encoder.experiment();
    // Whatever changes how a row is encoded is part of the text: a cache of encoded rows is used
    // only by an encoder with the same text.
    std::string text = fmt::format("encoding {}\n", kEncodingVersion);
    for (std::size_t i = 0; i < encoder.layout().slots.size(); ++i) {
        const InputSlot& slot = encoder.layout().slots[i];
        const SlotUse use = encoder.useOf(i);
        text += fmt::format("slot {} {} {} {} {} {} {}\n", slot.column, static_cast<int>(slot.kind),
                            slot.width, slot.weighted, slot.block, use.isLookedUp, use.needsIds);
    }
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        if (hasSlot(column)) {
            text += spec::printMessage(column);
        }
        if (spec::keepsMissingNumbers(experiment, column.name())) {
            text += fmt::format("missing {}\n", column.name());
        }
        if (const auto ids = spec::tokenIdsOf(experiment, column.name())) {
            text += fmt::format("ids {} {}\n", column.name(), *ids);
        }
    }
    if (encoder.layout().labelledSteps >= 0) {
        text += fmt::format("labelled steps of slot {}\n", encoder.layout().labelledSteps);
    }
    if (const auto id = spec::exampleIdOf(experiment.estimator())) {
        text += fmt::format("example id {}\n", id->feature);
    }
    return text + spec::printMessage(spec::headOf(experiment.estimator()));
}

std::vector<std::string> filesReadBy(const FeatureEncoder& encoder)
{
    std::vector<std::string> files;
    for (const spec::FeatureColumn& column : encoder.experiment().feature_column()) {
        if (hasSlot(column)) {
            addFiles(column, files);
        }
    }
    return files;
}

} // namespace cannery::features
