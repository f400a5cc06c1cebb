// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/file_prediction.h"

#include "app/cannery/prediction/prediction_input.h"
#include "app/cannery/prediction/unpredicted_rows.h"
#include "core/base/counted.h"
#include "core/data/data_errors.h"
#include "core/data/dataset.h"
#include "core/serving/block_predictor.h"
#include "core/serving/row_predictor.h"
#include "core/survey/table_settings.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cannery::app {

namespace {

/// More rows that cannot be read are not kept in mind, and would lose their places.
constexpr std::size_t kMostRefused = 10'000'000;

/// The features that the model reads and the key columns that are copied, each once.
std::vector<std::string> neededFeatures(const train::OpenedModel& model,
                                        const std::vector<std::string>& keys)
{
    std::vector<std::string> features = model.encoder.inputKeys();
    for (const std::string& key : keys) {
        if (std::find(features.begin(), features.end(), key) == features.end()) {
            features.push_back(key);
        }
    }
    return features;
}

/// The experiment's data, with key columns read as the texts that are written again.
spec::Data withTextKeys(spec::Data data)
{
    for (const std::string& key : data.key_column()) {
        auto* columns = data.mutable_column();
        auto found = std::find_if(columns->begin(), columns->end(),
                                  [&](const spec::Column& column) { return column.name() == key; });
        spec::Column& column = found != columns->end() ? *found : *columns->Add();
        column.Clear();
        column.set_name(key);
        column.set_dtype(spec::DataType::string);
    }
    return data;
}

/// Predicts the rows of a file, chunk by chunk.
class FilePrediction
{
public:
    FilePrediction(PredictionJob& job, const PredictionInput& input)
        : m_job(job), m_input(input),
          m_keys(input.data().key_column().begin(), input.data().key_column().end())
    {}

    Result<PredictedCount> run();

private:
    Result<void> open();
    Result<serving::OutputDialect> outputDialect() const;
    void noteAbsent(const std::vector<std::string>& absent) const;
    Result<std::optional<data::FeatureBatch>> nextChunk();
    Result<void> predictChunk(data::FeatureBatch& chunk);
    Result<void> predictRows(const data::FeatureBatch& chunk,
                             const std::vector<serving::UnpredictedRow>& others);
    Result<void> writeOthers(const std::vector<serving::UnpredictedRow>& others);
    void note(const std::vector<serving::UnpredictedRow>& others);

    PredictionJob& m_job;
    const PredictionInput& m_input;
    std::vector<std::string> m_keys;
    std::optional<data::Dataset> m_dataset;
    std::unique_ptr<data::FeatureStream> m_stream;
    std::optional<UnpredictedRows> m_unpredicted;
    std::optional<serving::PredictionWriter> m_writer;
    std::unique_ptr<serving::BlockPredictor> m_predictor;
    std::vector<std::string> m_texts; ///< of the blocks of a chunk
    bool m_hasHeader = false;
    PredictedCount m_count;
};

Result<void> FilePrediction::open()
{
    const spec::Data& data = m_input.data();
    plan::Model& model = m_job.model.model->model();
    std::vector<std::string> absent;
    CANNERY_TRY_ASSIGN(m_dataset,
                       data::Dataset::openRows(data, m_job.model.folder, {m_input.file()}, absent));
    noteAbsent(absent);
    CANNERY_TRY_ASSIGN(m_stream, m_dataset->read({.features = neededFeatures(m_job.model, m_keys),
                                                  .labels = data::LabelNeed::None,
                                                  .threads = kernels::lend(model.threadPool()),
                                                  .keepsUnusable = true,
                                                  .maxRefused = kMostRefused}));
    m_unpredicted.emplace(m_input, m_job.model.encoder, m_keys, m_dataset->source());
    CANNERY_TRY_ASSIGN(const serving::OutputDialect dialect, outputDialect());
    CANNERY_TRY_ASSIGN(
        serving::PredictionWriter writer,
        serving::PredictionWriter::open(
            m_job.output, {.replaces = m_job.replaces, .inputs = {m_job.input}},
            {.format = m_job.isLikeInput && m_input.isJson() ? serving::PredictionFormat::JsonLines
                                                             : m_job.format,
             .keyColumns = m_keys,
             .isSpreadsheetSafe = m_job.isSpreadsheetSafe,
             .stepSeparator = data.label().split().separator(),
             .dialect = dialect,
             .print = [this](std::string_view bytes) { m_job.console.content(bytes); }}));
    m_writer.emplace(std::move(writer));
    CANNERY_TRY_ASSIGN(m_predictor, serving::BlockPredictor::create(
                                        m_job.model.encoder, model,
                                        {.threads = model.threadPool().threadCount()}));
    return {};
}

/// That of the input, if it was asked for by an option and the input is a text table.
Result<serving::OutputDialect> FilePrediction::outputDialect() const
{
    if (!m_job.isLikeInput || m_input.isJson() || !survey::readsText(m_input.data().train())) {
        return serving::OutputDialect();
    }
    return serving::dialectOf(m_input.file(), m_dataset->source().settings());
}

/// Columns that the model reads and the file lacks.
void FilePrediction::noteAbsent(const std::vector<std::string>& absent) const
{
    std::vector<std::string> read;
    for (const std::string& feature : neededFeatures(m_job.model, m_keys)) {
        const data::FeatureInfo* info = m_dataset->find(feature);
        for (const std::string& column :
             info == nullptr ? std::vector<std::string>() : info->columns) {
            if (std::ranges::find(absent, column) != absent.end()) {
                read.push_back(column);
            }
        }
    }
    if (!read.empty()) {
        m_job.console.diagnostic(fmt::format(
            "warning: {} has no column {}: its cells count as empty in every row",
            m_job.input == "-" ? "standard input" : m_job.input, fmt::join(read, ", ")));
    }
}

/// Nothing at the end, even if no row at all could be read.
Result<std::optional<data::FeatureBatch>> FilePrediction::nextChunk()
{
    Result<std::optional<data::FeatureBatch>> chunk = m_stream->next();
    // A table of nothing but bad rows still gets a line with the reason for each.
    const bool hasOthers = m_stream->report().badRowCount > 0;
    if (!chunk && chunk.error().id == data::kNoRows.id && hasOthers) {
        return std::nullopt;
    }
    return chunk;
}

/// Formats its blocks on several threads.
Result<void> FilePrediction::predictRows(const data::FeatureBatch& chunk,
                                         const std::vector<serving::UnpredictedRow>& others)
{
    // A text for each block, since blocks end in any order; they are written in that of the rows.
    m_texts.resize(static_cast<std::size_t>(m_predictor->blockCount(chunk.rowCount)));
    const auto append = [&](const serving::PredictedRows& rows, std::int64_t block) {
        std::string& text = m_texts[static_cast<std::size_t>(block)];
        text.clear();
        if (!m_hasHeader && block == 0) {
            m_writer->appendHeader(rows, text);
        }
        m_writer->appendLines(rows, others, text);
        return Result<void>();
    };
    CANNERY_TRY(m_predictor->predict(chunk, m_dataset->files(), append));
    m_hasHeader = true;
    for (const std::string& text : m_texts) {
        CANNERY_TRY(m_writer->write(text));
    }
    return {};
}

/// Of a chunk none of whose rows has a prediction, or of what follows the last chunk.
Result<void> FilePrediction::writeOthers(const std::vector<serving::UnpredictedRow>& others)
{
    if (others.empty()) {
        return {};
    }
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<serving::RowPredictor> predictor,
        serving::RowPredictor::create(m_job.model.encoder, m_job.model.model->model()));
    CANNERY_TRY_ASSIGN(const auto outputs, predictor->outputs());
    const data::FeatureBatch none;
    const serving::PredictedRows rows{.rows = none, .predictions = outputs};
    std::string text;
    if (!m_hasHeader) {
        m_writer->appendHeader(rows, text);
        m_hasHeader = true;
    }
    m_writer->appendLines(rows, others, text);
    return m_writer->write(text);
}

