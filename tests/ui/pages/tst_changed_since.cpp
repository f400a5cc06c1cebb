// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_difference.h"
#include "ui/document/experiment_document.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/key_value_list.h"

#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QTest>
#include <QUndoStack>

#include <memory>
#include <optional>

using cannery::tests::kPatience;
using cannery::ui::changesSinceRun;
using cannery::ui::ExperimentChange;
using cannery::ui::ExperimentDocument;
using cannery::ui::KeyValueList;
using cannery::ui::Page;

/// "Changed since …" on the Model page: which run it compares with, and what counts as a change.
class TstChangedSince : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void D16_twoAlteredFieldsAreListedWithOldAndNewValues();
    void whatTheRunTookFromItsDataIsNoDifference();
    void aCopyIsComparedWithTheRunItCameFrom();
    void anotherNameKeepsTheRunToCompareWith_data();
    void anotherNameKeepsTheRunToCompareWith();

private:
    QString freeze(const QString& project, const QString& run, const QByteArray& text) const;
    QList<KeyValueList::Row> changes(const Page& page) const;
    void rename(const QString& fileName);
    ExperimentDocument& document() { return m_bench->session().document(); }

    std::unique_ptr<cannery::tests::PageBench> m_bench;
};

void TstChangedSince::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", "{}");
    m_bench->script("check", R"({"problems": []})");
}

/// The text that the run has frozen, below a checksum as the engine writes it.
QString TstChangedSince::freeze(const QString& project, const QString& run,
                                const QByteArray& text) const
{
    m_bench->addFinishedRun(project, run);
    const QString path = project + "/runs/" + run + "/experiment.cannery";
    QFile frozen(path);
    return frozen.open(QIODevice::WriteOnly) && frozen.write("# crc32c 0\n" + text) > 0 ? path
                                                                                        : QString();
}

QList<KeyValueList::Row> TstChangedSince::changes(const Page& page) const
{
    const auto* card = page.findChild<QWidget*>("card.changes");
    return card->isVisible() ? card->findChild<KeyValueList*>()->rows()
                             : QList<KeyValueList::Row>();
}

