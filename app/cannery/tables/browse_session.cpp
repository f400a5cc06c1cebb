// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_session.h"

#include "app/cannery/tables/browse_json.h"
#include "core/base/error_json.h"
#include "core/base/line_reader.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace cannery::app {

namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(250);

} // namespace

BrowseSession::BrowseSession(data::TableBrowser& browser, std::vector<std::string> uses,
                             int threads, const Console& console)
    : m_browser(browser), m_uses(std::move(uses)), m_threads(threads), m_console(console)
{}

void BrowseSession::run()
{
    // First of all: the window shows its columns before any row is read.
    send(std::nullopt, "table", tableInfoJson(m_browser.source(), m_uses));
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
        send(request.id, "bad_rows",
             refusedJson(m_browser, request.first,
                         std::min(request.count, data::TableBrowser::kMostRows)));
        break;
    case BrowseRequest::Kind::Check: {
        const auto problem = problemOf(request.query.filter);
        send(request.id, "check",
             problem ? fmt::format(R"({{"error":{}}})", problemJson(*problem)) : "{}");
        break;
    }
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
        send(request.id, "error", problemJson(*problem));
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
        send(waiting.request.id, "progress", stepJson(progress));
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
    send(std::nullopt, "extent", extentJson(m_browser.extent()));
    next = begin + kProgressEvery;
    // A copy, since making the text may take long, and requests must be accepted meanwhile.
    std::unique_lock lock(m_mutex);
    const std::set<std::int64_t> wanted = m_statistics;
    lock.unlock();
    if (wanted.empty() || !scan.hasStatistics()) {
        return;
    }
    const std::string found =
        statisticsJson(m_browser.source().schema(), scan.statistics(), m_uses, !scan.isOver());
    lock.lock();
    for (const std::int64_t id : wanted) {
        // It may have been cancelled meanwhile, and has then been answered.
        if (m_statistics.contains(id)) {
            send(id, "statistics", found);
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
        send(request.id, "rows", pageJson(m_browser.source().schema(), *page));
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

void BrowseSession::send(std::optional<std::int64_t> id, std::string_view key,
                         std::string_view json) const
{
    const std::string begin = id ? fmt::format(R"("id":{},)", *id) : std::string();
    // Taken after m_mutex where both are held, never before it.
    const std::lock_guard lock(m_output);
    m_console.document(fmt::format(R"({{{}"{}":{}}})", begin, key, json));
    m_console.flush();
}

void BrowseSession::fail(std::optional<std::int64_t> id, const Error& error) const
{
    send(id, "error", errorObjectJson(error));
}

} // namespace cannery::app
