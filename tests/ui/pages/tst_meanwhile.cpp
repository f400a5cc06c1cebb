// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/ui/services/event_files.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/services/table_import.h"

#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

/// Something else is on its way while a project is open: the window says so at once, and Train does
/// not train what is about to be replaced.
class TstMeanwhile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void guidedRunHoldsTrainBack();
    void aPastedTableIsSeenBeingRead();
    void anEventFolderHoldsTrainBack();

private:
    ProjectSession& session() { return m_bench->session(); }

    std::unique_ptr<tests::PageBench> m_bench;
};

void TstMeanwhile::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->script("check", R"({"problems": []})");
    m_bench->script("train", "{}");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(session().starter().hindrance().isEmpty(), kPatience);
}

void TstMeanwhile::guidedRunHoldsTrainBack()
{
    const QString table = m_bench->folder() + "/sales.csv";
    QFile file(table);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray rows("age,bought\n");
    for (int i = 0; i < 40; ++i) {
        rows += QByteArray::number(20 + i * 7 % 20) + (i % 3 == 0 ? ",yes\n" : ",no\n");
    }
    file.write(rows);
    file.close();
    m_bench->scriptReal("new");
    Page* page = m_bench->page("guided");
    auto* field = page->findChild<QLineEdit*>("field.guided_table");
    field->setFocus();
    field->setText(table);
    QTest::keyClick(field, Qt::Key_Return);
    auto* train = page->findChild<QAbstractButton*>("button.guided_train");
    QTRY_VERIFY_WITH_TIMEOUT(train->isEnabled(), kPatience);
    QVERIFY(session().starter().hindrance().isEmpty()); // nothing is decided yet
    m_bench->scriptWait("train");
    train->click();
    QVERIFY(!session().starter().hindrance().isEmpty());
    QVERIFY2(!train->isEnabled() && !train->toolTip().isEmpty(), "pressed twice");
    session().starter().train(); // by its key, at the same time
    QTRY_VERIFY_WITH_TIMEOUT(session().document().text().contains("sales.csv"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("train"), kPatience);
    const QStringList trained = m_bench->calls().filter(QRegularExpression("^train "));
    QCOMPARE(trained.size(), 1);
    QVERIFY2(trained.first().contains("sales") && !trained.first().contains("titanic"),
             qPrintable(trained.first()));
}

void TstMeanwhile::aPastedTableIsSeenBeingRead()
{
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->scriptWait("new");
    session().tables().paste("age\tincome\n31\tlow\n47\thigh", m_bench->folder() + "/in");
    const auto dialog = [&] { return m_bench->window().findChild<NewProjectDialog*>(); };
    QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr && dialog()->isVisible(), kPatience);
    QVERIFY(dialog()->isModal()); // nothing else is trained behind it
    QVERIFY(session().tables().isAsking());
    QCOMPARE(QFileInfo(session().tables().asking()).fileName(), "pasted.tsv");
    dialog()->reject();
    QTRY_VERIFY_WITH_TIMEOUT(!session().tables().isAsking(), kPatience);
    QVERIFY(session().starter().hindrance().isEmpty());
    QVERIFY(session().document().file().endsWith("titanic.cannery"));
}

void TstMeanwhile::anEventFolderHoldsTrainBack()
{
    const QString folder = m_bench->folder() + "/logs";
    QVERIFY(QDir().mkpath(folder));
    tests::writeEvents(folder.toStdString(), 1, {"loss"}, 1, 20);
    session().project().openEventFolder(folder);
    QVERIFY(!session().starter().hindrance().isEmpty());
    session().starter().train();
    QTRY_VERIFY_WITH_TIMEOUT(session().project().isEventFolder(), kPatience);
    QVERIFY(!session().starter().hindrance().isEmpty());
    QVERIFY(!m_bench->wasCalled("train"));
}

CANNERY_TEST(TstMeanwhile)
#include "tst_meanwhile.moc"
