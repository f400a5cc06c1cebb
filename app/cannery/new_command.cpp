#include "app/cannery/new_command.h"

#include "app/cannery/leak_finder.h"
#include "app/cannery/starting_experiment.h"
#include "core/data/data_source.h"
#include "core/spec/experiment_file.h"
#include "core/spec/text_format.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kExists{"new.exists", "{} exists already, and 'cannery new' never overwrites; "
                                          "give another name with --output."};
constexpr ErrorKind kLabelNeeded{
    "command.usage", "Which column is the label? Say it with --label. The columns are: {}."};
/// Enough of the most frequent values to write a whole vocabulary.
constexpr std::size_t kTopValues = 128;

spec::DataSource csvSource(const std::string& file)
{
    spec::DataSource source;
    source.mutable_csv()->add_files(file);
    return source;
}

/// A text that keeps a numeric column from being one is taken as missing.
std::vector<spec::Column> suggestedColumns(const data::TableSchema& schema)
{
    std::vector<spec::Column> columns;
    for (const data::ColumnSchema& column : schema.columns) {
        if (!column.suggestedMissingToken.empty()) {
            spec::Column entry;
            entry.set_name(column.name);
            entry.add_missing_token(column.suggestedMissingToken);
            columns.push_back(std::move(entry));
        }
    }
    return columns;
}

Result<std::unique_ptr<data::DataSource>> openTable(const std::string& file)
{
    const spec::DataSource source = csvSource(file);
    CANNERY_TRY_ASSIGN(std::unique_ptr<data::DataSource> opened, data::openDataSource(source, {}));
    const std::vector<spec::Column> columns = suggestedColumns(opened->schema());
    if (columns.empty()) {
        return opened;
    }
    return data::openDataSource(source, {.columns = columns});
}

Result<data::TableStatistics> statisticsOf(const data::DataSource& source)
{
    data::ChunkRequest request;
    for (const std::string& column : source.schema().names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    data::StatisticsCollector collector({.topValues = kTopValues});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return collector.finish();
        }
        collector.add(*chunk);
    }
}

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::string experimentText(const StartingExperiment& starting, const std::string& table)
{
    std::string text = fmt::format("# A starting experiment for {}: {}.\n", table, starting.task);
    for (const ColumnRemark& remark : starting.leftOut) {
        text += fmt::format("# Left out: {} ({}).\n", remark.column, remark.remark);
    }
    for (const ColumnRemark& remark : starting.warnings) {
        text += fmt::format("# Warning: {} {}.\n", remark.column, remark.remark);
    }
    return text + spec::printExperiment(starting.experiment);
}

nlohmann::ordered_json toJson(const std::vector<ColumnRemark>& remarks)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ColumnRemark& remark : remarks) {
        list.push_back({{"column", remark.column}, {"remark", remark.remark}});
    }
    return list;
}

nlohmann::ordered_json columnsJson(const data::TableSchema& schema)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const data::ColumnSchema& column : schema.columns) {
        list.push_back({{"name", column.name},
                        {"dtype", std::string(name(column.dtype))},
                        {"reason", column.reason},
                        {"kind", std::string(data::name(column.kind))},
                        {"kind_reason", column.kindReason},
                        {"missing", column.missing},
                        {"distinct", column.distinct}});
    }
    return list;
}

Result<void> addLeakWarnings(StartingExperiment& starting, const data::DataSource& source,
                             const std::string& label)
{
    std::vector<std::string> columns;
    for (const std::string& column : source.schema().names()) {
        const bool leftOut =
            std::any_of(starting.leftOut.begin(), starting.leftOut.end(),
                        [&](const ColumnRemark& remark) { return remark.column == column; });
        if (column != label && !leftOut) {
            columns.push_back(column);
        }
    }
    const bool classification = starting.task != "regression";
    CANNERY_TRY_ASSIGN(const std::vector<Leak> leaks,
                       findLeaks(source, label, classification, columns));
    for (const Leak& leak : leaks) {
        starting.warnings.push_back(
            {leak.column, fmt::format("tells the label almost by itself ({:.1f} %); if it is only "
                                      "known after the fact, take it out",
                                      100.0 * leak.share)});
    }
    return {};
}

Result<StartingExperiment> startFrom(const data::DataSource& source, const std::string& label,
                                     const std::string& estimator)
{
    CANNERY_TRY_ASSIGN(data::TableStatistics statistics, statisticsOf(source));
    CANNERY_TRY_ASSIGN(StartingExperiment starting,
                       makeStartingExperiment({.schema = source.schema(),
                                               .statistics = std::move(statistics),
                                               .label = label,
                                               .estimator = estimator}));
    CANNERY_TRY(addLeakWarnings(starting, source, label));
    return starting;
}

/// The data file as the experiment says it: relative to the experiment's folder.
std::string relativeTo(const fs::path& folder, const fs::path& file)
{
    std::error_code code;
    const fs::path relative = fs::relative(file, folder.empty() ? "." : folder, code);
    return code || relative.empty() ? fs::absolute(file).string() : relative.string();
}

} // namespace

void NewCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_table, "a CSV or TSV file");
    options.option("--label", "COLUMN", m_label, "the column to predict");
    options.choice("--estimator", estimatorChoices(), m_estimator,
                   "what to train (default: auto, a wide and deep model)");
    options.option("--output", "FILE", m_output, "where to write (default: beside the table)");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode NewCommand::run(Console& console)
{
    const fs::path table(m_table);
    const fs::path output =
        m_output ? fs::path(*m_output) : fs::path(table).replace_extension(".cannery");
    if (fs::exists(output)) {
        return reportFailure(console, error(ErrorCode::AlreadyExists, kExists, output.string()));
    }
    const Result<std::unique_ptr<data::DataSource>> source = openTable(m_table);
    if (!source) {
        return reportFailure(console, source.error());
    }
    if (!m_label) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kLabelNeeded,
                                            joined((*source)->schema().names())));
    }
    Result<StartingExperiment> starting = startFrom(**source, *m_label, m_estimator.value_or(""));
    if (!starting) {
        return reportFailure(console, starting.error());
    }
    starting->experiment.set_name(table.stem().string());
    *starting->experiment.mutable_data()->mutable_train() =
        csvSource(relativeTo(output.parent_path(), table));
    const std::string text = experimentText(*starting, table.filename().string());
    if (const Result<void> saved = spec::saveExperiment(output, text); !saved) {
        return reportFailure(console, saved.error());
    }
    if (m_json) {
        console.result(nlohmann::ordered_json({{"file", output.string()},
                                               {"task", starting->task},
                                               {"columns", columnsJson((*source)->schema())},
                                               {"left_out", toJson(starting->leftOut)},
                                               {"warnings", toJson(starting->warnings)}})
                           .dump(2));
        return ExitCode::Done;
    }
    for (const ColumnRemark& remark : starting->leftOut) {
        console.note(fmt::format("left out {}: {}", remark.column, remark.remark));
    }
    for (const ColumnRemark& remark : starting->warnings) {
        console.note(fmt::format("warning: {} {}", remark.column, remark.remark));
    }
    console.note(fmt::format("{}: {}. Train it with: cannery train {}", m_table, starting->task,
                             output.string()));
    console.result(output.string());
    return ExitCode::Done;
}

} // namespace cannery::app
