// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_or_table.h"

#include "core/base/catalog.h"
#include "core/data/sources/converted_source.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/annotations.pb.h"
#include "core/spec/data.pb.h"
#include "core/spec/problem.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tabular/other_formats.h"
#include "storage/tf/events/event_reader.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kIsATable{
    kIsATableId, "{0} is a table ({1}), not an experiment. Make an experiment of it with: cannery "
                 "new {0} --label COLUMN"};
constexpr ErrorKind kOtherFile{"spec.not_an_experiment",
                               "{} is not an experiment: {} Make an experiment of a table with: "
                               "cannery new TABLE --label COLUMN"};
constexpr ErrorKind kIsAFolder{"spec.is_a_folder",
                               "{} is a folder, not an experiment. Name {} instead."};

constexpr std::string_view kExperiment = ".cannery";
constexpr std::size_t kLookedAtBytes = std::size_t{64} << 10U;

/// What the schema calls this kind of source.
std::string labelOf(const spec::DataSource& source)
{
    const data::DataSourceRow* row = findRow(data::dataSourceCatalog(), source.kind_case());
    const auto* field = spec::DataSource::descriptor()->FindFieldByName(std::string(row->name));
    return field->options().GetExtension(spec::info).label();
}

/// By its name, or as its first two lines have equally many delimiters.
bool looksLikeTable(const fs::path& file, std::string_view text)
{
    const std::string name = file.filename().string();
    constexpr std::array<std::string_view, 4> kEndings{".csv", ".tsv", ".tab", ".gz"};
    const bool isNamedSo =
        std::any_of(kEndings.begin(), kEndings.end(),
                    [&](std::string_view ending) { return name.ends_with(ending); });
    const std::size_t first = std::min(text.find('\n'), text.size());
    const std::string_view header = text.substr(0, first);
    const std::string_view rest = text.substr(std::min(first + 1, text.size()));
    const std::string_view row = rest.substr(0, rest.find('\n'));
    constexpr std::string_view kDelimiters = ",;\t|";
    return isNamedSo || std::any_of(kDelimiters.begin(), kDelimiters.end(), [&](char delimiter) {
               const auto count = std::count(header.begin(), header.end(), delimiter);
               return count > 0 && count == std::count(row.begin(), row.end(), delimiter);
           });
}

Error folderInstead(const std::string& path)
{
    const std::string frozen = storage::joinPath(path, std::string(storage::kFrozenExperimentFile));
    if (storage::exists(frozen)) {
        return error(ErrorCode::InvalidArgument, kIsAFolder, path, frozen);
    }
    const Result<std::vector<std::string>> names = storage::listFolder(path);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
        if (name.ends_with(kExperiment)) {
            return error(ErrorCode::InvalidArgument, kIsAFolder, path,
                         storage::joinPath(path, name));
        }
    }
    return error(ErrorCode::InvalidArgument, kIsAFolder, path, "an experiment file (.cannery)");
}

/// What a file that no source recognises by its content is.
std::optional<Error> otherText(const fs::path& file, bool hasFields)
{
    const std::string path = file.string();
    const Result<std::string> start = data::startOfText(path, kLookedAtBytes);
    if (!start) {
        return error(ErrorCode::InvalidArgument, kOtherFile, path, start.error().sentence);
    }
    // What has fields of an experiment is one, with mistakes in it.
    if (hasFields || file.extension() == kExperiment) {
        return std::nullopt;
    }
    if (const std::optional<Error> other = storage::otherTextFormat(*start, path)) {
        return error(ErrorCode::InvalidArgument, kOtherFile, path, other->sentence);
    }
    if (start->find('\0') != std::string::npos) {
        return error(ErrorCode::InvalidArgument, kOtherFile, path, "it is not a text.");
    }
    return looksLikeTable(file, *start) ? error(ErrorCode::InvalidArgument, kIsATable, path, "CSV")
                                        : error(ErrorCode::InvalidArgument, kOtherFile, path,
                                                "nothing in it is a field of one.");
}

} // namespace

std::optional<Error> otherThanExperiment(const fs::path& file,
                                         const Result<spec::ParsedExperiment>& parsed)
{
    const std::string path = file.string();
    if (parsed && !spec::hasErrors(parsed->problems)) {
        return std::nullopt;
    }
    if (storage::isFolder(path)) {
        const spec::DataSource found = data::sourceOfFile(path);
        return survey::readsText(found)
                   ? folderInstead(path)
                   : error(ErrorCode::InvalidArgument, kIsATable, path, labelOf(found));
    }
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        return std::nullopt;
    }
    if (storage::isEventFile(file.filename().string())) {
        return error(ErrorCode::InvalidArgument, kOtherFile, path,
                     "it is an event file, which 'cannery inspect' shows.");
    }
    const spec::DataSource found = data::sourceOfFile(path);
    if (!survey::readsText(found)) {
        return error(ErrorCode::InvalidArgument, kIsATable, path, labelOf(found));
    }
    return otherText(file, parsed && parsed->experiment.ByteSizeLong() > 0);
}

} // namespace cannery::app
