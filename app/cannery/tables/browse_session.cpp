// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_session.h"

#include "app/cannery/tables/browse_json.h"
#include "core/base/line_reader.h"
#include "core/reports/report_json.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <map>
#include <unistd.h>
#include <utility>

namespace cannery::app {

namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(250);

reports::BrowseLine answerTo(std::int64_t id)
{
    reports::BrowseLine line;
    line.set_id(id);
    return line;
}

} // namespace

BrowseSession::BrowseSession(data::TableBrowser& browser, std::vector<std::string> uses,
                             int threads, const Console& console)
    : m_browser(browser), m_uses(std::move(uses)), m_threads(threads), m_console(console)
{}

void BrowseSession::run()
{
    // First of all: the window shows its columns before any row is read.
    reports::BrowseLine first;
    *first.mutable_table() = tableReport(m_browser.source(), m_uses);
    send(first);
    // Three threads: this one answers what takes no time, also a cancellation, while one reads the
    // table and one filters and sorts.
    std::jthread reading([this] { readTables(); });
    std::jthread preparing([this] { prepareRows(); });
    LineReader lines(STDIN_FILENO);
    while (const std::optional<std::string> line = lines.next()) {
        if (const auto request = parseBrowseRequest(*line)) {
            take(*request);
        } else {
            fail(request.error().id, request.error().error);
        }
    }
    // Input has ended, so nobody waits for an answer. The threads are joined at the end of this
    // function.
    const std::lock_guard lock(m_mutex);
    m_isOver = true;
    m_reading.request_stop();
    if (m_preparing != nullptr) {
        m_preparing->stop.request_stop();
    }
    m_changed.notify_all();
}

void BrowseSession::take(const BrowseRequest& request)
{
    reports::BrowseLine line = answerTo(request.id);
    switch (request.kind) {
    case BrowseRequest::Kind::Nothing:
        break;
    case BrowseRequest::Kind::Rows:
        takeRows(request);
        break;
    case BrowseRequest::Kind::Statistics:
        takeStatistics(request.id);
        break;
    case BrowseRequest::Kind::BadRows:
        *line.mutable_bad_rows() = refusedReport(
            m_browser, request.first, std::min(request.count, data::TableBrowser::kMostRows));
        send(line);
        break;
    case BrowseRequest::Kind::Check:
        // The answer to a filter that can be read has no members.
        line.mutable_check();
        if (const auto problem = problemOf(request.query.filter)) {
            *line.mutable_check()->mutable_error() = problemReport(*problem);
        }
        send(line);
        break;
    case BrowseRequest::Kind::Cancel:
        cancel(request.id);
        break;
    }
}

std::optional<data::FilterProblem> BrowseSession::problemOf(const std::string& filter) const
{
    auto parsed = data::RowFilter::parse(filter, m_browser.source().schema());
    return parsed ? std::nullopt : std::optional(std::move(parsed).error());
}

void BrowseSession::takeRows(const BrowseRequest& request)
{
    if (const auto problem = problemOf(request.query.filter)) {
        reports::BrowseLine line = answerTo(request.id);
        *line.mutable_error() = problemReport(*problem);
        send(line);
    } else if (!answer(request)) {
        // Requests whose rows are ready are answered here, however long the queue is.
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({.request = request});
        m_changed.notify_all();
    }
}

void BrowseSession::takeStatistics(std::int64_t id)
{
    const std::lock_guard lock(m_mutex);
    m_statistics.insert(id);
    m_changed.notify_all();
}

/// Waiting requests are answered here, the one being prepared by its own thread. Reading stops once
/// nobody waits for it.
void BrowseSession::cancel(std::int64_t id)
{
    const std::lock_guard lock(m_mutex);
    const std::size_t cancelled =
        std::erase_if(m_waiting, [&](const Waiting& one) { return one.request.id == id; }) +
        m_statistics.erase(id);
    if (cancelled > 0) {
        fail(id, error(ErrorCode::Cancelled, data::kBrowseCancelled));
    } else if (m_preparing != nullptr && m_preparing->request.id == id) {
        m_preparing->stop.request_stop();
    }
    if (!isReadingWanted()) {
        m_reading.request_stop();
    }
}

/// Also while requests for rows wait for the whole table.
bool BrowseSession::isReadingWanted() const
{
    return !m_statistics.empty() || (!m_waiting.empty() && !m_browser.extent().isWhole);
}

void BrowseSession::readTables()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_isOver || isReadingWanted(); });
        if (m_isOver) {
            return;
        }
        // A stop token cannot be taken back: each reading has its own.
        m_reading = {};
        const bool withStatistics = !m_statistics.empty();
        lock.unlock();
        const Result<void> done = readTable(withStatistics);
        if (!done && done.error().code != ErrorCode::Cancelled) {
            failAll(done.error());
        }
        answerReady();
        lock.lock();
        m_changed.notify_all();
    }
}

