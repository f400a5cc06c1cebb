// SPDX-License-Identifier: Apache-2.0
#include "core/export/served_experiment.h"

#include "core/base/memory_guard.h"
#include "core/spec/experiment_file.h"
#include "core/spec/message_access.h"
#include "core/spec/problem.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_format.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kNoExperiment{
    "export.no_experiment",
    "{} does not say which model it holds: it was written by TensorFlow, or by an earlier version "
    "of Cannery. Name the run that it was made from, or export that run again."};
constexpr ErrorKind kDamagedExperiment{
    "export.experiment_damaged",
    "The experiment in {} cannot be read: {}. Export its run again, or use the version of Cannery "
    "that wrote it."};

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Replaces the name of every file that a message names, at any depth.
using FileRenaming = std::function<std::string(const std::string&)>;

void renameFile(Message& message, const FieldDescriptor& field, const FileRenaming& rename)
{
    const Reflection& reflection = *message.GetReflection();
    if (!field.is_repeated()) {
        reflection.SetString(&message, &field, rename(reflection.GetString(message, &field)));
        return;
    }
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        reflection.SetRepeatedString(&message, &field, i,
                                     rename(reflection.GetRepeatedString(message, &field, i)));
    }
}

void forEachFile(Message& message, const FileRenaming& rename)
{
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    // Only fields that are set: an export must not name files that the experiment does not.
    for (const FieldDescriptor* field : fields) {
        if (spec::infoOf(*field).names() == spec::FieldInfo::FILE) {
            renameFile(message, *field, rename);
        } else if (spec::isMessage(*field) && field->is_repeated()) {
            for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
                forEachFile(*reflection.MutableRepeatedMessage(&message, field, i), rename);
            }
        } else if (spec::isMessage(*field)) {
            forEachFile(*reflection.MutableMessage(&message, field), rename);
        }
    }
}

/// A line of comment if products of the training were rounded.
std::string precisionNote(const spec::Experiment& resolved)
{
    const spec::NumberFormat::Kind precision = resolved.strategy().precision();
    return precision == spec::NumberFormat::float32
               ? std::string()
               : "# Trained with strategy.precision: " + spec::NumberFormat::Kind_Name(precision) +
                     "\n";
}

} // namespace

std::string servedExperiment(const spec::Experiment& resolved, const std::filesystem::path& folder,
                             std::span<const storage::AssetInfo> assets)
{
    spec::Experiment served;
    *served.mutable_data() = resolved.data();
    // Rows for evaluation and the split are those of the training's machine; serving reads neither.
    served.mutable_data()->clear_eval();
    served.mutable_data()->clear_split();
    *served.mutable_feature_column() = resolved.feature_column();
    *served.mutable_estimator() = resolved.estimator();
    // A vocabulary is an asset of the export; a table stays behind, and only its name is kept, so
    // that no path of the machine is published.
    forEachFile(served, [&](const std::string& name) {
        const std::string source = spec::resolvePath(folder, name).string();
        const auto asset = std::ranges::find(assets, source, &storage::AssetInfo::sourcePath);
        if (asset != assets.end()) {
            return storage::joinPath("assets", asset->fileName);
        }
        const std::string alone = storage::baseName(name);
        return storage::isNameBeneath(alone) ? alone : std::string("table");
    });
    return storage::withChecksumLine(precisionNote(resolved) + spec::printExperiment(served));
}

namespace {

/// The first error, in words; empty if there is none.
std::string firstError(const std::vector<spec::Problem>& problems, const std::string& file)
{
    const auto found = std::ranges::find(problems, spec::Severity::Error, &spec::Problem::severity);
    return found == problems.end() ? "" : spec::render(*found, file);
}

Result<spec::Experiment> readExperimentOf(const std::string& savedModel)
{
    const std::string name = storage::joinPath("assets.extra", kServedExperimentFile);
    const std::string path = storage::joinPath(savedModel, name);
    if (!storage::exists(path)) {
        return fail(ErrorCode::FailedPrecondition, kNoExperiment, savedModel);
    }
    CANNERY_TRY_ASSIGN(std::string text, storage::readWholeFileBeneath(savedModel, name));
    if (text.empty() || !storage::hasSoundChecksum(text)) {
        // An empty file has no checksum to be wrong.
        return fail(ErrorCode::DataLoss, kDamagedExperiment, savedModel,
                    path + " has been changed (its checksum does not match)");
    }
    spec::ParsedExperiment parsed = spec::parseExperiment(std::move(text));
    std::string problem = firstError(parsed.problems, path);
    if (problem.empty()) {
        // It may come from anywhere, and what follows relies on its numbers.
        problem = firstError(spec::validate(parsed.experiment, {.tree = &parsed.tree}), path);
    }
    if (!problem.empty()) {
        return fail(ErrorCode::DataLoss, kDamagedExperiment, savedModel, problem);
    }
    Result<void> outcome;
    forEachFile(parsed.experiment, [&](const std::string& file) {
        // Tables are not in the export, so a missing file is allowed; an existing one must not be
        // reached through a link that leads out of the folder.
        const bool isThere = storage::exists(storage::joinPath(savedModel, file));
        if (outcome && (isThere || !storage::isNameBeneath(file))) {
            outcome = storage::checkBeneath(savedModel, file);
        }
        return file;
    });
    CANNERY_TRY(outcome);
    return std::move(parsed.experiment);
}

} // namespace

Result<spec::Experiment> readServedExperiment(const std::string& savedModel)
{
    // A hostile text may describe a huge experiment, so running out of memory is an error here.
    return guardMemory(savedModel, [&] { return readExperimentOf(savedModel); });
}

} // namespace cannery::exporting
