// SPDX-License-Identifier: GPL-3.0-only
#include "storage/sqlite/database.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/document/table_files.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/pages/predict_dialog.h"

#include <QAbstractButton>
#include <QFile>
#include <QFileDialog>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

const QString kGoldens = QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/");

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Of a file that fits the pattern: ".csv", ".tfrecord-00000-of-00010".
QString endingOf(const QString& pattern)
{
    QString ending = pattern.mid(1);
    return ending.replace(u'*', QStringLiteral("00000-of-00010"));
}

/// Forty rows of a number and a class, each written by `row`.
QByteArray rowsOf(QByteArray (*row)(int number, const char* word))
{
    QByteArray text;
    for (int i = 0; i < 40; ++i) {
        text += row(i * 7 % 17, i % 3 == 0 ? "yes" : "no");
    }
    return text;
}

QByteArray littleEndian(quint32 number)
{
    QByteArray bytes;
    for (int shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(number >> shift);
    }
    return bytes;
}

/// As gzip writes what it cannot make smaller.
QByteArray packed(const QByteArray& content)
{
    quint32 sum = 0xFFFFFFFF;
    for (const char letter : content) {
        sum ^= static_cast<quint8>(letter);
        for (int bit = 0; bit < 8; ++bit) {
            sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320 : 0);
        }
    }
    const auto size = static_cast<quint32>(content.size());
    return QByteArray("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01", 11) + littleEndian(size).left(2) +
           littleEndian(~size).left(2) + content + littleEndian(~sum) + littleEndian(size);
}

/// A table of a kind of data source.
QByteArray tableOf(const QString& kind, const QString& ending)
{
    if (kind == "csv") {
        return ending == ".tsv" || ending == ".tab"
                   ? "n\tbought\n" + rowsOf([](int number, const char* word) {
                         return QByteArray::number(number) + '\t' + word + '\n';
                     })
                   : "n,bought\n" + rowsOf([](int number, const char* word) {
                         return QByteArray::number(number) + ',' + word + '\n';
                     });
    }
    if (kind == "json_lines") {
        return rowsOf([](int number, const char* word) {
            return "{\"n\": " + QByteArray::number(number) + ", \"bought\": \"" + word + "\"}\n";
        });
    }
    if (kind == "arff") {
        return "@relation shop\n@attribute n numeric\n@attribute bought {yes,no}\n@data\n" +
               rowsOf([](int number, const char* word) {
                   return QByteArray::number(number) + ',' + word + '\n';
               });
    }
    if (kind == "libsvm") {
        return rowsOf([](int number, const char* word) {
            return QByteArray(word[0] == 'y' ? "1" : "0") + " 1:" + QByteArray::number(number + 1) +
                   " 2:0.5\n";
        });
    }
    if (kind == "fixed_width") {
        return "n      bought\n" + rowsOf([](int number, const char* word) {
                   const QByteArray digits =
                       number % 4 == 3 ? QByteArray() : QByteArray::number(number);
                   return digits.leftJustified(7) + word + '\n';
               });
    }
    return kind == "npz"        ? read(kGoldens + "npz/deflated.npz")
           : kind == "tfrecord" ? read(kGoldens + "tfrecord/example.tfrecord")
                                : QByteArray();
}

} // namespace

/// The files that the window takes for tables, by their names, and the engine by their content.
class TstTableFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void everyKindOfSourceHasItsEndings();
    void everyEndingIsReadByTheEngine_data();
    void everyEndingIsReadByTheEngine();
    void aFileOfAnyNameIsTried();
    void whatIsNotReadSaysHowToConvertIt();
    void everyDialogOffersTheSameFiles();

private:
    QString write(const QString& name, const QByteArray& content) const;

    std::unique_ptr<tests::PageBench> m_bench;
};

void TstTableFiles::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->scriptReal("new");
    m_bench->scriptReal("preview");
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
}

QString TstTableFiles::write(const QString& name, const QByteArray& content) const
{
    QFile file(m_bench->folder() + '/' + name);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("the table is not written");
    }
    return file.fileName();
}

void TstTableFiles::everyKindOfSourceHasItsEndings()
{
    QStringList kinds;
    const auto schema = messageSchema("data.train");
    QVERIFY(schema.has_value());
    for (const FieldSchema& kind : schema->fields) {
        kinds << kind.name;
    }
    QStringList listed;
    for (const TableFiles& files : tableFiles()) {
        listed << files.kind;
        QVERIFY2(!files.patterns.isEmpty(), qPrintable(files.kind));
        for (const QString& pattern : files.patterns) {
            const QString ending = endingOf(pattern);
            QCOMPARE(tableKindOf("/data/Table" + ending.toUpper()), files.kind);
            QCOMPARE(tableKindOf("/data/table" + ending + ".gz"),
                     files.mayBePacked ? files.kind : QString());
            QVERIFY(tableFileFilters().contains(pattern));
            QVERIFY(tableFileFilters(files.kind).contains(pattern));
        }
    }
    // It is a folder.
    QVERIFY(kinds.removeOne("image_folder"));
    kinds.sort();
    listed.sort();
    QCOMPARE(listed, kinds);
    QCOMPARE(tableKindOf("a.tfrecord-00000-of-00010"), QString("tfrecord"));
    QVERIFY(isTablePath("a.zip") && tableKindOf("a.zip").isEmpty());
    for (const char* other : {"a.cannery", "a.png", "a", "a.db.gz", "events.out.tfevents.1"}) {
        QVERIFY2(!isTablePath(other), other);
    }
    QVERIFY(!tableFileFilters("csv").contains(".npz"));
}

