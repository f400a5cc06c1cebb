// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/tables/browse_request.h"
#include "core/data/table_browser.h"
#include "core/reports/browse.pb.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace cannery::app {

/// Answers requests about a table, one JSON object per line, each as soon as its answer is ready:
///
///   {"id":1,"rows":{"first":0,"count":200,"filter":"age > 30","sort":"age","descending":true}}
///       → {"id":1,"rows":{"first":0,"total":21406,"so_far":false,"numbers":[…],"texts":[[…]]}}
///   {"id":2,"statistics":{}} → {"id":2,"statistics":{"so_far":true,"rows":…,"columns":[…]}} four
///       times a second, the last one with "so_far":false
///   {"id":3,"bad_rows":{"first":0,"count":100}}
///       → {"id":3,"bad_rows":{"total":…,"so_far":…,"rows":[{"file","line","message","text"}]}}
///   {"id":4,"check":{"filter":"age >"}} → {"id":4,"check":{"error":{…}}}, or {} if it is valid
///   {"cancel":1} → {"id":1,"error":{"id":"data.browse_cancelled",…}}
///
/// Until a slow request is answered, {"id":1,"progress":{"doing","done","total"}} is sent at most
/// four times a second; a request that fails gets {"id":1,"error":{"id","sentence",…}}. The first
/// line has what is known before any row is read: {"table":{…}}. While the table is read, and at
/// its end, {"extent":{"rows","bad_rows","so_far"}} says how much of it is known. Ends with
/// standard input.
///
/// One thread reads the table, another filters and sorts it; the thread that reads the requests
/// answers those that need neither.
class BrowseSession
{
public:
    BrowseSession(data::TableBrowser& browser, std::vector<std::string> uses, int threads,
                  const Console& console);

    /// Returns at the end of standard input, after stopping all work.
    void run();

private:
    using Clock = std::chrono::steady_clock;

    struct Waiting
    {
        BrowseRequest request;
        std::stop_source stop;
        Clock::time_point lastSent; ///< when its progress was last sent
    };

    void take(const BrowseRequest& request);
    void takeRows(const BrowseRequest& request);
    void takeStatistics(std::int64_t id);
    void cancel(std::int64_t id);
    std::optional<data::FilterProblem> problemOf(const std::string& filter) const;

    void readTables();
    Result<void> readTable(bool withStatistics);
    bool isReadingWanted() const;
    void sendReadingProgress(const data::BrowseProgress& progress);
    void sendProgress(Waiting& waiting, const data::BrowseProgress& progress) const;
    void seen(const data::TableScan& scan, Clock::time_point& next);
    void failAll(const Error& error);

    void prepareRows();
    void prepare(Waiting& waiting);
    /// False if the rows are not ready.
    bool answer(const BrowseRequest& request);
    void answerReady();

    void send(const reports::BrowseLine& line) const;
    void write(const std::string& line) const;
    void fail(std::optional<std::int64_t> id, const Error& error) const;

    data::TableBrowser& m_browser;
    const std::vector<std::string> m_uses;
    const int m_threads;
    const Console& m_console;
    mutable std::mutex m_output;

    mutable std::mutex m_mutex; ///< guards the following
    std::condition_variable m_changed;
    std::list<Waiting> m_waiting;
    std::set<std::int64_t> m_statistics; ///< ids of the requests for them
    Waiting* m_preparing = nullptr;
    std::stop_source m_reading;
    bool m_isOver = false;
};

} // namespace cannery::app
