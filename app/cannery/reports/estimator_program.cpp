// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/estimator_program.h"

#include "app/cannery/console/command.h"
#include "app/cannery/input/experiment_input.h"
#include "app/cannery/input/model_input.h"
#include "core/data/dataset.h"
#include "core/export/program/experiment_program.h"
#include "core/spec/message_access.h"
#include "core/spec/text/spec_override.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/records/frozen_experiment.h"

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>

#include <filesystem>
#include <vector>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kNotFrozen{"program.no_experiment",
                               "{} contains no experiment: name the experiment file instead."};

/// A file without a header has the names that reading gives its columns.
void nameColumns(spec::DataSource& message, const data::DataSource& source)
{
    const google::protobuf::FieldDescriptor* member = spec::memberField(message);
    const auto* header = member->message_type()->FindFieldByName("header");
    const auto* names = member->message_type()->FindFieldByName("column_names");
    if (header == nullptr || names == nullptr) {
        return;
    }
    google::protobuf::Message& files = *message.GetReflection()->MutableMessage(&message, member);
    const google::protobuf::Reflection& access = *files.GetReflection();
    if (access.HasField(files, header) && !access.GetBool(files, header) &&
        access.FieldSize(files, names) == 0) {
        for (const std::string& name : source.schema().names()) {
            access.AddString(&files, names, name);
        }
    }
}

/// What reading the files has detected becomes part of the experiment: the program detects nothing.
Result<void> stateSettings(spec::Experiment& experiment, const data::DataSource& source)
{
    const google::protobuf::FieldDescriptor* member = spec::memberField(experiment.data().train());
    const std::string path = "data.train." + member->name() + ".";
    for (const data::SourceSetting& setting : source.settings()) {
        const auto* field = member->message_type()->FindFieldByName(setting.field);
        if (!setting.isDetected || field == nullptr) {
            continue;
        }
        const bool isText = field->type() == google::protobuf::FieldDescriptor::TYPE_STRING;
        const std::string mark = isText ? "\"" : "";
        CANNERY_TRY(spec::applyOverride(experiment,
                                        path + setting.field + "=" + mark + setting.value + mark));
    }
    nameColumns(*experiment.mutable_data()->mutable_train(), source);
    if (experiment.data().has_eval()) {
        nameColumns(*experiment.mutable_data()->mutable_eval(), source);
    }
    return {};
}

Result<std::string> programFor(spec::Experiment experiment, const std::string& folder,
                               const std::string& origin)
{
    CANNERY_TRY_ASSIGN(const data::Dataset train,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(experiment, train::resolveWithStatistics(experiment, train));
    CANNERY_TRY(stateSettings(experiment, train.source()));
    return exporting::experimentProgram(
        {.experiment = std::move(experiment),
         .folder = fs::absolute(folder.empty() ? "." : folder).lexically_normal(),
         .origin = origin});
}

Result<std::string> programOfRun(const std::string& run, const std::optional<std::string>& project)
{
    CANNERY_TRY_ASSIGN(const std::string folder, findRunFolder(run, project));
    CANNERY_TRY_ASSIGN(std::optional<train::FrozenExperiment> frozen,
                       train::readFrozenExperiment(folder));
    if (!frozen) {
        return fail(ErrorCode::NotFound, kNotFrozen, folder);
    }
    return programFor(std::move(frozen->experiment), frozen->folder,
                      fs::path(folder).filename().string());
}

} // namespace

tl::expected<std::string, ExitCode> estimatorProgram(const Console& console,
                                                     const std::string& subject,
                                                     const std::optional<std::string>& project)
{
    Result<std::string> program;
    if (fs::is_regular_file(subject) || fs::path(subject).extension() == ".cannery") {
        auto input = readExperiment(console, subject, {});
        if (!input) {
            return tl::make_unexpected(input.error());
        }
        program = programFor(std::move(input->experiment), input->folder.string(),
                             input->file.filename().string());
    } else {
        program = programOfRun(subject, project);
    }
    if (!program) {
        return tl::make_unexpected(reportFailure(console, program.error()));
    }
    return std::move(*program);
}

} // namespace cannery::app