void TstChangedSince::D16_twoAlteredFieldsAreListedWithOldAndNewValues()
{
    Page* page = m_bench->page("model");
    const QString project = m_bench->copyExample("titanic");
    QFile file(project + "/titanic.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!freeze(project, "run-1", file.readAll()).isEmpty());
    m_bench->open(project);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    const QString estimator = "estimator.dnn_linear_combined_classifier.";
    QVERIFY(document().setValue(estimator + "dnn_hidden_units", "[32]"));
    QVERIFY(document().setValue("train_spec.input.batch_size", "64"));
    QTRY_COMPARE_WITH_TIMEOUT(changes(*page).size(), 2, kPatience);
    const QList<KeyValueList::Row> rows = changes(*page);
    QVERIFY(rows[0].value.contains("64, 32") && rows[0].value.contains("[32]"));
    QCOMPARE(rows[0].tip, estimator + "dnn_hidden_units");
    QVERIFY2(rows[1].value.startsWith("32 ") && rows[1].value.endsWith(" 64"),
             qPrintable(rows[1].value));
    // The fields themselves say it, too.
    auto* words = page->findChild<QLabel*>("words." + estimator + "dnn_hidden_units");
    QTRY_VERIFY_WITH_TIMEOUT(words->isVisible() && words->text().contains("in run-1"), kPatience);
    document().undoStack()->undo();
    document().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(changes(*page).isEmpty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!words->text().contains("run-1"), kPatience);
}

void TstChangedSince::whatTheRunTookFromItsDataIsNoDifference()
{
    const QByteArray text =
        "feature_column { name: \"a\" numeric_column { key: \"a\" normalizer { z_score { } } } }\n"
        "estimator { dnn_classifier { feature_columns: \"a\" hidden_units: 4 } }\n";
    QByteArray frozen = text;
    frozen.replace("z_score { }", "z_score { mean: 3 stddev: 2 }");
    frozen += "run_config { tf_random_seed: 7 }\n";
    for (const ExperimentChange& change : changesSinceRun(frozen, text)) {
        QFAIL(qPrintable(change.path + ": " + change.before + ", " + change.after));
    }
    // Every run writes down which types its columns have.
    const QByteArray corrected = "data { column { name: \"b\" default_value: \"x\" } }\n" + text;
    QByteArray typed = frozen;
    typed.prepend("data { column { name: \"a\" dtype: float32 } "
                  "column { name: \"b\" dtype: string default_value: \"x\" } }\n");
    QVERIFY(changesSinceRun(typed, corrected).isEmpty());
    // And how its table was read.
    const QByteArray table = "data { train { csv { files: \"x.csv\" } } }\n" + text;
    const QByteArray read = "data { train { csv { files: \"x.csv\" header: true } } }\n" + frozen;
    QVERIFY(changesSinceRun(read, table).isEmpty());
    QByteArray headless = table;
    headless.replace("x.csv\"", "x.csv\" header: false");
    QCOMPARE(changesSinceRun(read, headless).size(), 1);
    // But what somebody has written is.
    QByteArray retyped = corrected;
    retyped.replace("name: \"b\"", "name: \"b\" dtype: int64");
    QCOMPARE(changesSinceRun(typed, retyped).size(), 1);
    QByteArray uncorrected = corrected;
    uncorrected.replace(" default_value: \"x\"", "");
    QCOMPARE(changesSinceRun(typed, uncorrected).size(), 1);
    QByteArray other = text;
    other.replace("z_score { }", "z_score { mean: 5 stddev: 2 }");
    const QList<ExperimentChange> changes = changesSinceRun(frozen, other);
    QCOMPARE(changes.size(), 1);
    QCOMPARE(changes[0].before, "3");
    QCOMPARE(changes[0].after, "5");
}

void TstChangedSince::aCopyIsComparedWithTheRunItCameFrom()
{
    Page* page = m_bench->page("model");
    const QString project = m_bench->copyExample("titanic");
    QFile file(project + "/titanic.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QByteArray other = text;
    other.replace("max_steps: 1000", "max_steps: 1234");
    QVERIFY(other != text);
    QVERIFY(!freeze(project, "run-1", other).isEmpty());
    QVERIFY(!freeze(project, "run-2", text).isEmpty()); // the newest
    m_bench->open(project);
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().snapshot()->runs.size(), 2, kPatience);
    const QString original = document().file();
    m_bench->session().experiments().duplicateRun("run-1");
    QTRY_VERIFY_WITH_TIMEOUT(document().file() != original && document().isSettled(), kPatience);
    QCOMPARE(m_bench->session().experiments().copiedFrom(), "run-1");
    QVERIFY(document().setValue("train_spec.max_steps", "99"));
    QTRY_COMPARE_WITH_TIMEOUT(changes(*page).size(), 1, kPatience);
    QVERIFY2(changes(*page)[0].value.startsWith(cannery::tests::shownNumbers("1,234 ")),
             qPrintable(changes(*page)[0].value));
    QCOMPARE(page->findChild<QWidget*>("card.changes")->accessibleName(), "Changed since run-1");
}

void TstChangedSince::rename(const QString& fileName)
{
    std::optional<QString> error;
    m_bench->session().experiments().rename("Renamed", fileName,
                                            [&](const QString& why) { error = why; });
    QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), kPatience);
    QCOMPARE(*error, QString());
    QTRY_COMPARE_WITH_TIMEOUT(QFileInfo(document().file()).completeBaseName(), fileName, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstChangedSince::anotherNameKeepsTheRunToCompareWith_data()
{
    QTest::addColumn<bool>("isCopy");
    QTest::newRow("a copy of a run") << true;
    QTest::newRow("a new experiment from that copy") << false;
}

void TstChangedSince::anotherNameKeepsTheRunToCompareWith()
{
    QFETCH(bool, isCopy);
    Page* page = m_bench->page("model");
    const QString project = m_bench->copyExample("titanic");
    QFile file(project + "/titanic.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QByteArray other = text;
    other.replace("max_steps: 1000", "max_steps: 1234");
    QVERIFY(!freeze(project, "run-1", other).isEmpty());
    QVERIFY(!freeze(project, "run-2", text).isEmpty()); // the newest
    m_bench->open(project);
    cannery::ui::ProjectSession& session = m_bench->session();
    QTRY_COMPARE_WITH_TIMEOUT(session.runs().snapshot()->runs.size(), 2, kPatience);
    QString before = document().file();
    session.experiments().duplicateRun("run-1");
    QTRY_VERIFY_WITH_TIMEOUT(document().file() != before && document().isSettled(), kPatience);
    if (!isCopy) {
        before = document().file();
        session.experiments().newFromThis();
        QTRY_VERIFY_WITH_TIMEOUT(document().file() != before && document().isSettled(), kPatience);
    }
    rename("other");
    QCOMPARE(session.experiments().copiedFrom(), "run-1");
    session.runs().setTitle("run-1", "First try");
    QVERIFY(document().setValue("train_spec.max_steps", "99"));
    QTRY_COMPARE_WITH_TIMEOUT(changes(*page).size(), 1, kPatience);
    QVERIFY2(changes(*page)[0].value.startsWith(cannery::tests::shownNumbers("1,234 ")),
             qPrintable(changes(*page)[0].value));
    const auto* card = page->findChild<QWidget*>("card.changes");
    QTRY_COMPARE_WITH_TIMEOUT(card->accessibleName(), "Changed since First try", kPatience);
    // Another experiment that takes the name has no part in it.
    rename("third");
    QCOMPARE(session.experiments().copiedFrom(), "run-1");
}

CANNERY_TEST(TstChangedSince)
#include "tst_changed_since.moc"