Result<void> BrowseSession::readTable(bool withStatistics)
{
    kernels::ThreadPool pool(m_threads);
    std::stop_token stop;
    {
        const std::lock_guard lock(m_mutex);
        stop = m_reading.get_token();
    }
    Clock::time_point next;
    CANNERY_TRY(m_browser.read(
        {.work = {.threads = kernels::lend(pool),
                  .stop = stop,
                  .progress =
                      [this](const data::BrowseProgress& done) { sendReadingProgress(done); }},
         .withStatistics = withStatistics,
         .seen = [&](const data::TableScan& scan) {
             seen(scan, next);
             return true;
         }}));
    return {};
}

void BrowseSession::sendReadingProgress(const data::BrowseProgress& progress)
{
    const std::lock_guard lock(m_mutex);
    for (Waiting& waiting : m_waiting) {
        sendProgress(waiting, progress);
    }
}

void BrowseSession::sendProgress(Waiting& waiting, const data::BrowseProgress& progress) const
{
    if (Clock::now() - waiting.lastSent >= kProgressEvery) {
        waiting.lastSent = Clock::now();
        reports::BrowseLine line = answerTo(waiting.request.id);
        *line.mutable_progress() = stepReport(progress);
        send(line);
    }
}

/// Statistics of a wide table may take longer than the interval; they get at most a fifth of the
/// time.
void BrowseSession::seen(const data::TableScan& scan, Clock::time_point& next)
{
    answerReady();
    const Clock::time_point begin = Clock::now();
    if (!scan.isOver() && begin < next) {
        return;
    }
    reports::BrowseLine extent;
    *extent.mutable_extent() = extentReport(m_browser.extent());
    send(extent);
    next = begin + kProgressEvery;
    // A copy, since making the text may take long, and requests must be accepted meanwhile.
    std::unique_lock lock(m_mutex);
    const std::set<std::int64_t> wanted = m_statistics;
    lock.unlock();
    if (wanted.empty() || !scan.hasStatistics()) {
        return;
    }
    reports::BrowseLine found;
    *found.mutable_statistics() =
        statisticsReport(m_browser.source().schema(), scan.statistics(), m_uses, !scan.isOver());
    std::map<std::int64_t, std::string> lines;
    for (const std::int64_t id : wanted) {
        found.set_id(id);
        lines[id] = reports::reportJson(found);
    }
    lock.lock();
    for (const auto& [id, line] : lines) {
        // It may have been cancelled meanwhile, and has then been answered.
        if (m_statistics.contains(id)) {
            write(line);
        }
        if (scan.isOver()) {
            m_statistics.erase(id);
        }
    }
    const Clock::duration taken = Clock::now() - begin;
    next = begin + std::max<Clock::duration>(kProgressEvery, 5 * taken);
}

void BrowseSession::failAll(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    for (const Waiting& waiting : m_waiting) {
        fail(waiting.request.id, error);
    }
    for (const std::int64_t id : m_statistics) {
        fail(id, error);
    }
    m_waiting.clear();
    m_statistics.clear();
}

void BrowseSession::prepareRows()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] {
            return m_isOver || (!m_waiting.empty() && m_browser.extent().isWhole);
        });
        if (m_isOver) {
            return;
        }
        Waiting waiting = std::move(m_waiting.front());
        m_waiting.pop_front();
        // Under the lock, by which cancel() reaches it.
        m_preparing = &waiting;
        lock.unlock();
        prepare(waiting);
        lock.lock();
        m_preparing = nullptr;
    }
}

void BrowseSession::prepare(Waiting& waiting)
{
    // The request before may have prepared the same rows.
    if (answer(waiting.request)) {
        return;
    }
    kernels::ThreadPool pool(m_threads);
    const Result<void> done = m_browser.prepare(
        waiting.request.query, {.threads = kernels::lend(pool),
                                .stop = waiting.stop.get_token(),
                                .progress = [&](const data::BrowseProgress& progress) {
                                    sendProgress(waiting, progress);
                                }});
    if (!done) {
        fail(waiting.request.id, done.error());
    } else if (!answer(waiting.request)) {
        const std::lock_guard lock(m_mutex); // it was displaced meanwhile
        m_waiting.push_back(std::move(waiting));
    }
}

bool BrowseSession::answer(const BrowseRequest& request)
{
    if (!m_browser.isReady(request.query, request.first, request.count)) {
        return false;
    }
    const Result<data::RowsPage> page = m_browser.page(request.query, request.first, request.count);
    // Displaced between the two calls by another query.
    if (!page && page.error().code == ErrorCode::Unavailable) {
        return false;
    }
    if (page) {
        reports::BrowseLine line = answerTo(request.id);
        *line.mutable_rows() = pageReport(m_browser.source().schema(), *page);
        send(line);
    } else {
        fail(request.id, page.error());
    }
    return true;
}

void BrowseSession::answerReady()
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_waiting, [this](const Waiting& waiting) { return answer(waiting.request); });
}

void BrowseSession::send(const reports::BrowseLine& line) const
{
    write(reports::reportJson(line));
}

void BrowseSession::write(const std::string& line) const
{
    // Taken after m_mutex where both are held, never before it.
    const std::lock_guard lock(m_output);
    m_console.document(line);
    m_console.flush();
}

void BrowseSession::fail(std::optional<std::int64_t> id, const Error& error) const
{
    reports::BrowseLine line;
    if (id) {
        line.set_id(*id);
    }
    *line.mutable_error() = errorReport(error);
    send(line);
}

} // namespace cannery::app
