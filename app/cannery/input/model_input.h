// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/console/options.h"
#include "core/base/exit_code.h"
#include "core/train/opened_model.h"

#include <tl/expected.hpp>

#include <optional>
#include <string>

namespace cannery::app {

/// The model that a command works on: a run, or an experiment with --model-dir; and its checkpoint.
struct ModelOptions
{
    std::string subject;
    std::optional<std::string> modelDir;
    std::optional<std::string> project;
    std::optional<std::string> checkpoint;
    std::optional<std::int64_t> threads;

    /// `servedToo`: the model may also be a checkpoint or a SavedModel (isSingleModel()).
    void declare(OptionSet& options, bool servedToo = false);

    bool isServedToo = false; ///< set by declare()
};

/// Finds and loads the model. Errors have been printed if the result is an exit code.
tl::expected<train::OpenedModel, ExitCode> loadModel(const Console& console,
                                                     const ModelOptions& options);

/// The folder of a run: a path to a folder, or a name or title from the project's store.
Result<std::string> findRunFolder(const std::string& subject,
                                  const std::optional<std::string>& project);

} // namespace cannery::app
