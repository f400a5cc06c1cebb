// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/data.pb.h"

#include <string>

namespace cannery::app {

/// Rows to predict as a CSV file, whatever their source: a CSV file, JSON lines (one object per
/// row, keys are columns) or standard input ("-"). Temporary files are removed again.
class PredictionInput
{
public:
    /// `data` says how multi-valued cells are split: a JSON array becomes such a cell.
    static Result<PredictionInput> open(const std::string& input, const spec::Data& data);

    PredictionInput(PredictionInput&& other) noexcept;
    PredictionInput& operator=(PredictionInput&&) = delete;
    ~PredictionInput();

    const std::string& csvFile() const { return m_file; }

private:
    explicit PredictionInput(std::string file, bool temporary)
        : m_file(std::move(file)), m_temporary(temporary)
    {}

    std::string m_file;
    bool m_temporary = false;
};

} // namespace cannery::app
