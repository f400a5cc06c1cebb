#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/options.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/spec/experiment.pb.h"
#include "core/train/trainable.h"

#include <tl/expected.hpp>

#include <memory>
#include <optional>
#include <string>

namespace cannery::app {

/// Which model a command is about: a run, or an experiment with --model-dir; and which checkpoint.
struct ModelOptions
{
    std::string subject;
    std::optional<std::string> modelDir;
    std::optional<std::string> project;
    std::optional<std::string> checkpoint;
    std::optional<std::int64_t> threads;

    void declare(OptionSet& options);
};

/// A trained model, ready for inference.
struct LoadedModel
{
    spec::Experiment experiment; ///< as the run froze it
    std::string folder;          ///< what its relative paths are relative to
    std::string modelDir;
    std::string checkpoint; ///< prefix
    std::int64_t globalStep = 0;
    features::FeatureEncoder encoder;
    graph::LoweredModel lowered;
    std::unique_ptr<train::ModelTrainable> model;
};

/// Finds and loads it. What is wrong has been printed when the result is an exit code.
tl::expected<LoadedModel, ExitCode> loadModel(const Console& console, const ModelOptions& options);

/// 0 or nothing: all cores.
int threadCount(std::optional<std::int64_t> wanted);

} // namespace cannery::app
