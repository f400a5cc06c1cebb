// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/keyboard.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/page.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/services/runs/run_catalog.h"

#include <QComboBox>
#include <QDirIterator>
#include <QListWidget>
#include <QSet>
#include <QTableView>

using namespace cannery::tests;
using namespace cannery::ui;

/// From a table to an export without a mouse, in the real window, with the real engine.
class TstKeyboardJourney : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D30_keyboardAloneGoesFromATableToAnExport();

private:
    void openTable();
    void addFeatureColumn();
    void chooseEstimator();
    void train(const QString& steps, int runs);
    void compareRuns();
    void exportModel();

    std::unique_ptr<WorkbenchFixture> m_bench;
    std::unique_ptr<Keyboard> m_keys;
};

namespace {

int featureColumns(const ExperimentDocument& document)
{
    const FieldNode* list = document.field("feature_column");
    return list == nullptr ? 0 : static_cast<int>(list->children.size());
}

/// How many runs a chart draws.
qsizetype runsOf(const ChartCard* card)
{
    QSet<QString> runs;
    if (card != nullptr) {
        for (const Curve& curve : card->curves()) {
            runs.insert(curve.run);
        }
    }
    return runs.size();
}

} // namespace

#define TAB_TO(name) QVERIFY2(m_keys->tabTo(name), qPrintable(Keyboard::focusWords()))

/// Ctrl+Shift+O, the path, and the column to predict: another one than the guess.
void TstKeyboardJourney::openTable()
{
    const QString table = m_bench->writeTable();
    m_keys->press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("dialog.file") != nullptr; }));
    m_keys->type(table);
    m_keys->press(Qt::Key_Return);
    const auto label = [&] { return m_bench->find<QComboBox>("field.label"); };
    QVERIFY(m_bench->waitFor([&] { return label() && label()->hasFocus(); }));
    m_keys->press(Qt::Key_Home);
    QCOMPARE(label()->currentData().toString(), QString("age"));
    m_keys->type("bou");
    QCOMPARE(label()->currentData().toString(), QString("bought"));
    m_keys->press(Qt::Key_Return);
    QVERIFY(m_bench->waitFor([&] {
        return m_bench->session().project().isOpen() &&
               m_bench->session().starter().hindrance().isEmpty();
    }));
    QCOMPARE(m_bench->session().document().value("data.label.column"), QString("bought"));
}

/// A column of the table, then kinds of feature columns from the menu: the second of the first.
void TstKeyboardJourney::addFeatureColumn()
{
    const ExperimentDocument& document = m_bench->session().document();
    m_keys->press(Qt::Key_3, Qt::ControlModifier);
    const auto columns = [&] { return m_bench->find<QListWidget>("list.columns"); };
    QVERIFY(m_bench->waitFor([&] { return columns() && columns()->count() == 3; }));
    TAB_TO("list.columns");
    m_keys->type("inc");
    QCOMPARE(columns()->currentItem()->text(), QString("income"));
    for (const char* kind : {"offer.numeric_column", "offer.bucketized_column"}) {
        const int before = featureColumns(document);
        TAB_TO("button.add_feature_column");
        m_keys->press(Qt::Key_Space);
        QVERIFY(m_bench->waitFor([] { return QApplication::activePopupWidget() != nullptr; }));
        QVERIFY2(m_keys->chooseInMenu(kind), kind);
        QVERIFY(m_bench->waitFor([&] { return featureColumns(document) == before + 1; }));
    }
    QVERIFY(document.text().contains("source_column: \"income\""));
}

