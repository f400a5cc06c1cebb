// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/screen_reader.h"
#include "tests/workbench/workbench_fixture.h"

#include <QDirIterator>

using namespace cannery::tests;
using Role = QAccessible::Role;

/// From a table to an export by accessible names alone, in the real window, with the real engine:
/// what assistive technology, voice control and scripts of a desktop can do.
class TstNamesJourney : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAloneGoFromATableToAnExport();

private:
    void openTable();
    void addFeatureColumn();
    void chooseEstimator();
    void train(const QString& steps, const QString& button, const QString& run);
    void compareRuns();
    void exportModel();
    bool waitFor(const std::function<bool()>& condition) const
    {
        return m_bench->waitFor(condition);
    }

    std::unique_ptr<WorkbenchFixture> m_bench;
    ScreenReader m_reader;
};

#define REACH(condition) QVERIFY(waitFor([&] { return condition; }))

void TstNamesJourney::openTable()
{
    const QString table = m_bench->writeTable();
    REACH(m_reader.press(Role::Button, "Open Data File…"));
    REACH(m_reader.write(Role::EditableText, "File name:", table));
    REACH(m_reader.press(Role::Button, "Open"));
    REACH(m_reader.choose("Label", "income"));
    REACH(m_reader.choose("Label", "bought"));
    REACH(m_reader.press(Role::Button, "Create Project"));
    REACH(m_reader.shows("bought.csv"));
}

void TstNamesJourney::addFeatureColumn()
{
    REACH(m_reader.press(Role::CheckBox, "Features"));
    REACH(m_reader.select(Role::List, "Columns of the table", "income"));
    for (const char* kind : {"Numeric", "Bucketized"}) {
        REACH(m_reader.press(Role::Button, "Add Feature Column"));
        REACH(m_reader.press(Role::MenuItem, kind));
    }
    REACH(m_reader.column("Feature columns", 0).filter("income").size() == 2);
}

void TstNamesJourney::chooseEstimator()
{
    REACH(m_reader.press(Role::CheckBox, "Model"));
    REACH(m_reader.press(Role::CheckBox, "Wide and deep classifier")); // shows the others
    REACH(m_reader.press(Role::CheckBox, "DNN classifier"));
    REACH(m_reader.shows("DNNClassifier"));
}

void TstNamesJourney::train(const QString& steps, const QString& button, const QString& run)
{
    REACH(m_reader.press(Role::CheckBox, "Train"));
    REACH(m_reader.write(Role::SpinBox, "Max steps", steps));
    REACH(m_reader.press(Role::Button, button));
    REACH(m_reader.shows(run));
    REACH(m_reader.shows("Finished"));
}

/// The older one, field by field against the newer one.
void TstNamesJourney::compareRuns()
{
    REACH(m_reader.press(Role::CheckBox, "Runs"));
    REACH(m_reader.select(Role::Table, "Runs", "run-001"));
    REACH(m_reader.press(Role::Button, "Open the run"));
    REACH(m_reader.press(Role::CheckBox, "Experiment"));
    REACH(m_reader.choose("Run to compare with", "run-002"));
    REACH(m_reader.column("Differing fields", 0) == QStringList("train_spec.max_steps"));
}

void TstNamesJourney::exportModel()
{
    REACH(m_reader.press(Role::Button, "Export…"));
    REACH(m_reader.press(Role::Button, "Export"));
    REACH(m_reader.shows("Ready"));
    QDirIterator files(m_bench->session().project().folder() + "/exports", {"saved_model.pb"},
                       QDir::Files, QDirIterator::Subdirectories);
    QVERIFY(files.hasNext());
}

void TstNamesJourney::namesAloneGoFromATableToAnExport()
{
    m_bench = std::make_unique<WorkbenchFixture>();
    m_bench->open();
    const auto stages = {
        std::function<void()>([this] { openTable(); }),
        std::function<void()>([this] { addFeatureColumn(); }),
        std::function<void()>([this] { chooseEstimator(); }),
        std::function<void()>([this] { train("60", "Train Current Recipe", "run-001"); }),
        std::function<void()>([this] { train("90", "Train Again", "run-002"); }),
        std::function<void()>([this] { compareRuns(); }),
        std::function<void()>([this] { exportModel(); })};
    for (const auto& stage : stages) {
        stage();
        if (QTest::currentTestFailed()) {
            qInfo().noquote() << m_reader.announced();
            m_bench->picture("journey-names-stuck");
            return;
        }
    }
}

CANNERY_TEST(TstNamesJourney)
#include "tst_names_journey.moc"
