// SPDX-License-Identifier: GPL-3.0-only
#include "storage/tf/example_wire.h"
#include "storage/tf/record_file.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QStringEncoder>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <cstdint>
#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

/// New Project, with tables of all sorts and the real engine.
class TstNewProjectDialog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void theFirstRowsAreReadAsTheEngineReadsThem_data();
    void theFirstRowsAreReadAsTheEngineReadsThem();
    void anotherTableReplacesTheRows();
    void aTableIsPastedByItsButton();
    void aTableIsPastedIntoTheFieldWithTheKeys();
    void wordsArePastedIntoTheField();
    void groupsNeedNoLabel();
    void aFolderOfRecordsIsATable();
    void aFolderOfPicturesIsATable();
    void theProjectOpensBeforeModelsAreTried();
    void whatTryingFindsIsTaken();
    void anEditEndsTheTrying();

private:
    /// A table of 40 rows in the dialog, about to be made a project; `new` is then scripted.
    void askForSmallTable();
    NewProjectDialog* dialog() const { return m_bench->window().findChild<NewProjectDialog*>(); }
    QTableView* rows() const { return dialog()->findChild<QTableView*>("table.first_rows"); }
    QLineEdit* field() const { return dialog()->findChild<QLineEdit*>("field.table"); }
    QString write(const QString& name, const QByteArray& bytes) const;
    /// The header and the cells of the first rows, joined.
    QString shown() const;

    std::unique_ptr<tests::PageBench> m_bench;
};

void TstNewProjectDialog::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->scriptReal("preview");
    m_bench->scriptReal("new");
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->actions().find("action.new_project")->trigger();
    QVERIFY(dialog() != nullptr);
}

QString TstNewProjectDialog::write(const QString& name, const QByteArray& bytes) const
{
    QFile file(m_bench->folder() + '/' + name);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
    }
    return file.fileName();
}

QString TstNewProjectDialog::shown() const
{
    const QAbstractItemModel* model = rows()->model();
    QStringList lines;
    for (int row = -1; row < model->rowCount(); ++row) {
        QStringList cells;
        for (int i = 0; i < model->columnCount(); ++i) {
            cells << (row < 0 ? model->headerData(i, Qt::Horizontal) : model->index(row, i).data())
                         .toString();
        }
        lines << cells.join('|');
    }
    return lines.join('\n');
}

void TstNewProjectDialog::theFirstRowsAreReadAsTheEngineReadsThem_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("rows");
    QStringEncoder utf16(QStringEncoder::Utf16LE, QStringEncoder::Flag::WriteBom);
    const QByteArray wide = utf16.encode(QStringLiteral("stadt,n\nKöln,1\nBonn,2\n"));
    QTest::newRow("UTF-16") << wide << "stadt|n\nKöln|1\nBonn|2";
    QTest::newRow("decimal commas") << QByteArray("a;b\n1,5;x\n2,5;y\n") << "a|b\n1,5|x\n2,5|y";
    QTest::newRow("quoted separators and line breaks")
        << QByteArray("a,b\n\"x, \"\"y\"\"\",1\n\"two\nlines\",2\n")
        << "a|b\nx, \"y\"|1\ntwo\nlines|2";
    QTest::newRow("missing") << QByteArray("a,b\n,1\nx,2\n") << "a|b\n?|1\nx|2";
}