Result<void> FilePrediction::predictChunk(data::FeatureBatch& chunk)
{
    m_count.rows += chunk.rowCount;
    std::vector<serving::UnpredictedRow> others = m_unpredicted->separate(chunk, *m_stream);
    Result<void> done;
    if (chunk.rowCount > 0) {
        done = predictRows(chunk, others);
        // One row can make a whole chunk fail. Only then are rows tried one by one, which is slow.
        if (!done) {
            CANNERY_TRY_ASSIGN(const bool isSifted, m_unpredicted->sift(chunk, others));
            if (!isSifted) {
                return done; // no row is its cause
            }
            done = chunk.rowCount > 0 ? predictRows(chunk, others) : Result<void>();
        }
    }
    CANNERY_TRY(std::move(done));
    note(others);
    return chunk.rowCount > 0 ? Result<void>() : writeOthers(others);
}

/// Names the first ones.
void FilePrediction::note(const std::vector<serving::UnpredictedRow>& others)
{
    for (const serving::UnpredictedRow& row : others) {
        if (m_count.unpredicted == 0) {
            m_count.firstReason = row.reason.sentence;
        }
        if (m_count.unpredicted < kMostNamed) {
            m_job.console.diagnostic("no prediction: " + row.reason.sentence);
        }
        ++m_count.unpredicted;
    }
}

Result<PredictedCount> FilePrediction::run()
{
    CANNERY_TRY(open());
    while (true) {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> chunk, nextChunk());
        if (!chunk || m_job.console.isResultLost()) {
            break;
        }
        CANNERY_TRY(predictChunk(*chunk));
        m_job.console.advance(-1, counted(m_count.rows, "row") + " predicted");
    }
    // Rows after the last chunk that could not be read.
    const std::vector<serving::UnpredictedRow> others = m_unpredicted->rest(*m_stream);
    CANNERY_TRY(writeOthers(others));
    note(others);
    // Those that could not be read are in no chunk.
    m_count.rows += static_cast<std::int64_t>(m_stream->report().badRowCount);
    CANNERY_TRY(m_writer->close());
    return m_count;
}

} // namespace

Result<PredictedCount> predictFile(PredictionJob& job)
{
    if (job.output != "-") {
        // Before the model's input is opened, which may take long.
        CANNERY_TRY(
            storage::checkOutput(job.output, {.replaces = job.replaces, .inputs = {job.input}}));
    }
    CANNERY_TRY_ASSIGN(
        const PredictionInput input,
        PredictionInput::open(job.input, job.choice, withTextKeys(job.model.experiment.data())));
    return FilePrediction(job, input).run().map_error([&](const Error& found) {
        return input.placed(found);
    });
}

} // namespace cannery::app
