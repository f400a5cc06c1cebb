// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/embedding_view.h"

#include "core/base/counted.h"
#include "core/base/text_table.h"
#include "core/export/served_experiment.h"
#include "core/reports/components.pb.h"
#include "core/reports/report_json.h"
#include "core/spec/experiment.pb.h"
#include "core/survey/table_components.h"
#include "core/train/preparation/embedding_tables.h"
#include "core/train/records/frozen_experiment.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoEmbedding{
    "inspect.no_embedding",
    "{} has no table of embeddings '{}'; --embeddings lists the tables it has."};
constexpr ErrorKind kValues{
    "inspect.embedding_values",
    "The table '{}' has values that are not finite numbers: it has no components."};
constexpr ErrorKind kProjectorIsThere{
    "inspect.projector_is_there", "{} is there already: choose another folder for the projector."};

/// The numbers whose components are computed; of larger tables, evenly spaced rows.
constexpr std::int64_t kMostNumbers = 16'000'000;
constexpr std::size_t kMostComponents = 10;
constexpr std::size_t kMostPoints = 2'000;
constexpr std::size_t kPrinted = 20;
constexpr std::size_t kAxes = 3;

struct Found
{
    storage::CheckpointReader reader;
    spec::Experiment experiment; ///< empty if it is not known
    std::string folder;
    std::string problem; ///< why it is not known
    std::vector<train::EmbeddingVariable> tables;
};

/// The experiment of a run, or of a SavedModel of ours.
void readExperimentBeside(const std::string& prefix, Found& found)
{
    // A SavedModel keeps its checkpoint in "variables", a run in its own folder.
    const std::string folder = storage::parentFolder(prefix);
    const std::string model = storage::parentFolder(folder);
    if (storage::isSavedModel(model)) {
        Result<spec::Experiment> served = exporting::readServedExperiment(model);
        found.folder = model;
        if (served) {
            found.experiment = std::move(*served);
        } else {
            found.problem = served.error().sentence;
        }
        return;
    }
    Result<std::optional<train::FrozenExperiment>> frozen = train::readFrozenExperiment(folder);
    if (!frozen) {
        found.problem = frozen.error().sentence;
    } else if (*frozen) {
        found.experiment = std::move((*frozen)->experiment);
        found.folder = (*frozen)->folder;
    } else {
        found.problem = fmt::format("{} holds no experiment that says what the rows are.", folder);
    }
}

Result<Found> findTables(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const std::string prefix, checkpointAt(path));
    CANNERY_TRY_ASSIGN(storage::CheckpointReader reader, storage::CheckpointReader::open(prefix));
    Found found{.reader = std::move(reader), .experiment = {}, .folder = {}, .problem = {}};
    readExperimentBeside(prefix, found);
    std::vector<std::string> matrices;
    for (const storage::CheckpointEntry& entry : found.reader.entries()) {
        if (entry.dtype == DType::Float32 && entry.shape.rank() == 2) {
            matrices.push_back(entry.name);
        }
    }
    found.tables = train::embeddingsAmong(matrices, found.experiment);
    return found;
}

/// All rows, or so many that their numbers are not too many.
std::vector<double> someRows(const EmbeddingView& view)
{
    const std::int64_t most = std::max<std::int64_t>(1, kMostNumbers / view.dimension);
    const std::int64_t count = std::min(view.rows, most);
    std::vector<double> rows;
    rows.reserve(static_cast<std::size_t>(count * view.dimension));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto begin = view.values.begin() +
                           static_cast<std::ptrdiff_t>(i * view.rows / count * view.dimension);
        rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(view.dimension));
    }
    return rows;
}

std::string textOf(const EmbeddingView& view, std::size_t row)
{
    return view.texts[row].empty() ? fmt::format("{}", row) : view.texts[row];
}

/// [points, min(kAxes, components)]
std::vector<std::vector<double>> firstPoints(const EmbeddingView& view, std::size_t most)
{
    const std::size_t count = std::min(most, static_cast<std::size_t>(view.rows));
    const auto width = static_cast<std::size_t>(view.dimension);
    std::vector<std::vector<double>> points;
    for (std::size_t row = 0; row < count; ++row) {
        const auto own = std::span(view.values).subspan(row * width, width);
        points.push_back(
            kernels::projected(view.components, std::vector<double>(own.begin(), own.end())));
        points.back().resize(std::min(kAxes, points.back().size()));
    }
    return points;
}

reports::EmbeddingComponents embeddingReport(const EmbeddingView& view)
{
    reports::EmbeddingComponents report;
    report.set_kind("components");
    report.set_path(view.checkpoint);
    reports::EmbeddingTable& table = *report.mutable_table();
    table.set_variable(view.variable);
    table.set_column(view.column);
    table.set_rows(view.rows);
    table.set_dimension(view.dimension);
    report.set_problem(view.problem);
    *report.mutable_components() = survey::componentList(view.components);
    for (const std::vector<double>& at : firstPoints(view, kMostPoints)) {
        const auto row = static_cast<std::size_t>(report.points_size());
        reports::EmbeddingPoint& point = *report.add_points();
        point.set_id(row);
        point.set_text(view.texts[row]);
        point.mutable_at()->Assign(at.begin(), at.end());
    }
    return report;
}

/// A text as one cell of a file of tab-separated values.
std::string cellOf(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

} // namespace

