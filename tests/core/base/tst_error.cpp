// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

namespace {

constexpr ErrorKind kTooShort{"test.too_short", "Row {} has {} fields; add the missing ones."};

Result<int> failing()
{
    return fail(ErrorCode::InvalidArgument, kTooShort, 7, "two");
}

Result<int> passingOn()
{
    CANNERY_TRY_ASSIGN(const int value, failing());
    return value + 1;
}

} // namespace

class TstError : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sentenceIsMadeFromArguments();
    void notesGrowOnTheWayUp();
    void tryPassesTheErrorOn();
};

void TstError::sentenceIsMadeFromArguments()
{
    const Error result = failing().error();
    QCOMPARE(result.sentence, std::string("Row 7 has two fields; add the missing ones."));
    QCOMPARE(result.id, std::string("test.too_short"));
    QCOMPARE(result.arguments, (std::vector<std::string>{"7", "two"}));
}

void TstError::notesGrowOnTheWayUp()
{
    const Error result = error(ErrorCode::InvalidArgument, kTooShort, 7, "two")
                             .with("reading a.csv")
                             .with("training")
                             .at("data.train");
    QCOMPARE(result.path, std::string("data.train"));
    QCOMPARE(result.message(), std::string("Row 7 has two fields; add the missing ones. "
                                           "[reading a.csv; training]"));
}

void TstError::tryPassesTheErrorOn()
{
    QCOMPARE(passingOn().error(), failing().error());
}

CANNERY_TEST(TstError)
#include "tst_error.moc"
