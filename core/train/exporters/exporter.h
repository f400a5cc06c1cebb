// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/export/export_modes.h"
#include "core/spec/training.pb.h"
#include "core/train/exporters/export_ledger.h"
#include "core/train/loop/training_observer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What an export contains beyond the model.
struct ExportExtras
{
    /// Files below assets.extra/: name there → path, relative to the experiment's folder.
    std::map<std::string, std::string> assets;
    bool asText = false;         ///< saved_model.pbtxt instead of saved_model.pb
    std::int64_t warmupRows = 0; ///< evaluation rows (or training rows, without any) as requests
};

/// What to export, and where. A new folder named after the time is created in `exportBase`.
struct ModelExportRequest
{
    std::string exportBase; ///< "<model_dir>/export/<exporter>"
    std::string checkpoint; ///< prefix
    spec::Receiver::Kind receiver = spec::Receiver::parsing;
    std::vector<std::string> rawFeatures; ///< raw only: a subset; all if empty
    std::int64_t version = 0;             ///< minimum name of the folder; the time if 0
    ExportExtras extras = {};
    exporting::ExportModes modes = exporting::ExportModes::Serving;
};

/// Writes a SavedModel and returns its folder.
using ExportModel = std::function<Result<std::string>(const ModelExportRequest&)>;

/// What an exporter bases its decision on.
struct ExportOccasion
{
    std::string modelDir;
    const EvaluationResult& evaluation;
    /// The step has reached max_steps; never true without max_steps.
    bool isFinal = false;
    const ExportLedger& ledger;
};

/// What an exporter asks to have exported.
struct RequestedExport
{
    std::string checkpoint; ///< prefix
    std::int64_t globalStep = 0;
};

/// The fields common to all kinds of exporter.
struct ExporterOptions
{
    std::string name; ///< of its folder below "<model_dir>/export"
    spec::Receiver::Kind receiver = spec::Receiver::parsing;
    std::vector<std::string> rawFeatures; ///< inputs of a raw receiver; all if empty
    std::int64_t keep = 0;                ///< number of exports to keep; all if 0
    ExportExtras extras = {};
};

/// Decides after each evaluation whether to export (tf.estimator.Exporter).
class Exporter
{
public:
    explicit Exporter(ExporterOptions options) : m_options(std::move(options)) {}
    virtual ~Exporter() = default;

    const ExporterOptions& options() const { return m_options; }
    const std::string& name() const { return m_options.name; }
    /// What to export now, or nothing.
    virtual Result<std::optional<RequestedExport>>
    afterEvaluation(const ExportOccasion& occasion) = 0;

private:
    ExporterOptions m_options;
};

/// The options from the message of any exporter.
template <typename Message>
ExporterOptions exporterOptions(const Message& message)
{
    ExporterOptions options{
        .name = message.name(),
        .receiver = message.receiver(),
        .rawFeatures = {message.receiver_features().begin(), message.receiver_features().end()},
        .extras = {.asText = message.as_text(), .warmupRows = message.warmup_rows()}};
    for (const spec::AssetFile& asset : message.assets_extra()) {
        options.extras.assets[asset.name()] = asset.file();
    }
    return options;
}

/// The model that was just evaluated.
RequestedExport evaluatedModel(const ExportOccasion& occasion);

/// Writes what an exporter requests to `<model_dir>/export/<name>`, numbered above every export of
/// the model_dir, and deletes its surplus exports. Errors name the exporter.
Result<ExportResult> runExport(const Exporter& exporter, const RequestedExport& request,
                               const std::string& modelDir, const ExportModel& exportModel,
                               ExportLedger& ledger, double wallTime);

} // namespace cannery::train