void TstNewProjectDialog::theFirstRowsAreReadAsTheEngineReadsThem()
{
    QFETCH(const QByteArray, bytes);
    field()->setText(write("table.csv", bytes));
    QTest::keyClick(field(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(rows()->isVisible(), kPatience);
    QTEST(shown(), "rows");
    QTRY_COMPARE_WITH_TIMEOUT(dialog()->findChild<QComboBox*>("field.label")->count(), 3,
                              kPatience);
    QTEST(shown(), "rows");
}

void TstNewProjectDialog::anotherTableReplacesTheRows()
{
    m_bench->session().tables().ask(write("one.csv", "a,b\n1,2\n3,4\n"));
    m_bench->session().tables().ask(write("two.csv", "c,d\n5,6\n7,8\n"));
    QTRY_COMPARE_WITH_TIMEOUT(shown(), QString("c|d\n5|6\n7|8"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(dialog()->findChild<QComboBox*>("field.label")->count(), 3,
                              kPatience);
    QCOMPARE(shown(), QString("c|d\n5|6\n7|8"));
}

void TstNewProjectDialog::aTableIsPastedByItsButton()
{
    QGuiApplication::clipboard()->setText("age\tincome\n31\tlow\n47\thigh");
    dialog()->findChild<QAbstractButton*>("button.paste_table")->click();
    QTRY_COMPARE_WITH_TIMEOUT(shown(), QString("age|income\n31|low\n47|high"), kPatience);
    QCOMPARE(QFileInfo(field()->text()).fileName(), QString("pasted.tsv"));
    auto* create = dialog()->findChild<QAbstractButton*>("button.create");
    QTRY_VERIFY_WITH_TIMEOUT(create->isEnabled(), kPatience);
    QCOMPARE(dialog()->findChild<QComboBox*>("field.label")->currentData().toString(),
             QString("income"));
    // What is no table says so, and nothing is lost.
    QGuiApplication::clipboard()->setText("only words");
    dialog()->findChild<QAbstractButton*>("button.paste_table")->click();
    QTRY_VERIFY_WITH_TIMEOUT(dialog()
                                 ->findChild<QLabel*>("label.reason")
                                 ->text()
                                 .startsWith("The clipboard holds no table"),
                             kPatience);
}

void TstNewProjectDialog::aTableIsPastedIntoTheFieldWithTheKeys()
{
    QGuiApplication::clipboard()->setText("age,income\n31,low\n47,high\n");
    QTest::keyClick(field(), Qt::Key_V, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(shown(), QString("age|income\n31|low\n47|high"), kPatience);
    QCOMPARE(QFileInfo(field()->text()).fileName(), QString("pasted.csv"));
}

void TstNewProjectDialog::wordsArePastedIntoTheField()
{
    QGuiApplication::clipboard()->setText("/data/table.csv");
    QTest::keyClick(field(), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(field()->text(), QString("/data/table.csv"));
    QVERIFY(!m_bench->wasCalled("new"));
}

void TstNewProjectDialog::groupsNeedNoLabel()
{
    QByteArray table("a,b\n");
    for (int i = 0; i < 40; ++i) {
        table += QByteArray::number(i * i % 17) + ',' + QByteArray::number(i % 5) + '\n';
    }
    field()->setText(write("groups.csv", table));
    QTest::keyClick(field(), Qt::Key_Return);
    auto* label = dialog()->findChild<QComboBox*>("field.label");
    QTRY_COMPARE_WITH_TIMEOUT(label->count(), 3, kPatience);
    label->setCurrentIndex(2);
    dialog()->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->session().document().text().isEmpty(), kPatience);
    const QString text = m_bench->session().document().text();
    QVERIFY2(text.contains("kmeans {"), qPrintable(text));
    QVERIFY2(!text.contains("label"), qPrintable(text));
}

void TstNewProjectDialog::aFolderOfRecordsIsATable()
{
    for (const char* split : {"train", "eval"}) {
        const QString folder = m_bench->folder() + "/examples/7/Split-" + split;
        QVERIFY(QDir().mkpath(folder));
        auto records = storage::RecordWriter::create((folder + "/data_tfrecord").toStdString(),
                                                     storage::Compression::None);
        QVERIFY(records.has_value());
        for (std::int64_t i = 0; i < 40; ++i) {
            storage::ExampleWriter example;
            const std::int64_t number = i * i % 17;
            const std::int64_t target = i % 2;
            example.addIntegers("n", {&number, 1});
            example.addIntegers("target", {&target, 1});
            QVERIFY(records->write(example.finish()).has_value());
        }
        QVERIFY(records->close().has_value());
    }
    m_bench->session().project().open(m_bench->folder() + "/examples");
    auto* create = dialog()->findChild<QAbstractButton*>("button.create");
    QTRY_VERIFY_WITH_TIMEOUT(create->isEnabled(), kPatience);
    QCOMPARE(field()->text(), m_bench->folder() + "/examples");
    create->click();
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->session().document().text().isEmpty(), kPatience);
    const QString text = m_bench->session().document().text();
    QVERIFY2(text.contains("split: \"train\"") && text.contains("split: \"eval\""),
             qPrintable(text));
    QVERIFY2(text.contains("/examples\""), qPrintable(text));
    QVERIFY2(!text.contains("csv"), qPrintable(text));
}

void TstNewProjectDialog::aFolderOfPicturesIsATable()
{
    // As dropped on the window; what it holds is two folders of pictures, in two more.
    m_bench->session().project().open(CANNERY_SOURCE_DIR "/tests/golden/images/shapes");
    auto* create = dialog()->findChild<QAbstractButton*>("button.create");
    QTRY_VERIFY_WITH_TIMEOUT(create->isEnabled(), kPatience);
    QCOMPARE(dialog()->findChild<QComboBox*>("field.label")->currentData().toString(),
             QString("label"));
    create->click();
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->session().document().text().isEmpty(), kPatience);
    const QString text = m_bench->session().document().text();
    QVERIFY2(text.contains("image_folder") && text.contains("split: \"validation\""),
             qPrintable(text));
    QVERIFY2(text.contains("key_column: \"path\"") && text.contains("conv_2d"), qPrintable(text));
}

void TstNewProjectDialog::askForSmallTable()
{
    QByteArray table("age,income\n");
    for (int i = 0; i < 40; ++i) {
        table += QByteArray::number(20 + i * 7 % 20) + (i % 3 == 0 ? ",high\n" : ",low\n");
    }
    field()->setText(write("small.csv", table));
    QTest::keyClick(field(), Qt::Key_Return);
    auto* create = dialog()->findChild<QAbstractButton*>("button.create");
    QTRY_VERIFY_WITH_TIMEOUT(create->isEnabled(), kPatience);
    QCOMPARE(dialog()->findChild<QComboBox*>("field.label")->currentData().toString(),
             QString("income"));
}

/// Train is not the other project's meanwhile, and waits until the models are compared.
void TstNewProjectDialog::theProjectOpensBeforeModelsAreTried()
{
    m_bench->openTitanic(false);
    ProjectSession& session = m_bench->session();
    m_bench->script("check", R"({"problems": []})");
    QTRY_VERIFY_WITH_TIMEOUT(session.starter().hindrance().isEmpty(), kPatience);
    askForSmallTable();
    m_bench->scriptWait("new", "{\"progress\": 0.33, \"message\": \"trying models, 4 of 12\"}\n");
    dialog()->findChild<QAbstractButton*>("button.create")->click();
    QVERIFY(!session.starter().hindrance().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(session.document().text().contains("small.csv"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(session.tables().trying(), session.document().file(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!session.project().isOpening(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.starter().hindrance().contains("tried"), kPatience);
    QVERIFY(m_bench->lastCall("new").contains("--progress json"));
    QTRY_COMPARE_WITH_TIMEOUT(session.tables().triedCount(), QString("4 of 12"), kPatience);
    session.tables().skipTrying();
    QVERIFY(session.tables().trying().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(session.starter().hindrance().isEmpty(), kPatience);
}

void TstNewProjectDialog::whatTryingFindsIsTaken()
{
    askForSmallTable();
    ProjectSession& session = m_bench->session();
    const QString usual = QString::fromUtf8(session.tables().question().answer.text);
    QVERIFY(!usual.isEmpty());
    const QJsonObject answer{{"experiment_text", "# The best of five.\n" + usual}};
    m_bench->script("new", QJsonDocument(answer).toJson(QJsonDocument::Compact));
    dialog()->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(session.document().text().contains("The best of five"), kPatience);
    QVERIFY(session.tables().trying().isEmpty());
    QVERIFY(session.document().text().contains("small.csv"));
    QVERIFY(m_bench->lastCall("new").contains("--label income") &&
            m_bench->lastCall("new").contains("--dry-run"));
    session.document().undoStack()->undo();
    QVERIFY(!session.document().text().contains("The best of five"));
}

void TstNewProjectDialog::anEditEndsTheTrying()
{
    askForSmallTable();
    ProjectSession& session = m_bench->session();
    m_bench->scriptWait("new");
    dialog()->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!session.tables().trying().isEmpty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.document().text().contains("small.csv"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.document().isSettled(), kPatience);
    QVERIFY(session.document().setValue("train_spec.max_steps", "77"));
    QVERIFY(session.tables().trying().isEmpty());
}

CANNERY_TEST(TstNewProjectDialog)
#include "tst_new_project_dialog.moc"
