// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/model_choice.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"
#include "core/features/feature_encoder.h"
#include "core/survey/table_statistics.h"
#include "core/train/preparation/dataset_loader.h"

#include <fmt/core.h>

#include <QTemporaryDir>

#include <cmath>
#include <fstream>
#include <functional>
#include <string>

namespace cannery::tests {

/// A pseudo-random number between -1 and 1.
inline double trialNoise(int row, int column)
{
    return 2 * std::fmod(std::fabs(std::sin(row * 12.9898 + column * 78.233) * 43758.5453), 1.0) -
           1;
}

/// A label computed from two numbers.
using TrialLabel = std::function<std::string(double a, double b, int row)>;

/// A table of two numbers and their label "y", on which models are tried.
class TrialTable
{
public:
    /// `idle`: the number of additional columns of noise.
    TrialTable(int rows, const TrialLabel& label, int idle = 0)
    {
        std::ofstream file(folder() + "/table.csv");
        for (int i = 0; i < idle; ++i) {
            file << fmt::format("idle{},", i);
        }
        file << "a,b,y\n";
        for (int row = 0; row < rows; ++row) {
            const double a = trialNoise(row, 1);
            const double b = trialNoise(row, 2);
            for (int i = 0; i < idle; ++i) {
                file << fmt::format("{:.6f},", trialNoise(row, 10 + i));
            }
            file << fmt::format("{:.6f},{:.6f},{}\n", a, b, label(a, b, row));
        }
    }

    std::string folder() const { return m_folder.path().toStdString(); }

    Result<advice::StartingExperiment> starting() const
    {
        spec::DataSource file;
        file.mutable_csv()->add_files(folder() + "/table.csv");
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                           data::openDataSource(file, {}));
        data::ChunkRequest request;
        for (const std::string& column : source->schema().names()) {
            request.columns.push_back({.column = column});
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
        data::StatisticsCollector collector({.topValues = 1000});
        while (true) {
            CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
            if (!chunk) {
                break;
            }
            collector.add(*chunk);
        }
        CANNERY_TRY_ASSIGN(data::ColumnStatistics labelTexts, survey::textsOf(*source, "y"));
        CANNERY_TRY_ASSIGN(advice::StartingExperiment made,
                           advice::makeStartingExperiment({.schema = source->schema(),
                                                           .statistics = collector.finish(),
                                                           .label = "y",
                                                           .labelTexts = std::move(labelTexts)}));
        *made.experiment.mutable_data()->mutable_train() = file;
        return made;
    }

private:
    QTemporaryDir m_folder;
};

/// The rows of such a table as a model reads them.
struct EncodedTrial
{
    spec::Experiment experiment; ///< resolved
    features::InputLayout layout;
    features::EncodedDataset rows;
};

/// For a model of this kind.
inline Result<EncodedTrial> encodedFor(const advice::StartingExperiment& starting,
                                       const advice::ModelChoice& choice, const std::string& folder)
{
    const spec::Experiment made = advice::withModel(starting, choice);
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(made.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(spec::Experiment resolved,
                       train::resolveWithStatistics(made, dataset, {}, {}));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(resolved, folder));
    CANNERY_TRY_ASSIGN(train::LoadedRows loaded, train::loadRows(dataset, encoder, {}));
    return EncodedTrial{std::move(resolved), encoder.layout(), std::move(loaded.rows)};
}

} // namespace cannery::tests
