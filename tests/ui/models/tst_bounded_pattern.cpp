// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/bounded_pattern.h"
#include "ui/models/curves/tag_list_model.h"
#include "ui/models/markup.h"
#include "ui/models/runs/run_filter.h"

#include <QTest>

using namespace cannery::ui;

namespace {

const QString kTooSlow = "This pattern takes too long; avoid nested repeats such "
                         "as (a*)*.";

} // namespace

/// Patterns and filters that a user types, or from a project's saved view, always end soon.
class TstBoundedPattern : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ordinaryPatternsMatchAsEver()
    {
        const BoundedPattern pattern("layer_(\\d+)/w.*s$");
        QVERIFY(pattern.matches("dnn/layer_12/weights"));
        QVERIFY(!pattern.matches("dnn/layer_/weights"));
        QVERIFY(pattern.problem().isEmpty());
        const BoundedPattern ahead("loss(?!_train)", QRegularExpression::CaseInsensitiveOption);
        QVERIFY(ahead.matches("eval/LOSS"));
        QVERIFY(!ahead.matches("loss_train"));
    }

    void endlessPatternsGiveUpWithASentence_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::newRow("nested repeats") << "(x+x+)+[yz]";
        QTest::newRow("everything twice") << "(.*)*(.*)*(.*)*(.*)*(.*)*[yz]";
        QTest::newRow("its own limits") << "(*LIMIT_MATCH=4000000000)(x+x+)+[yz]";
        QTest::newRow("the same twice") << "^(x|x)+[yz]$";
    }

    void endlessPatternsGiveUpWithASentence()
    {
        QFETCH(QString, pattern);
        TagListModel model;
        QSet<QString> tags;
        for (int i = 0; i < 20'000; ++i) {
            tags.insert(QString(200, 'x') + QString::number(i));
        }
        model.setTags(tags);
        model.setFilter(pattern);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.matcher().problem(), kTooSlow);
    }

    void longAndDeepOnesAreRefused()
    {
        QCOMPARE(BoundedPattern(QString(20'000, '(')).problem(),
                 "The pattern has 20000 characters; use at most 1000.");
        QVERIFY(BoundedPattern(QString(900, '(') + QString(900, ')'))
                    .problem()
                    .startsWith("The pattern has 1800 characters"));
        QVERIFY(BoundedPattern(QString(400, '(') + QString(400, ')'))
                    .problem()
                    .startsWith("This is not a regular expression: "));
    }

    void deepRunFiltersAreRefused()
    {
        const RunFilter deep =
            RunFilter::parse(QString(200'000, '(') + "auc > 0.9" + QString(200'000, ')'));
        QVERIFY(deep.error());
        QCOMPARE(deep.error()->sentence, "Brackets and 'not' are nested more than 100 deep; "
                                         "simplify the filter.");
        QVERIFY(RunFilter::parse(QString("not ").repeated(200'000) + "star").error());
        const RunFilter fine = RunFilter::parse(QString(30, '(') + "star" + QString(30, ')'));
        QVERIFY(!fine.error());
    }

    void onlyLinksStayMarkup_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("safe");
        QTest::addColumn<QString>("plain");
        const QString link = "See the <a href=\"page:data\">Data page</a>.";
        QTest::newRow("a link") << link << link << "See the Data page.";
        QTest::newRow("our colour") << "<span style=\"color:#b00;font-weight:600\">Failed.</span>"
                                    << "<span style=\"color:#b00;font-weight:600\">Failed.</span>"
                                    << "Failed.";
        QTest::newRow("an image") << "<img src='file:///dev/zero'>"
                                  << "&lt;img src='file:///dev/zero'>"
                                  << "<img src='file:///dev/zero'>";
        QTest::newRow("a ground") << "<span style=\"background-image:url(/dev/zero)\">"
                                  << "&lt;span style=\"background-image:url(/dev/zero)\">"
                                  << "<span style=\"background-image:url(/dev/zero)\">";
        QTest::newRow("a link with more") << "<a href=\"x\" style=\"a\">"
                                          << "&lt;a href=\"x\" style=\"a\">"
                                          << "<a href=\"x\" style=\"a\">";
        QTest::newRow("an inequality") << "a < b &amp; c"
                                       << "a &lt; b &amp; c"
                                       << "a < b & c";
    }

    void onlyLinksStayMarkup()
    {
        QFETCH(QString, markup);
        QTEST(withLinksOnly(markup), "safe");
        QTEST(plainOf(markup), "plain");
    }
};

CANNERY_TEST(TstBoundedPattern)
#include "tst_bounded_pattern.moc"
