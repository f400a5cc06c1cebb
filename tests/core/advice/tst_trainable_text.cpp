// SPDX-License-Identifier: Apache-2.0
#include "core/advice/trainable_text.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::advice;

/// What `cannery new` checks of an experiment before it writes it.
class TstTrainableText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatTrainsIsAccepted();
    void whatWouldNotTrainSaysWhy_data();
    void whatWouldNotTrainSaysWhy();
    void commentsAreOneLine();

private:
    /// Of a table with the columns x and y, of which x = `third` in its third row.
    Result<void> check(const std::string& replaced, const std::string& by,
                       const std::string& third = "3.5") const
    {
        tests::textFile(m_folder, "t.csv", "x,y\n1.5,0\n2.5,1\n" + third + ",0\n4,1\n");
        std::string text = R"(
            name: "Small"
            data { train { csv { files: "t.csv" } } label { column: "y" } }
            feature_column { name: "x" numeric_column { key: "x" } }
            estimator { linear_classifier { feature_columns: "x" n_classes: 2 } }
            train_spec { max_steps: 1 }
        )";
        if (!replaced.empty()) {
            text.replace(text.find(replaced), replaced.size(), by);
        }
        return checkTrains(text, m_folder.path().toStdString());
    }

    QTemporaryDir m_folder;
};

void TstTrainableText::whatTrainsIsAccepted()
{
    VERIFY_OK(check("", ""));
    VERIFY_OK(check("max_steps: 1", "max_steps: 100"));
}

void TstTrainableText::whatWouldNotTrainSaysWhy_data()
{
    QTest::addColumn<std::string>("replaced");
    QTest::addColumn<std::string>("by");
    QTest::addColumn<std::string>("third");
    QTest::addColumn<std::string>("said");
    const std::string none;
    const std::string number = "3.5";
    QTest::newRow("no such field") << std::string("max_steps") << std::string("max_stepps")
                                   << number << std::string("max_stepps");
    QTest::newRow("no such table")
        << std::string("t.csv") << std::string("u.csv") << number << std::string("u.csv");
    QTest::newRow("no such column")
        << std::string("key: \"x\"") << std::string("key: \"z\"") << number << std::string("z");
    QTest::newRow("a missing number") << none << none << none << std::string("t.csv:4");
    QTest::newRow("a class too many")
        << std::string("column: \"y\"") << std::string("column: \"x\"") << std::string("3")
        << std::string("x");
}

void TstTrainableText::whatWouldNotTrainSaysWhy()
{
    QFETCH(const std::string, replaced);
    QFETCH(const std::string, by);
    QFETCH(const std::string, third);
    QFETCH(const std::string, said);
    const auto refused = check(replaced, by, third);
    VERIFY_ERROR(refused, "new.not_trainable");
    QVERIFY2(refused.error().sentence.find(said) != std::string::npos,
             refused.error().sentence.c_str());
}

void TstTrainableText::commentsAreOneLine()
{
    QCOMPARE(inOneLine("a\nb\tc\x7F\x1B"), std::string("a b c  "));
    QCOMPARE(inOneLine("größer, \"so\""), std::string("größer, \"so\""));
    QCOMPARE(inOneLine(""), std::string());
}

CANNERY_TEST(TstTrainableText)
#include "tst_trainable_text.moc"
