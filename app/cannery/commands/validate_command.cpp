// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/validate_command.h"

#include "app/cannery/input/experiment_input.h"
#include "core/base/catalog.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/validation.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"
#include "storage/tf/metadata_schema.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoSuchEnvironment{
    "command.usage.no_such_environment",
    "{} names no environment \"{}\".{} Name one of its environments: {}."};
constexpr ErrorKind kNoEnvironments{
    "command.usage.no_environments",
    "{} has no environments: leave out --environment, or add default_environment."};
constexpr ErrorKind kEnvironmentOfNothing{
    "command.usage.environment_of_nothing",
    "--environment is one of a schema, and there is none: name it with --schema."};

/// Enough to compare categories value by value.
constexpr std::size_t kComparedValues = 10'000;

/// What is to be compared with what.
struct Tables
{
    spec::DataSource train;
    std::optional<spec::DataSource> eval;
    data::SourceOptions options;
    std::string evalFolder; ///< base of the evaluation table's relative paths
};

Result<DescribedTable> describeTable(const spec::DataSource& message, data::SourceOptions options)
{
    // Bad rows are counted and reported; they do not end the comparison.
    options.badRows = spec::BadRows::SKIP;
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                       data::openDataSource(message, options));
    data::ChunkRequest request;
    for (const std::string& column : source->schema().names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
    data::StatisticsCollector collector({.topValues = kComparedValues});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        CANNERY_TRY(collector.add(*chunk));
    }
    return DescribedTable{source->schema(), collector.finish(), stream->report().badRowCount};
}

Result<Tables> tablesOf(const std::string& file, const std::optional<std::string>& evalFile,
                        const TableReading& reading)
{
    Tables tables;
    if (std::filesystem::path(file).extension() == ".cannery") {
        CANNERY_TRY_ASSIGN(const spec::ParsedExperiment parsed, loadExperimentFile(file));
        const spec::Data& data = parsed.experiment.data();
        tables.train = data.train();
        tables.options.folder = storage::parentFolder(file);
        tables.evalFolder = tables.options.folder;
        tables.options.columns.assign(data.column().begin(), data.column().end());
        if (data.has_eval()) {
            tables.eval = data.eval();
        }
    } else {
        tables.train = survey::sourceOfTable(file);
        if (const std::optional<data::SplitPair> splits = data::splitsOf(tables.train);
            splits && !evalFile) {
            tables.eval = tables.train;
            survey::setField(tables.train, "split", splits->train);
            survey::setField(*tables.eval, "split", splits->eval);
        }
    }
    if (evalFile) {
        tables.eval = survey::sourceOfTable(*evalFile);
        // Options of reading, such as a delimiter, hold for a table of the same kind only.
        if (tables.eval->kind_case() == tables.train.kind_case()) {
            CANNERY_TRY(reading.apply(*tables.eval, *evalFile));
        }
        // A file from the command line is relative to the working folder, not to the experiment's.
        tables.evalFolder.clear();
    }
    CANNERY_TRY(reading.apply(tables.train, file));
    return tables;
}

Result<void> checkEnvironment(const ValidationReport& report, const std::string& environment)
{
    if (report.schemaFile.empty()) {
        return fail(ErrorCode::InvalidArgument, kEnvironmentOfNothing);
    }
    const std::vector<std::string> known = report.schema.environments();
    if (known.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoEnvironments, report.schemaFile);
    }
    if (std::find(known.begin(), known.end(), environment) != known.end()) {
        return {};
    }
    std::string all;
    for (const std::string& each : known) {
        all += (all.empty() ? "" : ", ") + each;
    }
    return fail(ErrorCode::InvalidArgument, kNoSuchEnvironment, report.schemaFile, environment,
                suggestion(environment, known), all);
}

} // namespace

void ValidateCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file,
                     "a table of any kind, or an experiment; the splits of a folder are compared");
    options.option("--schema", "FILE", m_schema,
                   "a schema.pbtxt (default: the one that the experiment or the folder has)");
    options.option("--environment", "NAME", m_environment,
                   "an environment of the schema, such as SERVING: what it is without may be "
                   "missing");
    options.option("--eval", "FILE", m_eval,
                   "a table to compare with (default: data.eval of the experiment)");
    m_reading.declare(options);
    options.flag("--json", m_json, "print one JSON object");
}

Result<ValidationReport> ValidateCommand::validate() const
{
    CANNERY_TRY_ASSIGN(Tables tables, tablesOf(m_file, m_eval, m_reading));
    ValidationReport report;
    if (m_schema) {
        report.schemaFile = *m_schema;
    } else {
        CANNERY_TRY_ASSIGN(report.schemaFile,
                           data::schemaFile(tables.train, tables.options.folder));
    }
    if (!report.schemaFile.empty()) {
        CANNERY_TRY_ASSIGN(report.schema, storage::readMetadataSchema(report.schemaFile));
    }
    const std::string environment = m_environment.value_or("");
    if (!environment.empty()) {
        CANNERY_TRY(checkEnvironment(report, environment));
    }
    // What the schema and the records disagree on is found here, and stops no reading.
    survey::setField(tables.train, "schema", "");
    CANNERY_TRY_ASSIGN(report.train, describeTable(tables.train, tables.options));
    const auto anomaliesOf = [&](const DescribedTable& table) {
        return report.schemaFile.empty() ? std::vector<data::Anomaly>()
                                         : data::findAnomalies(table.schema, table.statistics,
                                                               report.schema, environment);
    };
    report.anomalies = anomaliesOf(report.train);
    if (tables.eval) {
        survey::setField(*tables.eval, "schema", "");
        data::SourceOptions options = tables.options;
        options.folder = tables.evalFolder;
        // Read with the types of the training rows, or they could not be compared.
        options.like = &report.train.schema;
        CANNERY_TRY_ASSIGN(report.eval, describeTable(*tables.eval, options));
        report.evalAnomalies = anomaliesOf(*report.eval);
        report.distances = data::distancesOf(report.train.schema, report.train.statistics,
                                             report.eval->statistics);
        const std::vector<data::Anomaly> skew = data::findSkew(report.distances, report.schema);
        report.anomalies.insert(report.anomalies.end(), skew.begin(), skew.end());
    }
    return report;
}

ExitCode ValidateCommand::run(Console& console)
{
    const Result<ValidationReport> report = validate();
    if (!report) {
        return reportFailure(console, withTableOptions(report.error()));
    }
    if (m_json) {
        console.document(validationJson(*report));
    } else {
        for (const std::string& line : validationLines(*report)) {
            console.result(line);
        }
    }
    return report->isSound() ? ExitCode::Done : ExitCode::Failed;
}

} // namespace cannery::app