void TstKeyboardJourney::chooseEstimator()
{
    const ExperimentDocument& document = m_bench->session().document();
    QVERIFY(memberOf(document, "estimator") != "dnn_classifier");
    m_keys->press(Qt::Key_4, Qt::ControlModifier);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("tiles.estimator") != nullptr; }));
    TAB_TO("tiles.estimator");
    m_keys->press(Qt::Key_Space); // shows all of them
    for (const Qt::Key back : {Qt::Key_Left, Qt::Key_Right}) {
        if (m_keys->arrowTo("tile.dnn_classifier", back)) {
            break;
        }
    }
    m_keys->press(Qt::Key_Return);
    QVERIFY(m_bench->waitFor([&] { return memberOf(document, "estimator") == "dnn_classifier"; }));
}

void TstKeyboardJourney::train(const QString& steps, int runs)
{
    const ExperimentDocument& document = m_bench->session().document();
    m_keys->press(Qt::Key_5, Qt::ControlModifier);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("field.train_spec.max_steps"); }));
    TAB_TO("field.train_spec.max_steps");
    m_keys->press(Qt::Key_A, Qt::ControlModifier);
    m_keys->type(steps);
    QVERIFY(m_bench->waitFor([&] { return document.value("train_spec.max_steps") == steps; }));
    QVERIFY2(m_bench->waitFor([&] { return m_bench->action("action.train")->isEnabled(); }),
             qPrintable(m_bench->session().starter().hindrance()));
    m_keys->press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(m_bench->waitFor(
        [&] { return m_bench->session().runs().snapshot()->runs.size() == runs; }));
    QVERIFY(m_bench->waitForState(RunState::Finished));
}

/// Both in one chart, and field by field.
void TstKeyboardJourney::compareRuns()
{
    m_keys->press(Qt::Key_6, Qt::ControlModifier);
    QVERIFY(m_bench->waitFor([&] { return runsOf(m_bench->find<ChartCard>("chart.loss")) == 2; }));
    TAB_TO("table.runs");
    m_keys->press(Qt::Key_Home, Qt::ControlModifier);
    m_keys->press(Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(m_bench->find<RunsTable>("table.runs")->selectedRuns().size(), 2);
    m_keys->press(Qt::Key_Return);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("run_page") != nullptr; }));
    TAB_TO("segmented.run_views");
    m_keys->press(Qt::Key_Right);
    m_keys->press(Qt::Key_Right);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("field.compare_run") != nullptr; }));
    TAB_TO("table.parameters");
    const auto* fields = m_bench->find<QTableView>("table.parameters");
    QStringList differing;
    for (int row = 0; row < fields->model()->rowCount(); ++row) {
        differing << fields->model()->index(row, 0).data().toString();
    }
    QCOMPARE(differing, QStringList("train_spec.max_steps"));
}

void TstKeyboardJourney::exportModel()
{
    m_keys->press(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("button.export") != nullptr; }));
    TAB_TO("button.export");
    m_keys->press(Qt::Key_Space);
    QVERIFY(m_bench->waitFor([&] {
        QDirIterator files(m_bench->session().project().folder() + "/exports", {"saved_model.pb"},
                           QDir::Files, QDirIterator::Subdirectories);
        return files.hasNext();
    }));
}

void TstKeyboardJourney::D30_keyboardAloneGoesFromATableToAnExport()
{
    m_bench = std::make_unique<WorkbenchFixture>();
    m_bench->open();
    m_keys = std::make_unique<Keyboard>();
    const auto stages = {std::function<void()>([this] { openTable(); }),
                         std::function<void()>([this] { addFeatureColumn(); }),
                         std::function<void()>([this] { chooseEstimator(); }),
                         std::function<void()>([this] { train("60", 1); }),
                         std::function<void()>([this] { train("90", 2); }),
                         std::function<void()>([this] { compareRuns(); }),
                         std::function<void()>([this] { exportModel(); })};
    for (const auto& stage : stages) {
        stage();
        if (QTest::currentTestFailed()) {
            m_bench->picture("journey-keyboard-stuck");
            return;
        }
        QCOMPARE(m_keys->pointerEvents(), 0);
    }
}

CANNERY_TEST(TstKeyboardJourney)
#include "tst_keyboard_journey.moc"
