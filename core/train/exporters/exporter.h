#pragma once

#include "core/base/result.h"
#include "core/spec/training.pb.h"
#include "core/train/training_observer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What is to be exported where. A new folder named by the time is made in `exportBase`.
struct ModelExportRequest
{
    std::string exportBase; ///< "<model_dir>/export/<exporter>"
    std::string checkpoint; ///< prefix
    spec::Receiver::Kind receiver = spec::Receiver::parsing;
    std::vector<std::string> rawFeatures; ///< raw only: a subset; empty: all
};

/// Writes a SavedModel and returns its folder.
using ExportModel = std::function<Result<std::string>(const ModelExportRequest&)>;

/// What an exporter decides by.
struct ExportOccasion
{
    std::string modelDir;
    const EvaluationResult& evaluation;
    /// The step has reached max_steps; never when there is no max_steps.
    bool isFinal = false;
    const ExportModel& exportModel;
};

/// Decides after each evaluation whether to export (tf.estimator.Exporter).
class Exporter
{
public:
    virtual ~Exporter() = default;

    virtual const std::string& name() const = 0;
    /// The export it made, or nothing.
    virtual Result<std::optional<ExportResult>> afterEvaluation(const ExportOccasion& occasion) = 0;
};

/// Exports into `<model_dir>/export/<name>`.
Result<ExportResult> exportAs(const std::string& name, spec::Receiver::Kind receiver,
                              const ExportOccasion& occasion);

/// Deletes all but the `keep` newest exports of a folder: those of the largest ten-digit names.
/// Anything else in the folder stays. keep 0 deletes nothing.
Result<void> deleteOldExports(const std::string& exportBase, std::int64_t keep);

} // namespace cannery::train
