// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/launch/stop_signals.h"
#include "core/serving/prediction_writer.h"
#include "core/serving/row_predictor.h"
#include "core/train/opened_model.h"
#include "storage/tabular/cell_reader.h"
#include "storage/tabular/json_cells.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// Answers rows one by one, each as soon as it is read:
///
///   {"age":22,"sex":"male"} → {"logits":[-1.9],"logistic":[0.13],…}, as in the lines of
///       `cannery predict --format jsonl`, its key columns first
///   {"age":"old"} → {"error":{"id":"predict.cell","sentence":"…"}}
///
/// A row means what it means as a line of a table of JSON lines (data::jsonColumns()): its keys are
/// columns, a missing one is an empty cell, and columns that the model does not read are ignored.
/// One thread.
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
    PredictionServer(serving::PredictionWriter writer, const Console& console)
        : m_writer(std::move(writer)), m_console(&console)
    {}
    Result<std::string> predict(std::string_view line);
    void setKeys();
    void print(const std::string& line);

    serving::PredictionWriter m_writer;
    const Console* m_console;
    std::unique_ptr<serving::RowPredictor> m_predictor;
    storage::JsonColumns m_columns;           ///< that the model reads, and key columns
    std::vector<storage::JsonCell> m_cells;   ///< of the row
    std::optional<storage::CellReader> m_key; ///< of every key column
    data::FeatureBatch m_keys;
};

} // namespace cannery::app
