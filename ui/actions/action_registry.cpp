// SPDX-License-Identifier: GPL-3.0-only
#include "ui/actions/action_registry.h"

#include "core/base/check.h"
#include "ui/services/projects/settings.h"

#include <QAction>
#include <QCoreApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

const char* const kHindrance = "hindrance";

QString settingOf(const QString& id)
{
    return "shortcuts/" + id;
}

/// The help text and keys; a hindrance comes first.
QString tipOf(const ActionSpec& spec, const QAction& action)
{
    const QString hindrance = action.property(kHindrance).toString();
    const QString what = spec.help.isEmpty() ? action.iconText() : spec.help;
    if (!hindrance.isEmpty()) {
        return hindrance;
    }
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? what : QString("%1  (%2)").arg(what, keys);
}

} // namespace

QString menuTitle(MenuId menu)
{
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("ActionRegistry", text);
    };
    switch (menu) {
    case MenuId::File:
        return tr("&File");
    case MenuId::FileExport:
        return tr("&Export");
    case MenuId::Edit:
        return tr("&Edit");
    case MenuId::View:
        return tr("&View");
    case MenuId::Run:
        return tr("&Run");
    case MenuId::Tools:
        return tr("&Tools");
    case MenuId::Window:
        return tr("&Window");
    case MenuId::Help:
        return tr("&Help");
    }
    return {};
}

ActionRegistry::ActionRegistry(Settings& settings, QObject* parent)
    : QObject(parent), m_settings(&settings)
{}

QAction* ActionRegistry::add(const ActionSpec& spec)
{
    CANNERY_CHECK(!m_specs.contains(spec.id));
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setCheckable(spec.checkable);
    action->setProperty("iconName", spec.icon);
    action->setShortcutContext(spec.context);
    const QVariant own = m_settings->value(settingOf(spec.id));
    action->setShortcut(own.isValid() ? QKeySequence(own.toString(), QKeySequence::PortableText)
                                      : spec.shortcut);
    m_specs.insert(spec.id, spec);
    m_actions.append(action);
    action->setToolTip(tipOf(spec, *action));
    action->setStatusTip(spec.help);
    Q_EMIT added(action);
    return action;
}

QAction* ActionRegistry::find(const QString& id) const
{
    const auto found = std::find_if(m_actions.begin(), m_actions.end(), [&](const QAction* action) {
        return action->objectName() == id;
    });
    return found == m_actions.end() ? nullptr : *found;
}

QList<QAction*> ActionRegistry::actions() const
{
    return m_actions;
}

QList<QAction*> ActionRegistry::actionsOf(MenuId menu) const
{
    // In the order in which the groups appear first, whatever lies between their actions.
    QStringList groups;
    QList<QAction*> result;
    for (QAction* action : m_actions) {
        const ActionSpec& spec = m_specs[action->objectName()];
        if (spec.menu == menu) {
            result.append(action);
            if (!groups.contains(spec.group)) {
                groups.append(spec.group);
            }
        }
    }
    std::stable_sort(result.begin(), result.end(), [&](const QAction* a, const QAction* b) {
        return groups.indexOf(m_specs[a->objectName()].group) <
               groups.indexOf(m_specs[b->objectName()].group);
    });
    return result;
}

const ActionSpec& ActionRegistry::spec(const QString& id) const
{
    const auto found = m_specs.constFind(id);
    CANNERY_CHECK(found != m_specs.constEnd());
    return *found;
}

void ActionRegistry::setHindrance(const QString& id, const QString& sentence)
{
    QAction* action = find(id);
    CANNERY_CHECK(action);
    if (action->property(kHindrance).toString() == sentence &&
        action->isEnabled() == sentence.isEmpty()) {
        return;
    }
    action->setProperty(kHindrance, sentence);
    action->setEnabled(sentence.isEmpty());
    action->setToolTip(tipOf(spec(id), *action));
    action->setStatusTip(sentence.isEmpty() ? spec(id).help : sentence);
}

QString ActionRegistry::hindrance(const QString& id) const
{
    const QAction* action = find(id);
    return action ? action->property(kHindrance).toString() : QString();
}

QAction* ActionRegistry::setShortcut(const QString& id, const QKeySequence& keys)
{
    QAction* action = find(id);
    CANNERY_CHECK(action);
    const auto taken = std::find_if(m_actions.begin(), m_actions.end(), [&](const QAction* other) {
        // The same keys may serve in different places, such as a table and the window.
        return other != action && !keys.isEmpty() && other->shortcut() == keys &&
               other->shortcutContext() == action->shortcutContext();
    });
    if (taken != m_actions.end()) {
        return *taken;
    }
    action->setShortcut(keys);
    action->setToolTip(tipOf(spec(id), *action));
    m_settings->setValue(settingOf(id), keys.toString(QKeySequence::PortableText));
    Q_EMIT shortcutsChanged();
    return nullptr;
}

void ActionRegistry::resetShortcut(const QString& id)
{
    QAction* action = find(id);
    CANNERY_CHECK(action);
    action->setShortcut(spec(id).shortcut);
    action->setToolTip(tipOf(spec(id), *action));
    m_settings->setValue(settingOf(id), {});
    Q_EMIT shortcutsChanged();
}

} // namespace cannery::ui