Result<Inspection> inspectEmbeddings(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const Found found, findTables(path));
    reports::EmbeddingTables report;
    report.set_kind("embeddings");
    report.set_path(found.reader.prefix());
    std::vector<std::vector<std::string>> rows;
    for (const train::EmbeddingVariable& table : found.tables) {
        const Shape& shape = found.reader.find(table.name)->shape;
        rows.push_back({table.name, table.column, std::to_string(shape.dims[0]),
                        std::to_string(shape.dims[1])});
        reports::EmbeddingTable& row = *report.add_tables();
        row.set_variable(table.name);
        row.set_column(table.column);
        row.set_rows(shape.dims[0]);
        row.set_dimension(shape.dims[1]);
    }
    Inspection result;
    result.lines.push_back(fmt::format("Embeddings in {}: {}", found.reader.prefix(),
                                       counted(static_cast<std::int64_t>(rows.size()), "table")));
    for (std::string& line : alignedTable({"variable", "column", "rows", "dimension"}, rows, 2)) {
        result.lines.push_back("  " + std::move(line));
    }
    result.json = reports::reportJson(report, 2);
    return result;
}

Result<EmbeddingView> lookAtEmbedding(const std::string& path, const std::string& name)
{
    CANNERY_TRY_ASSIGN(const Found found, findTables(path));
    const auto table =
        std::find_if(found.tables.begin(), found.tables.end(), [&](const auto& each) {
            return each.name == name || (!name.empty() && each.column == name);
        });
    if (table == found.tables.end()) {
        return fail(ErrorCode::NotFound, kNoEmbedding, found.reader.prefix(), name);
    }
    EmbeddingView view{.checkpoint = found.reader.prefix(),
                       .variable = table->name,
                       .column = table->column,
                       .problem = found.problem};
    CANNERY_TRY_ASSIGN(const storage::HostTensor tensor, found.reader.read(table->name));
    view.rows = tensor.shape.dims[0];
    view.dimension = tensor.shape.dims[1];
    view.values.assign(tensor.values<float>().begin(), tensor.values<float>().end());
    // One NaN would make every component NaN.
    if (!std::all_of(view.values.begin(), view.values.end(),
                     [](float value) { return std::isfinite(value); })) {
        return fail(ErrorCode::InvalidArgument, kValues, table->name);
    }
    Result<std::vector<std::string>> texts =
        train::rowTexts(*table, view.rows, found.experiment, found.folder);
    if (texts) {
        view.texts = std::move(*texts);
    } else {
        // Without texts, rows are named by their numbers.
        view.texts.resize(static_cast<std::size_t>(view.rows));
        view.problem = texts.error().sentence;
    }
    if (view.rows > 0 && view.dimension > 0) {
        view.components = kernels::principalComponents(
            someRows(view), static_cast<std::size_t>(view.dimension), kMostComponents);
    }
    return view;
}

Inspection embeddingInspection(const EmbeddingView& view)
{
    const reports::EmbeddingComponents report = embeddingReport(view);
    std::vector<std::string> shares;
    for (const reports::Component& component : report.components()) {
        shares.push_back(fmt::format("{:.1f} %", 100 * component.share()));
    }
    std::vector<std::vector<std::string>> rows;
    for (const reports::EmbeddingPoint& point : report.points()) {
        if (point.id() == kPrinted) {
            break;
        }
        rows.push_back({textOf(view, point.id())});
        for (const double at : point.at()) {
            rows.back().push_back(fmt::format("{:.4g}", at));
        }
    }
    Inspection result;
    result.lines.push_back(fmt::format("{} of {}: {} of {} numbers", view.variable, view.checkpoint,
                                       counted(view.rows, "row"), view.dimension));
    std::vector<std::string> header{"row"};
    for (std::size_t i = 0; i < std::min(kAxes, shares.size()); ++i) {
        header.push_back(fmt::format("component {} ({})", i + 1, shares[i]));
    }
    for (std::string& line : alignedTable(header, rows)) {
        result.lines.push_back("  " + std::move(line));
    }
    if (view.rows > static_cast<std::int64_t>(rows.size())) {
        result.lines.push_back(
            fmt::format("  and {} more", view.rows - static_cast<std::int64_t>(rows.size())));
    }
    if (!view.problem.empty()) {
        result.lines.push_back(view.problem);
    }
    result.json = reports::reportJson(report, 2);
    return result;
}

Result<void> writeProjector(const EmbeddingView& view, const std::string& folder)
{
    // The configuration is looked for first and written last: with it, the folder is complete.
    const std::string config = storage::joinPath(folder, "projector_config.pbtxt");
    if (storage::exists(config)) {
        return fail(ErrorCode::AlreadyExists, kProjectorIsThere, config);
    }
    CANNERY_TRY(storage::makeFolders(folder));
    std::string tensor;
    std::string metadata;
    for (std::size_t row = 0; row < static_cast<std::size_t>(view.rows); ++row) {
        for (std::int64_t i = 0; i < view.dimension; ++i) {
            const auto at =
                row * static_cast<std::size_t>(view.dimension) + static_cast<std::size_t>(i);
            tensor += fmt::format("{}{}", i == 0 ? "" : "\t", view.values[at]);
        }
        tensor += '\n';
        metadata += cellOf(textOf(view, row)) + '\n';
    }
    CANNERY_TRY(storage::writeFileAtomically(storage::joinPath(folder, "tensor.tsv"), tensor));
    CANNERY_TRY(storage::writeFileAtomically(storage::joinPath(folder, "metadata.tsv"), metadata));
    return storage::writeFileAtomically(
        config, fmt::format("embeddings {{\n  tensor_name: \"{}\"\n  tensor_path: \"tensor.tsv\"\n"
                            "  metadata_path: \"metadata.tsv\"\n}}\n",
                            view.column.empty() ? view.variable : view.column));
}

} // namespace cannery::app
