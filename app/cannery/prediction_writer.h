#pragma once

#include "core/base/result.h"
#include "core/train/predictor.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

enum class PredictionFormat
{
    Csv,
    JsonLines,
};

/// Writes predictions row by row: key columns first, then TensorFlow's prediction keys. CSV cells
/// of several values are several columns (`probabilities_0`, …), and what is the same in every row
/// (all_classes, all_class_ids) stands in JSON lines only.
class PredictionWriter
{
public:
    /// `path` "-" is standard output.
    static Result<PredictionWriter> open(const std::string& path, PredictionFormat format,
                                         std::vector<std::string> keyColumns);
    PredictionWriter(PredictionWriter&& other) noexcept;
    PredictionWriter& operator=(PredictionWriter&&) = delete;
    ~PredictionWriter();

    /// Adds what stands before the first row.
    void appendHeader(const train::PredictedRows& rows, std::string& text) const;
    /// Adds the lines of some rows. From any number of threads, each with its own text.
    void appendLines(const train::PredictedRows& rows, std::string& text) const;

    Result<void> write(std::string_view text);
    Result<void> close();

private:
    PredictionWriter(std::string path, std::FILE* stream, PredictionFormat format,
                     std::vector<std::string> keyColumns);

    void appendCsvLines(const train::PredictedRows& rows, std::string& text) const;
    void appendJsonLines(const train::PredictedRows& rows, std::string& text) const;

    std::string m_path;
    std::FILE* m_stream = nullptr;
    PredictionFormat m_format;
    std::vector<std::string> m_keyColumns;
};

} // namespace cannery::app
