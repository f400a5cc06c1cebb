// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/actions/action_registry.h"
#include "ui/actions/standard_actions.h"
#include "ui/services/projects/settings.h"

#include <QAction>
#include <QHash>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;

class TstActionRegistry : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void D32_noTwoActionsShareKeysInOneContext();
    void everyActionHasWordsIconAndHelp();
    void textsAreTitleCaseAndAskWithAnEllipsis();
    void hindranceDisablesAndSaysWhy();
    void ownKeysAreKeptAndConflictsRefused();
    void actionsOfAGroupStandTogether();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<ActionRegistry> m_registry;
};

void TstActionRegistry::init()
{
    m_registry.reset();
    m_settings = std::make_unique<Settings>(m_folder.filePath("settings.ini"));
    m_registry = std::make_unique<ActionRegistry>(*m_settings);
    addStandardActions(*m_registry);
}

void TstActionRegistry::D32_noTwoActionsShareKeysInOneContext()
{
    QHash<QString, QString> taken;
    for (const QAction* action : m_registry->actions()) {
        for (const QKeySequence& keys : action->shortcuts()) {
            const QString key = keys.toString() + QString::number(action->shortcutContext());
            QVERIFY2(!taken.contains(key), qPrintable(action->objectName() + " and " + taken[key]));
            taken[key] = action->objectName();
            QVERIFY2(!keys.toString().contains("Meta"), qPrintable(action->objectName()));
        }
    }
}

void TstActionRegistry::everyActionHasWordsIconAndHelp()
{
    for (const QAction* action : m_registry->actions()) {
        const ActionSpec& spec = m_registry->spec(action->objectName());
        QVERIFY(action->objectName().startsWith("action."));
        QVERIFY2(!spec.icon.isEmpty(), qPrintable(spec.id));
        QVERIFY2(spec.help.endsWith('.'), qPrintable(spec.id));
        QVERIFY2(!spec.text.contains("..."), qPrintable(spec.id));
        QVERIFY2(!action->toolTip().isEmpty(), qPrintable(spec.id));
    }
}

void TstActionRegistry::textsAreTitleCaseAndAskWithAnEllipsis()
{
    const QStringList small{"a",  "as",  "and", "by", "from", "in",  "of",
                            "or", "the", "to",  "x",  "y",    "for", "tf.estimator"};
    for (const QAction* action : m_registry->actions()) {
        for (const QString& word : action->iconText().split(' ', Qt::SkipEmptyParts)) {
            QVERIFY2(word[0].isUpper() || small.contains(word),
                     qPrintable(action->objectName() + ": " + word));
        }
    }
}

void TstActionRegistry::hindranceDisablesAndSaysWhy()
{
    QAction* train = m_registry->find("action.train");
    m_registry->setHindrance("action.train", "Choose a label on the Data page.");
    QVERIFY(!train->isEnabled());
    QCOMPARE(train->toolTip(), "Choose a label on the Data page.");
    QCOMPARE(train->statusTip(), "Choose a label on the Data page.");
    m_registry->setHindrance("action.train", {});
    QVERIFY(train->isEnabled());
    QVERIFY(train->toolTip().contains("Ctrl+R"));
}

void TstActionRegistry::ownKeysAreKeptAndConflictsRefused()
{
    QSignalSpy changed(m_registry.get(), &ActionRegistry::shortcutsChanged);
    const QAction* taken = m_registry->setShortcut("action.train", QKeySequence("Ctrl+K"));
    QCOMPARE(taken, m_registry->find("action.palette"));
    QCOMPARE(changed.size(), 0);
    QVERIFY(!m_registry->setShortcut("action.train", QKeySequence("Ctrl+Alt+T")));
    QCOMPARE(changed.size(), 1);
    ActionRegistry next(*m_settings);
    addStandardActions(next);
    QCOMPARE(next.find("action.train")->shortcut(), QKeySequence("Ctrl+Alt+T"));
    m_registry->resetShortcut("action.train");
    QCOMPARE(m_registry->find("action.train")->shortcut(), QKeySequence("Ctrl+R"));
}

void TstActionRegistry::actionsOfAGroupStandTogether()
{
    for (const MenuId menu : {MenuId::File, MenuId::Edit, MenuId::View, MenuId::Run}) {
        QStringList groups;
        for (const QAction* action : m_registry->actionsOf(menu)) {
            const QString group = m_registry->spec(action->objectName()).group;
            if (groups.isEmpty() || groups.last() != group) {
                QVERIFY2(!groups.contains(group), qPrintable(group));
                groups.append(group);
            }
        }
    }
}

CANNERY_TEST(TstActionRegistry)
#include "tst_action_registry.moc"
