// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include <mutex>
#include <utility>
#include <vector>

/// Checks in threads that a test starts. Qt Test takes failures on its own thread only: they are
/// kept until the threads have ended.
namespace cannery::tests {

/// Ends a thread of a test whose further checks would need what is not there.
struct ThreadEnded
{};

class ThreadFailures
{
public:
    static void add(const char* condition, const char* file, int line)
    {
        const std::scoped_lock lock(s_mutex);
        s_all.push_back({condition, file, line});
    }

    /// Fails the running test if there are any; call it once the threads have ended.
    static void report()
    {
        const std::scoped_lock lock(s_mutex);
        for (const Failure& failure : std::exchange(s_all, {})) {
            QTest::qVerify(false, failure.condition, "in a thread of the test", failure.file,
                           failure.line);
        }
    }

    /// Prints the failures that no test reported.
    static int countUnreported()
    {
        const std::scoped_lock lock(s_mutex);
        for (const Failure& failure : s_all) {
            qWarning("%s:%d: %s does not hold, and no ThreadReport says so", failure.file,
                     failure.line, failure.condition);
        }
        return static_cast<int>(std::exchange(s_all, {}).size());
    }

private:
    struct Failure
    {
        const char* condition;
        const char* file;
        int line;
    };

    inline static std::mutex s_mutex;
    inline static std::vector<Failure> s_all;
};

/// Reports at its end. Declare it before the threads, so that they end first.
class ThreadReport
{
public:
    ThreadReport() = default;
    ThreadReport(const ThreadReport&) = delete;
    ThreadReport& operator=(const ThreadReport&) = delete;
    ~ThreadReport() { ThreadFailures::report(); }
};

/// Calls a function that may end its thread.
template <typename Function>
void runChecked(const Function& function)
{
    try {
        function();
    } catch (const ThreadEnded&) {
    }
}

} // namespace cannery::tests

/// Fails the test, and goes on: the other threads may be waiting for this one.
#define THREAD_VERIFY(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            cannery::tests::ThreadFailures::add(#condition, __FILE__, __LINE__);                   \
        }                                                                                          \
    } while (false)

/// Fails the test, and ends this function up to runChecked().
#define THREAD_REQUIRE(condition)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            cannery::tests::ThreadFailures::add(#condition, __FILE__, __LINE__);                   \
            throw cannery::tests::ThreadEnded();                                                   \
        }                                                                                          \
    } while (false)
