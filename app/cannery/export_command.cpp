#include "app/cannery/export_command.h"

#include "app/cannery/export_view.h"
#include "core/train/model_export.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kOutputNeeded{"command.usage",
                                  "Where shall the SavedModel go? Say it with --output DIR."};

} // namespace

void ExportCommand::declare(OptionSet& options)
{
    m_model.declare(options);
    options.option("--output", "DIR", m_output,
                   "the folder that gets a new version folder, named by the time");
    options.choice("--receiver", {"parsing", "raw"}, m_receiver,
                   "take tf.Example messages, or one tensor a feature (default: parsing)");
    options.option("--feature", "NAME", m_features,
                   "with the raw receiver: only these features, as often as wanted");
    options.flag("--json", m_json, "print one JSON object");
    declareProgress(options, m_progress);
}

ExitCode ExportCommand::run(Console& console)
{
    if (!m_output) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kOutputNeeded));
    }
    console.setJsonProgress(m_progress == "json");
    console.advance(0, "Reading the checkpoint");
    const auto model = loadModel(console, m_model);
    if (!model) {
        return model.error();
    }
    const bool raw = m_receiver.value_or("parsing") == "raw";
    const Result<std::string> path =
        train::exportCheckpoint(model->encoder, model->lowered,
                                {.exportBase = *m_output,
                                 .checkpoint = model->checkpoint,
                                 .receiver = raw ? spec::Receiver::raw : spec::Receiver::parsing,
                                 .rawFeatures = m_features});
    console.clearProgress();
    if (!path) {
        return reportFailure(console, path.error());
    }
    const Result<ExportedModel> exported = lookAtExport(*path);
    if (!exported) {
        return reportFailure(console, exported.error());
    }
    if (m_json) {
        console.result(Json({{"path", *path},
                             {"bytes", exported->bytes},
                             {"checkpoint", model->checkpoint},
                             {"global_step", model->globalStep},
                             {"signatures", Json::parse(signaturesJson(exported->signatures))}})
                           .dump(2));
        return ExitCode::Done;
    }
    for (const std::string& line : signatureLines(exported->signatures)) {
        console.note(line);
    }
    console.note(fmt::format("exported {}, checked after writing", model->checkpoint));
    console.result(*path);
    return ExitCode::Done;
}

} // namespace cannery::app
