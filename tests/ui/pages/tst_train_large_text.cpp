// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// At 200 % the page Train has all of its fields and facts, and they are reached.
class TstTrainLargeText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void nothingAboveTheChartsIsCut_data();
    void nothingAboveTheChartsIsCut();

private:
    std::unique_ptr<cannery::tests::PageBench> m_bench;
};

void TstTrainLargeText::cleanup()
{
    m_bench.reset();
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), {});
}

void TstTrainLargeText::nothingAboveTheChartsIsCut_data()
{
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("scrolls");
    QTest::newRow("100") << 1.0 << false;
    QTest::newRow("200") << 2.0 << true;
}

void TstTrainLargeText::nothingAboveTheChartsIsCut()
{
    QFETCH(double, scale);
    QFETCH(bool, scrolls);
    m_bench = std::make_unique<cannery::tests::PageBench>();
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), {.textScale = scale});
    Page* page = m_bench->page("train");
    m_bench->openTitanic(true);
    page->reveal("run:run-1");
    m_bench->window().resize(1168, 668); // of a window of 1280 x 800
    const auto* facts = page->findChild<QWidget*>("facts.train");
    QTRY_VERIFY_WITH_TIMEOUT(facts->isVisible(), kPatience);
    const QWidget* fields = nullptr; // the empty page has some, too
    for (const QWidget* one : page->findChildren<QWidget*>("fields.train")) {
        fields = one->isVisible() ? one : fields;
    }
    QVERIFY(fields != nullptr);
    const auto isWhole = [](const QWidget* widget) {
        return widget->height() >= widget->heightForWidth(widget->width());
    };
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(fields) && isWhole(facts), kPatience);
    const QList<QWidget*> rows =
        fields->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(rows.size() >= 4);
    QScrollArea* area = nullptr;
    for (QWidget* outer = fields->parentWidget(); outer != page; outer = outer->parentWidget()) {
        area = area == nullptr ? qobject_cast<QScrollArea*>(outer) : area;
    }
    QCOMPARE(area != nullptr, scrolls);
    const auto* header = page->findChild<QWidget*>("header.train");
    QTRY_VERIFY_WITH_TIMEOUT(header->isVisible(), kPatience);
    QTRY_VERIFY2_WITH_TIMEOUT(header->height() >= header->minimumSizeHint().height() &&
                                  header->height() > scaled(20),
                              qPrintable(QString::number(header->height())), kPatience);
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/pages");
    QVERIFY(QDir().mkpath(folder));
    const QString picture = folder + "/train-" + QTest::currentDataTag();
    QVERIFY(m_bench->window().grab().save(picture + ".png"));
    for (QWidget* row : rows) {
        if (area != nullptr) {
            area->ensureWidgetVisible(row);
        }
        QVERIFY2(row->visibleRegion().boundingRect().height() == row->height(),
                 qPrintable(row->objectName()));
    }
    if (area != nullptr) { // and back to normal text
        applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), {});
        m_bench->window().resize(1168, 669);
        QTRY_VERIFY_WITH_TIMEOUT(!area->isAncestorOf(fields), kPatience);
    }
}

CANNERY_TEST(TstTrainLargeText)
#include "tst_train_large_text.moc"
