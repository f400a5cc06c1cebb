// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/browse_command.h"

#include "app/cannery/tables/browse_json.h"
#include "app/cannery/tables/browse_session.h"
#include "app/cannery/tables/table_look.h"
#include "core/reports/report_json.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <limits>

namespace cannery::app {

namespace {

constexpr ErrorKind kBadRange{"command.usage.bad_range", "{} must be from {} to {}, not {}."};

constexpr std::int64_t kBrowsedRows = 20;
constexpr std::int64_t kMostRows = data::TableBrowser::kMostRows;
// So that the first row and the number of rows have a sum.
constexpr std::int64_t kLastRow = std::numeric_limits<std::int64_t>::max() - kMostRows;

void showStep(const data::BrowseProgress& progress, Console& console)
{
    // Negative if the size is not known, as of a pipe.
    const double share = progress.total == 0 ? -1.0
                                             : static_cast<double>(progress.done) /
                                                   static_cast<double>(progress.total);
    console.advance(share, fmt::format("{} the table", name(progress.step)));
}

} // namespace

void BrowseCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment or a table");
    options.option("--first", "N", m_first, "the first row to show (default: 1)");
    options.option("--rows", "N", m_rows, "how many rows, up to 10000 (default: 20)");
    options.option("--filter", "FILTER", m_filter,
                   "only matching rows, such as 'age > 30 and education = \"Masters\"'");
    options.option("--sort", "COLUMN", m_sort, "sort by this column");
    options.flag("--descending", m_descending, "largest values first");
    m_reading.declare(options);
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--json", m_json, "print one JSON object");
    options.flag("--serve", m_serve,
                 "answer requests from standard input, one JSON object per line, until it ends");
    declareProgress(options, m_progress);
}

Result<void> BrowseCommand::checkNumbers() const
{
    if (m_first.value_or(1) < 1 || m_first.value_or(1) > kLastRow) {
        return fail(ErrorCode::InvalidArgument, kBadRange, "--first", 1, kLastRow, *m_first);
    }
    if (m_rows.value_or(1) < 1 || m_rows.value_or(1) > kMostRows) {
        return fail(ErrorCode::InvalidArgument, kBadRange, "--rows", 1, kMostRows, *m_rows);
    }
    return {};
}

/// Reads no further than these rows unless it must.
Result<data::RowsPage> BrowseCommand::page(data::TableBrowser& browser, int threads,
                                           Console& console) const
{
    const data::RowQuery query{
        .filter = m_filter.value_or(""), .sort = m_sort.value_or(""), .isDescending = m_descending};
    const auto first = static_cast<std::uint64_t>(m_first.value_or(1));
    const auto count = static_cast<std::uint64_t>(m_rows.value_or(kBrowsedRows));
    kernels::ThreadPool pool(threads);
    const data::BrowseWork work{
        .threads = kernels::lend(pool),
        .progress = [&](const data::BrowseProgress& progress) { showStep(progress, console); }};
    // Reading stops as soon as these rows are known; sorting and filtering need the whole table.
    CANNERY_TRY(browser.read({.work = work, .seen = [&](const data::TableScan&) {
                                  return !browser.isReady(query, first - 1, count);
                              }}));
    if (!browser.isReady(query, first - 1, count)) {
        CANNERY_TRY(browser.prepare(query, work));
    }
    return browser.page(query, first - 1, count);
}

void BrowseCommand::print(const data::TableBrowser& browser, const data::RowsPage& page,
                          Console& console) const
{
    if (m_json) {
        console.document(reports::reportJson(pageReport(browser.source().schema(), page)));
        return;
    }
    console.result(fmt::format("row | {}", fmt::join(browser.source().schema().names(), " | ")));
    for (std::size_t i = 0; i < page.texts.size(); ++i) {
        console.result(
            fmt::format("{} | {}", page.numbers[i] + 1, fmt::join(page.texts[i], " | ")));
    }
    if (page.texts.empty()) {
        console.note(page.total == 0 ? std::string("no rows")
                                     : fmt::format("there are only {} rows", page.total));
    } else {
        console.note(fmt::format("{}–{} of {}{}", page.first + 1, page.first + page.texts.size(),
                                 page.isSoFar ? "at least " : "", page.total));
    }
    if (const std::uint64_t bad = browser.extent().refused; bad > 0) {
        console.note(bad == 1 ? std::string("1 row cannot be read and is left out")
                              : fmt::format("{} rows cannot be read and are left out", bad));
    }
}

ExitCode BrowseCommand::run(Console& console)
{
    if (const Result<void> valid = checkNumbers(); !valid) {
        return reportFailure(console, valid.error());
    }
    console.setJsonProgress(m_progress == "json");
    const Result<ExperimentReport> input = readTableInput(m_file, m_overrides, m_reading);
    if (!input) {
        return reportFailure(console, withTableOptions(input.error()));
    }
    const spec::Data& data = input->experiment.data();
    const int threads = kernels::threadCount(input->experiment.run_config().threads());
    auto source = openLeniently(data, input->folder.string(), suggestionsFor(m_file));
    if (!source) {
        return reportFailure(console, withTableOptions(source.error()));
    }
    auto browser = data::TableBrowser::create(data, std::move(*source));
    if (!browser) {
        return reportFailure(console, browser.error());
    }
    if (m_serve) {
        BrowseSession(**browser, usesOfTable(data, (*browser)->source().schema()), threads, console)
            .run();
        return ExitCode::Done;
    }
    const Result<data::RowsPage> shown = page(**browser, threads, console);
    console.clearProgress();
    if (!shown) {
        return reportFailure(console, shown.error());
    }
    print(**browser, *shown, console);
    return ExitCode::Done;
}

} // namespace cannery::app
