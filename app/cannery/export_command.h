#pragma once

#include "app/cannery/command.h"
#include "app/cannery/model_input.h"

namespace cannery::app {

/// `cannery export RUN --output DIR`: a SavedModel that TensorFlow serves.
class ExportCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    ModelOptions m_model;
    std::optional<std::string> m_output;
    std::optional<std::string> m_receiver;
    std::vector<std::string> m_features;
    std::optional<std::string> m_progress;
    bool m_json = false;
};

} // namespace cannery::app
