// SPDX-License-Identifier: Apache-2.0
#include "core/advice/total_row.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::advice;

/// Rows of reports that sum up the rows above them.
class TstTotalRow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSumBelowIsFound();
    void theMeanBelowIsFound();
    void aRowThatIsOnlyCalledSoIsARow();
    void subtotalsAreRemarked();

private:
    static QByteArray regions(int count)
    {
        QByteArray text;
        for (int row = 0; row < count; ++row) {
            text += "region " + QByteArray::number(row) + ',' + QByteArray::number(10 + row) + ',' +
                    QByteArray::number(3 * row + 1) + '\n';
        }
        return text;
    }

    Result<std::unique_ptr<data::DataSource>> table(const QByteArray& text) const
    {
        return tests::openByContent(tests::textFile(m_folder, "t.csv", text.toStdString()));
    }

    QTemporaryDir m_folder;
};

void TstTotalRow::theSumBelowIsFound()
{
    // 10 + … + 19 = 145, 1 + 4 + … + 28 = 145
    const auto source = table("region,units,sales\n" + regions(10) + "Total,145,145\n");
    VERIFY_OK(source);
    const auto found = findTotalRows(**source);
    VERIFY_OK(found);
    QCOMPARE(QByteArray::fromStdString(found->text), QByteArray("Total"));
    QVERIFY2(found->remark.find("sum of units, sales") != std::string::npos, found->remark.c_str());
    QVERIFY(found->notes.empty());
}

void TstTotalRow::theMeanBelowIsFound()
{
    const auto source = table("region,units,sales\n" + regions(10) + "Average,14.5,14.5\n");
    VERIFY_OK(source);
    const auto found = findTotalRows(**source);
    VERIFY_OK(found);
    QVERIFY2(found->remark.find("mean of units, sales") != std::string::npos,
             found->remark.c_str());
}

void TstTotalRow::aRowThatIsOnlyCalledSoIsARow()
{
    const auto source = table("region,units,sales\n" + regions(10) + "Total,14,9\n");
    VERIFY_OK(source);
    const auto found = findTotalRows(**source);
    VERIFY_OK(found);
    QVERIFY2(found->text.empty() && found->remark.empty(), found->remark.c_str());
}

/// They cannot be told from other rows by their beginning, so they are only named.
void TstTotalRow::subtotalsAreRemarked()
{
    QByteArray text("region,units\n");
    for (int part = 0; part < 3; ++part) {
        for (int row = 0; row < 5; ++row) {
            text += "shop " + QByteArray::number(row) + ',' + QByteArray::number(part + row) + '\n';
        }
        text += "Subtotal," + QByteArray::number(5 * part + 10) + '\n';
    }
    const auto source = table(text);
    VERIFY_OK(source);
    const auto found = findTotalRows(**source);
    VERIFY_OK(found);
    QCOMPARE(found->notes.size(), std::size_t(1));
    QVERIFY2(found->notes.front().find("Subtotal") != std::string::npos,
             found->notes.front().c_str());
}

CANNERY_TEST(TstTotalRow)
#include "tst_total_row.moc"
