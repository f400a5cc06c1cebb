// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/options.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::app;

class TstOptions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void threadsAreANumberOfThreads();
};

void TstOptions::threadsAreANumberOfThreads()
{
    for (const auto& [text, count] : {std::pair("0", 0), {"1", 1}, {"1024", 1024}}) {
        OptionSet options;
        std::optional<std::int64_t> threads;
        options.threads(threads, "threads");
        VERIFY_OK(options.parse("train", {"--threads", text}));
        QCOMPARE(threads, std::optional<std::int64_t>(count));
    }
    for (const char* text : {"-5", "1025", "99999999999", "two", "2.5", ""}) {
        OptionSet options;
        std::optional<std::int64_t> threads;
        options.threads(threads, "threads");
        VERIFY_ERROR(options.parse("train", {std::string("--threads=") + text}), "command.usage");
    }
}

CANNERY_TEST(TstOptions)
#include "tst_options.moc"