void TstTableFiles::everyEndingIsReadByTheEngine_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("ending");
    QTest::addColumn<bool>("isPacked");
    for (const TableFiles& files : tableFiles()) {
        for (const QString& pattern : files.patterns) {
            const QString ending = endingOf(pattern);
            QTest::newRow(qPrintable(ending)) << files.kind << ending << false;
        }
        if (files.mayBePacked) {
            const QString usual = endingOf(files.patterns.first());
            QTest::newRow(qPrintable(usual + ".gz")) << files.kind << usual << true;
        }
    }
}

void TstTableFiles::everyEndingIsReadByTheEngine()
{
    QFETCH(const QString, kind);
    QFETCH(const QString, ending);
    QFETCH(const bool, isPacked);
    const QByteArray table = tableOf(kind, ending);
    const QString file =
        write("table" + ending + (isPacked ? ".gz" : ""), isPacked ? packed(table) : table);
    if (kind == "sqlite") {
        auto database =
            storage::Database::open(file.toStdString(), storage::DatabaseMode::ReadWriteCreate);
        QVERIFY(database && database->execute("PRAGMA journal_mode = DELETE; CREATE TABLE t (n, "
                                              "bought); INSERT INTO t VALUES (1, 'yes'), (2, "
                                              "'no'), (3, 'no')"));
    }
    QSignalSpy failed(&m_bench->session(), &ProjectSession::failed);
    QSignalSpy asked(&m_bench->session().tables(), &TableImport::asked);
    m_bench->session().tables().ask(file);
    QTRY_VERIFY_WITH_TIMEOUT(asked.size() + failed.size() > 0 ||
                                 !m_bench->session().tables().trouble().isEmpty(),
                             kPatience);
    QVERIFY2(asked.size() == 1, qPrintable(failed.value(0).value(0).toString()));
    const LabelQuestion& question = m_bench->session().tables().question();
    QVERIFY(question.answer.table.columns.size() >= 2);
    const QString text = QString::fromUtf8(question.answer.text);
    QVERIFY2(text.isEmpty() || text.contains(kind + " {"), qPrintable(text));
}

void TstTableFiles::aFileOfAnyNameIsTried()
{
    const QString file = write("numbers", tableOf("csv", ".csv"));
    QSignalSpy asked(&m_bench->session().tables(), &TableImport::asked);
    m_bench->session().project().open(file);
    QTRY_COMPARE_WITH_TIMEOUT(asked.size(), 1, kPatience);
    QCOMPARE(m_bench->session().tables().question().table, file);
    QVERIFY(!m_bench->session().project().isOpening());
}

void TstTableFiles::whatIsNotReadSaysHowToConvertIt()
{
    const QString file = write("numbers.bz2", QByteArray("BZh91AY&SY") + QByteArray(60, '\x2a'));
    m_bench->session().project().open(file);
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->session().tables().trouble().isEmpty(), kPatience);
    const QString words = m_bench->session().tables().trouble().words();
    QVERIFY2(words.contains("bunzip2"), qPrintable(words));
}

void TstTableFiles::everyDialogOffersTheSameFiles()
{
    const auto filtersOf = [&](QWidget& place, const char* dialog) {
        auto* chooser = place.findChild<QFileDialog*>(dialog);
        const QStringList filters = chooser ? chooser->nameFilters() : QStringList();
        delete chooser;
        return filters.join(";;");
    };
    m_bench->actions().find("action.new_project")->trigger();
    auto* project = m_bench->window().findChild<NewProjectDialog*>();
    project->findChild<QAbstractButton*>("button.choose_table")->click();
    QCOMPARE(filtersOf(*project, "dialog.table_file"), tableFileFilters());
    Page* guided = m_bench->page("guided");
    guided->findChild<QAbstractButton*>("button.guided_choose")->click();
    QCOMPARE(filtersOf(*guided, "dialog.guided_file"), tableFileFilters());
    PredictDialog predict(m_bench->session());
    predict.findChild<QAbstractButton*>("button.choose_predict_input")->click();
    QCOMPARE(filtersOf(predict, "dialog.predict_file"), tableFileFilters());
}

CANNERY_TEST(TstTableFiles)
#include "tst_table_files.moc"
