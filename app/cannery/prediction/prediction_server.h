// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/data/typing/date_columns.h"
#include "core/launch/stop_signals.h"
#include "core/serving/prediction_writer.h"
#include "core/serving/row_predictor.h"
#include "core/train/opened_model.h"

#include <memory>
#include <string>
#include <vector>

namespace cannery::app {

/// Answers rows one by one, each as soon as it is read:
///
///   {"age":22,"sex":"male"} → {"logits":[-1.9],"logistic":[0.13],…}, as in the lines of
///       `cannery predict --format jsonl`, its key columns first
///   {"age":"old"} → {"error":{"id":"predict.cell","sentence":"…"}}
///
/// Keys of a row are columns; a missing one means what an empty cell means, and columns that the
/// model does not read are ignored. One thread.
class PredictionServer
{
public:
    /// The model must outlive the server.
    static Result<PredictionServer> create(train::OpenedModel& model, const Console& console);

    /// The answer to one line, with its line break.
    std::string answer(const std::string& line);
    /// Answers standard input until it ends, a signal stops it, or nobody reads the answers any
    /// more.
    void run(const launch::StopSignals& signals);

private:
    class Row; ///< the cells of a line
    struct Column
    {
        std::string name;
        std::vector<std::string> missingTokens;
    };
    struct Input
    {
        serving::FeatureSlot slot;
        std::vector<Column> columns; ///< of a stack: side by side
        bool isStack = false;
        std::string separator;                     ///< of a split cell; empty for others
        std::optional<data::DateRecipe> date = {}; ///< of a part of a date
    };

    PredictionServer(serving::PredictionWriter writer, const Console& console)
        : m_writer(std::move(writer)), m_console(&console)
    {}
    Result<std::string> predict(const std::string& line);
    void print(const std::string& line);

    serving::PredictionWriter m_writer;
    const Console* m_console;
    std::unique_ptr<serving::RowPredictor> m_predictor;
    std::vector<Input> m_inputs;
    data::FeatureBatch m_keys;
};

} // namespace cannery::app
