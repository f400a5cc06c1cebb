// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/serving/output_dialect.h"
#include "core/serving/predicted_rows.h"
#include "core/serving/unpredicted_row.h"
#include "storage/io/output_file.h"
#include "storage/tabular/text_encoder.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::serving {

enum class PredictionFormat
{
    Csv,
    JsonLines,
};

/// Writes predictions row by row: key columns first, then TensorFlow's prediction keys. In CSV,
/// outputs with several values become several columns (`probabilities_0`, …), and what is the same
/// in every row (all_classes, all_class_ids) is left out; JSON lines have it. An output for each
/// step is a list: an array in JSON, in CSV a cell of pieces, as sequences are read from one. A row
/// without a prediction has its line: in CSV with empty cells, in JSON with its "error".
class PredictionWriter
{
public:
    struct Options
    {
        PredictionFormat format = PredictionFormat::Csv;
        std::vector<std::string> keyColumns;
        /// In CSV, puts an apostrophe before texts that a spreadsheet would read as a formula.
        bool isSpreadsheetSafe = false;
        std::string stepSeparator = "|"; ///< in CSV, between the values of two steps
        OutputDialect dialect = {};      ///< of CSV
        /// Called with the bytes when the path is "-", instead of writing them to a file.
        std::function<void(std::string_view)> print = {};
    };
    /// Errors: of OutputFile::create() and TextEncoder::create().
    static Result<PredictionWriter> open(const std::string& path,
                                         const storage::OutputOptions& output, Options options);
    /// To Options::print.
    explicit PredictionWriter(Options options) : m_options(std::move(options)) {}

    /// Appends what precedes the first row.
    void appendHeader(const PredictedRows& rows, std::string& text) const;
    /// Appends the lines of some rows, and of those without a prediction that precede them in their
    /// chunk, or end it. Any thread, each with its own text.
    void appendLines(const PredictedRows& rows, std::span<const UnpredictedRow> others,
                     std::string& text) const;

    /// What Options::print cannot write is not reported here.
    Result<void> write(std::string_view text);
    Result<void> close();

private:
    Result<void> writeBytes(std::string_view bytes);
    void appendText(std::string_view cell, std::string& text) const;
    void appendCsvNumber(const heads::Prediction& prediction, std::int64_t index,
                         std::string& text) const;
    void appendKey(const data::FeatureValues* feature, std::int64_t row, std::string& text) const;
    void appendElement(const heads::Prediction& prediction, std::int64_t index,
                       std::string& text) const;
    void appendSteps(const heads::Prediction& prediction, std::int64_t row, std::int64_t column,
                     std::string& text) const;
    void appendCsvLines(const PredictedRows& rows, std::span<const UnpredictedRow> others,
                        std::string& text) const;
    void appendJsonLines(const PredictedRows& rows, std::span<const UnpredictedRow> others,
                         std::string& text) const;
    void appendEmptyCsvLine(const UnpredictedRow& row, std::size_t outputs,
                            std::string& text) const;
    void appendJsonError(const UnpredictedRow& row, std::string& text) const;

    std::optional<storage::OutputFile> m_file;     ///< none: Options::print
    std::optional<storage::TextEncoder> m_encoder; ///< without one, as it is
    Options m_options;
};

} // namespace cannery::serving
