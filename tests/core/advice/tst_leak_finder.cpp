// SPDX-License-Identifier: Apache-2.0
#include "core/advice/leak_finder.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::advice;

/// Columns that know the label.
class TstLeakFinder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aCopyOfTheClassIsALeak();
    void aNumberThatFollowsTheLabelIsALeak();
    void aValueOfItsOwnInEveryRowIsNoEvidence();

private:
    static constexpr int kRows = 600;

    Result<std::unique_ptr<data::DataSource>> table(const QByteArray& text) const
    {
        return tests::openByContent(tests::textFile(m_folder, "t.csv", text.toStdString()));
    }

    QTemporaryDir m_folder;
};

/// `code` is the class in other words; `hint` agrees in nine of ten rows, as good features do.
void TstLeakFinder::aCopyOfTheClassIsALeak()
{
    QByteArray text("code,hint,y\n");
    for (int row = 0; row < kRows; ++row) {
        const bool isYes = row % 3 == 0;
        const bool isHint = row % 10 == 0 ? !isYes : isYes;
        text += QByteArray(isYes ? "A1" : "B2") + (isHint ? ",up," : ",down,") +
                (isYes ? "yes\n" : "no\n");
    }
    const auto source = table(text);
    VERIFY_OK(source);
    const auto leaks = findLeaks(**source, "y", true, {"code", "hint"});
    VERIFY_OK(leaks);
    QCOMPARE(leaks->size(), std::size_t(1));
    QCOMPARE(leaks->front().column, std::string("code"));
    QCOMPARE(leaks->front().share, 1.0);
    QVERIFY(!leaks->front().isCorrelation);
}

/// The label in other units; `near` has noise as large as the label.
void TstLeakFinder::aNumberThatFollowsTheLabelIsALeak()
{
    QByteArray text("cents,near,y\n");
    for (int row = 0; row < kRows; ++row) {
        const int value = row * 37 % 101;
        const int noise = row * 53 % 97;
        text += QByteArray::number(-100 * value) + ',' + QByteArray::number(value + noise) + ',' +
                QByteArray::number(value) + ".5\n";
    }
    const auto source = table(text);
    VERIFY_OK(source);
    const auto leaks = findLeaks(**source, "y", false, {"cents", "near"});
    VERIFY_OK(leaks);
    QCOMPARE(leaks->size(), std::size_t(1));
    QCOMPARE(leaks->front().column, std::string("cents"));
    QVERIFY(leaks->front().isCorrelation && leaks->front().share > 0.999);
}

/// A key predicts every row that it was seen in, and no other.
void TstLeakFinder::aValueOfItsOwnInEveryRowIsNoEvidence()
{
    QByteArray text("key,y\n");
    for (int row = 0; row < kRows; ++row) {
        text += 'k' + QByteArray::number(row) + (row % 2 == 0 ? ",yes\n" : ",no\n");
    }
    const auto source = table(text);
    VERIFY_OK(source);
    const auto leaks = findLeaks(**source, "y", true, {"key"});
    VERIFY_OK(leaks);
    QVERIFY(leaks->empty());
}

CANNERY_TEST(TstLeakFinder)
#include "tst_leak_finder.moc"
